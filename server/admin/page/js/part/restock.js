// What of an order goes back to stock: of a returned order all that is fit for sale, of a delivered
// one what the buyer did not retain.

import { html, useSignal } from '../html.js'
import { digits, langOf, name } from '../i18n.js'
import { t } from '../strings/returns.js'
import { icon } from './icon.js'
import { thumb } from './order_row.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {Record<string, number>} Units by variant */

/** Whether a courier has delivered a part of the order. */
export const isInPart = (/** @type {StaffOrder} */ order) =>
  order.fulfillmentStatus === 'partially_delivered'

/** Whether the buyer has or had the order, and can have sent back a part of it. */
export const canBeInPart = (/** @type {StaffOrder} */ order) =>
  order.actions.restock.allowed &&
  (isInPart(order) ||
    (order.fulfillmentStatus === 'delivered' &&
      order.items.reduce((all, item) => all + item.quantity, 0) > 1))

/** Whether all of the order is back: that is a return. */
export const isAllBack = (/** @type {StaffOrder} */ order, /** @type {Units} */ back) =>
  order.items.every(({ variantId, quantity }) => (back[variantId] ?? 0) >= quantity)

/** What was recorded as back. @returns {Units} */
export const backOf = (/** @type {StaffOrder} */ order) =>
  Object.fromEntries(order.restocked.map((item) => [item.variantId, item.quantity]))

/** The body of the request: what came back goes to stock, and the rest is delivered. */
export const backBody = (/** @type {Units} */ back) => ({
  restock: Object.entries(back).map(([variantId, quantity]) => ({ variantId, quantity })),
})

/** How many of each line the buyer has or had: those that are not restocked yet. */
const unitsOut = (/** @type {StaffOrder} */ order) => {
  const back = backOf(order)
  return order.items.map((item) => ({
    ...item,
    quantity: item.quantity - (back[item.variantId] ?? 0),
  }))
}

/** The body of the request of a return: only what is damaged must be stated. */
export const restockBody = (/** @type {StaffOrder} */ order, /** @type {Units} */ damaged) =>
  Object.values(damaged).some((n) => n > 0)
    ? {
        restock: unitsOut(order).map(({ quantity, variantId }) => ({
          variantId,
          quantity: quantity - (damaged[variantId] ?? 0),
        })),
      }
    : {}

/**
 * A number with buttons for less and more.
 * @param {{ value: number, min?: number, max?: number, label: string, change: (value: number) =>
 *   void }} props
 */
export const Stepper = ({ value, min = 0, max = 9999, label, change }) => html`
  <div class="stepper" role="group" aria-label=${label}>
    <button
      type="button"
      class="icon-button"
      aria-label=${label + ' −'}
      disabled=${value <= min}
      onClick=${() => change(value - 1)}
    >
      ${icon('minus')}
    </button>
    <output aria-live="polite">${digits(value)}</output>
    <button
      type="button"
      class="icon-button"
      aria-label=${label + ' +'}
      disabled=${value >= max}
      onClick=${() => change(value + 1)}
    >
      ${icon('plus')}
    </button>
  </div>
`

/**
 * How many units of each line.
 * @param {{ items: StaffOrder['items'], units: Units, label: 'damagedOf' | 'backOf', change:
 *   (units: Units) => void }} props
 */
const Lines = ({ items, units, label, change }) =>
  items.map((item) => html`
    <div class="row">
      ${thumb(item, item.quantity, 'mini')}
      <span class="grow" lang=${langOf(name(item.title))}>
        ${name(item.title)}
        ${item.variantTitle && html`<span class="small quiet"> ${item.variantTitle}</span>`}
      </span>
      <${Stepper}
        value=${units[item.variantId] ?? 0}
        max=${item.quantity}
        label=${t(label, { title: name(item.title) })}
        change=${(/** @type {number} */ n) => change({ ...units, [item.variantId]: n })}
      />
    </div>
  `)

/** @param {{ order: StaffOrder, damaged: Units, change: (damaged: Units) => void }} props */
export function Restock({ order, damaged, change }) {
  const opened = useSignal(isInPart(order))
  if (!opened.value) {
    return html`
      <div class="row spread wraps">
        <p class="small quiet">${t('stock')}</p>
        <button
          type="button"
          class="button mini"
          id="some-damaged"
          onClick=${() => {
            opened.value = true
          }}
        >
          ${icon('package-x', 'mini')}
          ${t('someDamaged')}
        </button>
      </div>
    `
  }
  return html`
    <fieldset class="stack">
      <legend class="label">${t('howManyDamaged')}</legend>
      <${Lines} items=${unitsOut(order)} units=${damaged} label="damagedOf" change=${change} />
      <p class="hint">${t('damagedHint')}</p>
    </fieldset>
  `
}

/** @param {{ order: StaffOrder, back: Units, change: (back: Units) => void }} props */
export const CameBack = ({ order, back, change }) => html`
  <fieldset class="stack" id="came-back">
    <legend class="label">${t('howManyBack')}</legend>
    <${Lines} items=${order.items} units=${back} label="backOf" change=${change} />
    <p class="hint" role="status">${t(isAllBack(order, back) ? 'allBack' : 'keptHint')}</p>
  </fieldset>
`
