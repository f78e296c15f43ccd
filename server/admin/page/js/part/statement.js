// What a courier's statement has, by names of this page.

import { html } from '../html.js'
import { t } from '../strings/cash.js'

/** Returns the number of shipments. */
export const shipmentsOf = (/** @type {import('../api.js').Schemas['Reconciliation']} */ { parcels: count }) => count

/** Returns the amount that the courier reports. */
export const reportedOf = (/** @type {import('../api.js').Schemas['CashDifference']} */ { told: amount }) => amount

/**
 * The lines of a statement that are about no shipment.
 * @param {{ plan: import('../api.js').Schemas['Reconciliation'] }} props
 */
export const Skipped = ({ plan: { skipped, notes } }) => html`<section id="skipped"><p class="q pad-y">${t('skipped', { count: skipped })}</p>
  <ul class="card list">${notes.map((one) => html`<li class="sec sm"><span class="q">${t('line', { line: one.line })}</span> ${one.text}</li>`)}
    ${skipped > notes.length && html`<li class="sec sm q">${t('moreLines', { count: skipped - notes.length })}</li>`}</ul></section>`
