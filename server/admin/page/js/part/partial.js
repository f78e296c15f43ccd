// An order of which a courier has delivered a part: what came back goes to stock, the rest is delivered.

import { html } from '../html.js'
import { act } from '../api.js'
import { digits, langOf, name } from '../i18n.js'
import { t } from '../strings/returns.js'
import { thumb } from './order_row.js'
import { Stepper } from './restock.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {Record<string, number>} Back units by variant */

/** Whether a courier has delivered a part of the order, and it can be completed. */
export const isCompletable = (/** @type {StaffOrder} */ order) => order.fulfillmentStatus === 'partially_delivered' && order.actions.deliver.allowed

/** Whether all of the order is back: that is a return. */
export const isAllBack = (/** @type {StaffOrder} */ order, /** @type {Back} */ back) =>
  order.items.every(({ variantId, quantity }) => (back[variantId] ?? 0) >= quantity)

/** Records that the rest was delivered, then adds what came back to stock. A repeated attempt has the same key: neither happens twice. */
export async function complete(/** @type {StaffOrder} */ order, /** @type {Back} */ back, /** @type {string} */ key) {
  const label = '#' + digits(order.orderNumber)
  const items = Object.entries(back).filter(([, n]) => n > 0).map(([variantId, adjust]) => ({ variantId, adjust }))
  await act(`orders/${order._id}/deliver`, {}, { label, key })
  if (items.length > 0) await act('bulk/stock', { items, note: '#' + order.orderNumber }, { label, key: key + '-stock' })
}

/** @param {{ order: StaffOrder, back: Back, change: (back: Back) => void }} props */
export const CameBack = ({ order, back, change }) => html`<fieldset class="stack" id="came-back"><legend class="lab">${t('howManyBack')}</legend>
  ${order.items.map((item) => html`<div class="row">${thumb(item, item.quantity, 's')}<span class="grow" lang=${langOf(name(item.title))}>
    ${name(item.title)}${item.variantTitle && html`<span class="sm q"> ${item.variantTitle}</span>`}</span>
    <${Stepper} value=${back[item.variantId] ?? 0} max=${item.quantity} label=${t('backOf', { title: name(item.title) })}
      change=${(/** @type {number} */ n) => change({ ...back, [item.variantId]: n })} /></div>`)}
  <p class="hint" role="status">${t(isAllBack(order, back) ? 'allBack' : 'keptHint')}</p></fieldset>`
