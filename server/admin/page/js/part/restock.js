// What of a returned order is fit for sale. All of it, unless somebody says otherwise.

import { html, useSignal } from '../html.js'
import { digits, langOf, name } from '../i18n.js'
import { t } from '../strings/returns.js'
import { icon } from './icon.js'
import { thumb } from './order_row.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {Record<string, number>} Damaged units by variant */

/** Returns the body of the request: only what is damaged must be stated. */
export const restockBody = (/** @type {StaffOrder} */ order, /** @type {Damaged} */ damaged) =>
  (Object.values(damaged).some((n) => n > 0)
    ? { restock: order.items.map(({ quantity, variantId }) => ({ variantId, quantity: quantity - (damaged[variantId] ?? 0) })) } : {})

/** A number with buttons for less and more. @param {{ value: number, min?: number, max?: number, label: string,
 *   change: (value: number) => void }} props */
export const Stepper = ({ value, min = 0, max = 9999, label, change }) => html`<div class="stepper" role="group" aria-label=${label}>
  <button type="button" class="ib" aria-label=${label + ' −'} disabled=${value <= min} onClick=${() => change(value - 1)}>
    ${icon('minus')}</button>
  <output aria-live="polite">${digits(value)}</output>
  <button type="button" class="ib" aria-label=${label + ' +'} disabled=${value >= max} onClick=${() => change(value + 1)}>
    ${icon('plus')}</button></div>`

/** Whether a courier has delivered a part of the order. */
export const isPartial = (/** @type {StaffOrder} */ order) => order.fulfillmentStatus === 'partially_delivered'

/** @param {{ order: StaffOrder, damaged: Damaged, change: (damaged: Damaged) => void }} props */
export function Restock({ order, damaged, change }) {
  const opened = useSignal(isPartial(order))
  if (!opened.value) {
    return html`<div class="row sp wraps"><p class="sm q">${t('stock')}</p><button type="button" class="btn mini" id="some-damaged"
      onClick=${() => { opened.value = true }}>${icon('package-x', 's')}${t('someDamaged')}</button></div>`
  }
  return html`<fieldset class="stack"><legend class="lab">${t('howManyDamaged')}</legend>${order.items.map((item) => html`<div class="row">
    ${thumb(item, item.quantity, 's')}<span class="grow" lang=${langOf(name(item.title))}>${name(item.title)}${item.variantTitle && html`
      <span class="sm q"> ${item.variantTitle}</span>`}</span>
    <${Stepper} value=${damaged[item.variantId] ?? 0} max=${item.quantity} label=${t('damagedOf', { title: name(item.title) })}
      change=${(/** @type {number} */ n) => change({ ...damaged, [item.variantId]: n })} /></div>`)}
    <p class="hint">${t('damagedHint')}</p></fieldset>`
}
