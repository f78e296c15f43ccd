// What of an order goes back to stock: of a returned order all that is fit for sale, of a delivered
// one what the buyer did not retain.

import { html, useSignal } from '../html.js'
import { digits, langOf, name } from '../i18n.js'
import { t } from '../strings/returns.js'
import { icon } from './icon.js'
import { isInPart } from './order_part.js'
import { thumb } from './order_row.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {Record<string, number>} Units by variant */

/**
 * What is wrong with the units that came back: that they are none, or all.
 *
 * @returns {'' | 'noneBack' | 'allBack'}
 */
export function faultOf(/** @type {StaffOrder} */ order, /** @type {Units} */ back) {
  if (order.items.every(({ variantId, quantity }) => (back[variantId] ?? 0) >= quantity)) {
    return 'allBack' // that is a return
  }
  const isCorrection = order.credits.some(({ reason }) => reason === 'not_accepted')
  return isCorrection || Object.values(back).some((n) => n > 0) ? '' : 'noneBack'
}

/** What to enter, or what will happen. */
function hintOf(/** @type {StaffOrder} */ order, /** @type {Units} */ back) {
  const fault = faultOf(order, back)
  return fault === 'noneBack' && isInPart(order) ? 'noneBackInPart' : fault || 'keptHint'
}

/** Units of the order's credits by variant. @returns {Units} */
function creditedUnits(
  /** @type {StaffOrder} */ { credits },
  /** @type {(credit: StaffOrder['credits'][number]) => number} */ count,
) {
  /** @type {Units} */
  const units = {}
  for (const credit of credits) {
    if (credit.variantId) {
      units[credit.variantId] = (units[credit.variantId] ?? 0) + count(credit)
    }
  }
  return units
}

/** What the buyer did not accept and is back in stock. */
export const backOf = (/** @type {StaffOrder} */ order) =>
  creditedUnits(order, ({ reason, restocked }) => (reason === 'not_accepted' ? restocked : 0))

/** The body of the request: what came back goes to stock, and the rest is delivered. */
export function backBody(/** @type {StaffOrder} */ order, /** @type {Units} */ back) {
  const damaged = creditedUnits(order, ({ reason, quantity, restocked }) =>
    reason === 'not_accepted' ? quantity - restocked : 0,
  )
  return {
    restock: order.items
      .map(({ variantId, quantity }) => ({
        variantId,
        quantity: back[variantId] ?? 0,
        damaged: Math.min(damaged[variantId] ?? 0, quantity - (back[variantId] ?? 0)),
      }))
      .filter((line) => line.quantity + line.damaged > 0),
  }
}

/** How many of each line the buyer has or had: those without a credit. */
export const unitsOut = (/** @type {StaffOrder} */ order) => {
  const gone = creditedUnits(order, ({ quantity }) => quantity)
  return order.items.map((item) => ({
    ...item,
    quantity: item.quantity - (gone[item.variantId] ?? 0),
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
 * @param {{ items: StaffOrder['items'], units: Units, label: 'damagedOf' | 'backOf' | 'refundOf',
 *   change: (units: Units) => void }} props
 */
export const Lines = ({ items, units, label, change }) =>
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
    <p class="hint" role="status">${t(hintOf(order, back))}</p>
  </fieldset>
`
