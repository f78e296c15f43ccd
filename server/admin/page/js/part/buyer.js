// What staff should know about an order's buyer before they call, confirm or send: earlier calls,
// an order that may be the same one, a block, the shop's own note.

import { html, useSignal } from '../html.js'
import { age, clock, date, digits, langOf, money, name } from '../i18n.js'
import { useGet } from '../resource.js'
import { to } from '../router.js'
import { can, session } from '../session.js'
import { t } from '../strings/buyer.js'
import { icon } from './icon.js'
import { Later } from './later.js'
import { goods } from './order_columns.js'
import { word } from './status.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */

/** Returns an address as lines of text. */
export function addressLines(/** @type {StaffOrder['shippingAddress']} */ a) {
  const lines = [a.line1, a.line2].filter(Boolean).join(', ')
  const town = [[a.area, a.city].filter(Boolean).join(', '), a.postcode].filter(Boolean).join(' ')
  return { lines, town }
}

/** Returns what opens an address in the map app of a phone, or on a map of the web. */
export function mapOf(/** @type {string} */ text) {
  const query = encodeURIComponent(text)
  if (/Android/.test(navigator.userAgent)) return 'geo:0,0?q=' + query
  return (
    (/iPhone|iPad/.test(navigator.userAgent)
      ? 'maps:?q='
      : 'https://www.openstreetmap.org/search?query=') + query
  )
}

/** The address of a chat with the buyer, with words to begin it. */
export const whatsapp = (/** @type {StaffOrder} */ order) => {
  const text = t('greeting', {
    name: order.customer.name,
    number: digits(order.orderNumber),
    amount: money(order.total),
    shop: name(session.value?.shop.name),
  })
  const recipient = order.customer.phoneNumber.replace('+', '')
  return `https://wa.me/${recipient}?text=${encodeURIComponent(text)}`
}

/**
 * Returns "No answer 15:52 and 16:10": the calls to the buyer, those of other days with their day.
 */
export function callsText(/** @type {StaffOrder} */ order) {
  const calls = order.notes.filter((call) => call.kind === 'call' && call.outcome !== 'confirmed')
  const last = calls.at(-1)
  if (!last) return ''
  const same = calls
    .filter((call) => call.outcome === last.outcome)
    .slice(-2)
    .map((call) => (date(call.at) === date(Date.now()) ? clock(call.at) : date(call.at)))
  return t('calls', { outcome: word('call_' + last.outcome), times: same.join(t('and')) })
}

const openStatuses = ['pending', 'pending_payment', 'confirmed', 'processing']

/** Loads the open orders of a phone number, except one. @returns {OrderRow[]} */
export function useOpenOrders(/** @type {string | null} */ phoneNumber, except = '') {
  const { data } = useGet(phoneNumber ? 'orders' : null, {
    search: phoneNumber?.replace(/^\+/, ''),
    status: openStatuses,
    limit: 10,
  })
  return (data?.nodes ?? []).filter(
    (/** @type {OrderRow} */ row) => row._id !== except && row.customer.phoneNumber === phoneNumber,
  )
}

/**
 * Loads what the shop knows about a phone number.
 * @returns {import('../api.js').Schemas['Contact'] | undefined}
 */
export const useContact = (/** @type {string | null} */ phoneNumber) =>
  useGet(
    phoneNumber && can('customers.read') ? 'contacts/' + encodeURIComponent(phoneNumber) : null,
  ).data

const banner = (
  /** @type {string} */ tone,
  /** @type {string} */ name,
  /** @type {any} */ content,
) => html`
  <p class="banner ${tone} rounded">
    ${icon(name)}
    <span class="grow">${content}</span>
  </p>
`

/** An order that is probably the same one, with the way to it, and what can be done about it. */
export const duplicateBanner = (/** @type {OrderRow} */ row, /** @type {any} */ actions = null) =>
  banner('', 'copy', html`
    ${t(Date.now() - Date.parse(row.placedAt) < 86_400_000 ? 'duplicate' : 'alsoOpen')} <a
      class="under"
      href=${to('order', row._id)}
    >
      #${digits(row.orderNumber)}
    </a> · ${word(row.status)} · ${money(row.total)} · ${age(row.placedAt)}
    <br />
    <span class="small">${goods(row)}</span>
    ${actions}
  `)

const loadDoubt = () => import('./doubt.js')

/** Whether an order can be merged with another one. */
const isMergeable = (
  /** @type {{ status: string, paymentStatus: string, total: any, cashToCollect: any }} */ order,
) =>
  order.status === 'pending' &&
  order.paymentStatus === 'unpaid' &&
  order.cashToCollect.amount === order.total.amount

/** What can be done about a duplicate. @param {{ order: StaffOrder, other: OrderRow }} props */
function DuplicateActions({ order, other }) {
  const opened = useSignal('')
  if (!can('orders.write')) return null
  const button = (/** @type {'cancel' | 'merge'} */ action, /** @type {string} */ words) => html`
    <button
      class="button mini"
      data-action=${action + '-duplicate'}
      onClick=${() => {
        opened.value = action
      }}
    >
      ${words}
    </button>
  `
  return html`
    <span class="row wraps other-actions">
      ${order.actions.cancel.allowed && button('cancel', t('cancelThis'))}
      ${isMergeable(order) && isMergeable(other) && button('merge', t('merge'))}
    </span>
    ${opened.value && html`
      <${Later}
        load=${loadDoubt}
        action=${opened.value}
        order=${order}
        other=${other}
        close=${() => {
          opened.value = ''
        }}
      />
    `}
  `
}

/** Whether a courier would refuse the address of an order. */
export const hasShortAddress = (/** @type {StaffOrder} */ order) =>
  order.rowFlags.includes('address_short')

/**
 * Shows a short address before its order is confirmed.
 * @param {{ order: StaffOrder, confirm: () => void, close: () => void }} props
 */
export const ShortAddress = (props) => html`
  <${Later}
    load=${loadDoubt}
    action="confirm"
    address=${addressLines(props.order.shippingAddress)}
    ...${props}
  />
`

/** What the shop knows of the buyer that matters for this order. */
export const contactBanners = (
  /** @type {import('../api.js').Schemas['Contact'] | undefined} */ contact,
) =>
  contact && html`
    ${contact.blocked !== 'none' &&
      banner('bad', 'ban', html`
        <b>${t(contact.blocked === 'all' ? 'blockedAll' : 'blockedCash')}</b>
        ${' '}
        ${contact.blockedReason && html`
          <q lang=${langOf(contact.blockedReason)}>${contact.blockedReason}</q>
        `}
      `)}
    ${contact.note &&
      banner('info', 'sticky-note', html`
        <span lang=${langOf(contact.note)}>${contact.note}</span>
      `)}
  `

/**
 * The warnings of an order: a duplicate, a block or a note about its buyer, a short address.
 * @param {{ order: StaffOrder }} props
 */
export function Warnings({ order }) {
  const isDuplicate = order.rowFlags.includes('duplicate')
  const others = useOpenOrders(isDuplicate ? order.customer.phoneNumber : null, order._id)
  const contact = useContact(order.customer.phoneNumber)
  const day = 86_400_000
  const same = others
    .filter((row) => Math.abs(Date.parse(row.placedAt) - Date.parse(order.placedAt)) <= day)
    .sort((one, other) => one.orderNumber - other.orderNumber)
  return html`
    ${same.map((other) =>
      duplicateBanner(other, html`
        <${DuplicateActions} key=${other._id} order=${order} other=${other} />
      `),
    )}
    ${contactBanners(contact)}
    ${hasShortAddress(order) && banner('bad', 'map-pin-off', word('flag_address_short'))}
  `
}
