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
/** @typedef {{ fit: Units, damaged: Units }} Back units fit for sale, and others */

/**
 * What is wrong with the units that came back: that they are none, or all.
 *
 * @returns {'' | 'noneBack' | 'allBack'}
 */
export function faultOf(/** @type {StaffOrder} */ order, /** @type {Back} */ back) {
  const unitsOf = (/** @type {string} */ id) => (back.fit[id] ?? 0) + (back.damaged[id] ?? 0)
  if (order.items.every(({ variantId, quantity }) => unitsOf(variantId) >= quantity)) {
    return 'allBack' // that is a return
  }
  const isCorrection = order.credits.some(({ reason }) => reason === 'not_accepted')
  return isCorrection || order.items.some(({ variantId }) => unitsOf(variantId) > 0)
    ? ''
    : 'noneBack'
}

/** What to enter, or what will happen. */
function hintOf(/** @type {StaffOrder} */ order, /** @type {Back} */ back) {
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

/** What the buyer did not accept. @returns {Back} */
export const backOf = (/** @type {StaffOrder} */ order) => ({
  fit: creditedUnits(order, ({ reason, restocked }) => (reason === 'not_accepted' ? restocked : 0)),
  damaged: creditedUnits(order, ({ reason, quantity, restocked }) =>
    reason === 'not_accepted' ? quantity - restocked : 0,
  ),
})

/**
 * The body of the request: what came back fit for sale goes to stock, and what did not come back is
 * delivered.
 */
export const backBody = (/** @type {StaffOrder} */ order, /** @type {Back} */ back) => ({
  restock: order.items
    .map(({ variantId }) => ({
      variantId,
      quantity: back.fit[variantId] ?? 0,
      damaged: back.damaged[variantId] ?? 0,
    }))
    .filter((line) => line.quantity + line.damaged > 0),
})

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
 * @param {{ items: StaffOrder['items'], units: Units, label: 'damagedOf' | 'backOf' | 'refundOf' |
 *   'backDamagedOf', others?: Units, change: (units: Units) => void }} props others are units that
 *   count already
 */
export const Lines = ({ items, units, label, others = {}, change }) =>
  items.map((item) => html`
    <div class="row">
      ${thumb(item, item.quantity, 'mini')}
      <span class="grow" lang=${langOf(name(item.title))}>
        ${name(item.title)}
        ${item.variantTitle && html`<span class="small quiet"> ${item.variantTitle}</span>`}
      </span>
      <${Stepper}
        value=${units[item.variantId] ?? 0}
        max=${item.quantity - (others[item.variantId] ?? 0)}
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

/** @param {{ order: StaffOrder, back: Back, change: (back: Back) => void }} props */
export function CameBack({ order, back, change }) {
  const opened = useSignal(Object.values(back.damaged).some((n) => n > 0))
  const refunded = creditedUnits(order, ({ reason, quantity }) =>
    reason === 'not_accepted' ? 0 : quantity,
  )
  const items = order.items.map((item) => ({
    ...item,
    quantity: item.quantity - (refunded[item.variantId] ?? 0),
  }))
  return html`
    <fieldset class="stack" id="came-back">
      <legend class="label">${t(opened.value ? 'howManyFit' : 'howManyBack')}</legend>
      <${Lines}
        items=${items}
        units=${back.fit}
        others=${back.damaged}
        label="backOf"
        change=${(/** @type {Units} */ fit) => change({ ...back, fit })}
      />
    </fieldset>
    ${opened.value
      ? html`
          <fieldset class="stack" id="came-back-damaged">
            <legend class="label">${t('howManyBackDamaged')}</legend>
            <${Lines}
              items=${items}
              units=${back.damaged}
              others=${back.fit}
              label="backDamagedOf"
              change=${(/** @type {Units} */ damaged) => change({ ...back, damaged })}
            />
          </fieldset>
        `
      : html`
          <button
            type="button"
            class="button mini"
            id="some-back-damaged"
            onClick=${() => {
              opened.value = true
            }}
          >
            ${icon('package-x', 'mini')}
            ${t('someBackDamaged')}
          </button>
        `}
    <p class="hint" role="status">${t(hintOf(order, back))}</p>
  `
}
