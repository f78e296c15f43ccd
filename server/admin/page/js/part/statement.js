// What a courier's statement has, by names of this page: its differences and the lines that are
// about no shipment.

import { html } from '../html.js'
import { digits, money } from '../i18n.js'
import { to } from '../router.js'
import { different, t } from '../strings/cash.js'
import { t as common } from '../strings/common.js'
import { icon } from './icon.js'
import { word } from './status.js'

/** @typedef {import('../api.js').Schemas['CashDifference']} Difference */

/** The bar of a view that is part of another. */
export const bar = (
  /** @type {string} */ title,
  back = to('cash'),
  /** @type {any} */ line = null,
) => html`
  <header class="top plain over">
    <a class="icon-button" data-back aria-label=${common('back')} href=${back}>
      ${icon('arrow-left')}
    </a>
    <div class="title">
      <h1 tabindex="-1">${title}</h1>
      ${line && html`<div class="small quiet">${line}</div>`}
    </div>
  </header>
`

/** Returns the number of shipments. */
export const shipmentsOf = (
  /** @type {import('../api.js').Schemas['Reconciliation']} */ { parcels: count },
) => count

/** Returns the amount that the courier reports. */
export const reportedOf = (
  /** @type {import('../api.js').Schemas['CashDifference']} */ { told: amount },
) => amount

/**
 * The lines of a statement that are about no shipment.
 * @param {{ plan: import('../api.js').Schemas['Reconciliation'] }} props
 */
export const Skipped = ({ plan: { skipped, notes } }) => html`
  <section id="skipped">
    <p class="quiet pad-y">${t('skipped', { count: skipped })}</p>
    <ul class="card list">
      ${notes.map((note) => html`
        <li class="section small">
          <span class="quiet">${t('line', { line: note.line })}</span> ${note.text}
        </li>
      `)}
      ${skipped > notes.length && html`
        <li class="section small quiet">${t('moreLines', { count: skipped - notes.length })}</li>
      `}
    </ul>
  </section>
`

/** Returns differences, those of one shipment together. @returns {Difference[][]} */
export function byShipment(/** @type {Difference[]} */ all) {
  const groups = new Map()
  for (const difference of all)
    groups.set(difference.consignmentId, [
      ...(groups.get(difference.consignmentId) ?? []),
      difference,
    ])
  return [...groups.values()]
}

/** @param {{ all: Difference[] }} props */
export const Differences = ({ all }) => html`
  <ul class="card list differences">
    ${byShipment(all).map((some) => {
      const [difference] = some
      const sums = (/** @type {Difference} */ of) => {
        const theirs = reportedOf(of)
        return (
          of.expected &&
          theirs && html`
            <br />
            <span class="small">
              <span class="quiet">${t('ours')} ${money(of.expected)}</span>
              ${' '}
              <b class="tone-bad">${t('theirs')} ${money(theirs)}</b>
            </span>
          `
        )
      }
      const isSame = (/** @type {Difference | undefined} */ other, /** @type {Difference} */ of) =>
        other &&
        reportedOf(other)?.amount === reportedOf(of)?.amount &&
        other.expected?.amount === of.expected?.amount
      const inside = html`
        <span class="grow">
          ${difference.orderNumber && html`<b>#${digits(difference.orderNumber)}</b>`}
          ${' '}
          ${difference.orderNumber
            ? html`<span class="small quiet mono">${difference.consignmentId}</span>`
            : html`<b class="mono">${difference.consignmentId}</b>`}
          <span class="small quiet"> ${word(difference.provider)}</span>
          ${some.map((of, i) => html`
            <br />
            <span class="small">${different(of.what)}</span>
            ${isSame(some[i + 1], of) ? '' : sums(of)}
          `)}
        </span>
      `
      return html`
        <li>
          ${difference.orderId
            ? html`
                <a class="fold" href=${to('order', difference.orderId)}>
                  ${inside}
                  ${icon('chevron-right', 'mini')}
                </a>
              `
            : html`<div class="fold">${inside}</div>`}
        </li>
      `
    })}
  </ul>
`
