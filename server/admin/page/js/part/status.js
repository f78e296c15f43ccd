// Statuses: a shape, a colour and a word. See the style sheet for the shapes.

import { html } from '../html.js'
import { dateTime, digits, number } from '../i18n.js'
import { session } from '../session.js'
import { t } from '../strings/status.js'
import { icon } from './icon.js'

/** @typedef {'wait' | 'go' | 'move' | 'done' | 'bad' | 'off'} Tone */

/** @type {Record<string, Tone>} */
const tones = {
  pending: 'wait',
  pending_payment: 'wait',
  confirmed: 'go',
  processing: 'go',
  completed: 'done',
  cancelled: 'off',
  expired: 'off',
  returned: 'off',
  pay_unpaid: 'off',
  pay_pending: 'wait',
  pay_paid: 'done',
  pay_refunded: 'off',
  pay_partially_refunded: 'off',
  pay_needs_review: 'bad',
  pay_refund_due: 'wait',
  ship_unfulfilled: 'off',
  ship_in_progress: 'move',
  ship_partially_delivered: 'wait',
  ship_delivered: 'done',
  ship_returning: 'wait',
  ship_returned: 'off',
  ship_created: 'wait',
  ship_pickup_requested: 'wait',
  ship_picked: 'move',
  ship_at_hub: 'move',
  ship_in_transit: 'move',
  ship_out_for_delivery: 'go',
  ship_on_hold: 'bad',
  ship_delivery_failed: 'bad',
  ship_cancelled: 'off',
  ship_exchanged: 'done',
  try_initiated: 'wait',
  try_pending: 'wait',
  try_succeeded: 'done',
  try_failed: 'off',
  try_cancelled: 'off',
  try_expired: 'off',
  try_needs_review: 'bad',
  try_refund_due: 'wait',
  try_refunded: 'off',
}

export const word = t.dynamic

/** Returns the words of a status, undefined if there are none for it. */
export const statusWord = (/** @type {string} */ status) =>
  status in tones || status === 'placed' ? word(status) : undefined

/** A status with a ground, for headers. */
export const pill = (/** @type {string} */ status, more = '') => html`
  <span class="status-pill ${tones[status]}">${word(status)}${more && ' · ' + more}</span>
`

/** A status without one, for rows. */
export const bare = (/** @type {string} */ status) => html`
  <span class="status ${tones[status]}">${word(status)}</span>
`

/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */

/** Returns what a buyer's record says: tone, icon and words. null: nothing worth a word. */
export function recordSignal(
  /** @type {OrderRow['record']} */ { level, delivered, inPart, returned, cancelled, open, orders },
) {
  const ended = delivered + returned
  if (level === 'new')
    return orders <= 1 ? { tone: 'quiet', icon: 'user-plus', text: t('record_new') } : null
  if (level === 'good') {
    if (ended === 0) return null
    return {
      tone: 'good',
      icon: 'badge-check',
      text:
        t(delivered === ended ? 'record_allGood' : 'record_good', { delivered, ended }) +
        (inPart > 0 ? ', ' + t('record_inPart', { inPart }) : ''),
    }
  }
  if (returned === 0) return { tone: 'warn', icon: 'user', text: t('record_open', { open }) }
  return {
    tone: level === 'bad' ? 'bad' : 'warn',
    icon: 'undo-2',
    text: t('record_back', { returned, ended: ended + cancelled }),
  }
}

/** @type {Record<string, [string, string]>} */
const flags = {
  address_short: ['bad', 'map-pin-off'],
  duplicate: ['warn', 'copy'],
  unanswered: ['bad', 'circle-question-mark'],
  stray: ['bad', 'package-x'],
  review: ['bad', 'wallet'],
  shipment: ['bad', 'triangle-alert'],
  flag: ['warn', 'flag'],
  hand_over: ['warn', 'clock'],
  advance: ['warn', 'wallet'],
  note: ['info', 'message-square-text'],
}

// What a buyer's record says matters as long as something can be done about the order.
const isOpen = (/** @type {OrderRow} */ { status }) =>
  /^(pending|confirmed|processing)/.test(status)

// The tones of signals, the most dangerous first.
const danger = ['bad', 'warn', 'info', 'quiet', 'good']

const numbers = (/** @type {OrderRow['duplicates']} */ orders) =>
  orders.map((order) => '#' + digits(order.orderNumber)).join(', ')

/**
 * The signals of an order in a list: the most dangerous first, and how many more there are. None
 * that warns is left out.
 */
export function signals(/** @type {OrderRow} */ row, most = 2) {
  const all = Object.keys(flags)
    .filter((flag) => row.flags.some((code) => code === flag))
    .map((flag) => ({
      tone: flags[flag][0],
      icon: flags[flag][1],
      text:
        flag === 'duplicate' && row.duplicates.length > 0
          ? t('sameAs', { list: numbers(row.duplicates) })
          : word('flag_' + flag),
    }))
  const {
    calls: { count, dueAt, lastOutcome },
    status,
  } = row
  if (count > 0 && status === 'pending' && lastOutcome) {
    const calls = t('calls', { outcome: word('call_' + lastOutcome), count })
    all.push({
      tone: 'warn',
      icon: 'phone-missed',
      text: dueAt ? t('callDue', { calls, time: dateTime(dueAt) }) : calls,
    })
  }
  const { claimedBy, claimedUntil } = row
  if (
    claimedBy &&
    claimedBy._id !== session.value?.staffMember._id &&
    Date.parse(claimedUntil ?? '') > Date.now()
  ) {
    all.push({ tone: 'info', icon: 'user', text: t('claimed', { name: claimedBy.name }) })
  }
  const record = isOpen(row) && recordSignal(row.record)
  if (record) all.push(record)
  const rank = (/** @type {{ tone: string }} */ { tone }) => danger.indexOf(tone)
  all.sort((a, b) => rank(a) - rank(b))
  most = Math.max(most, all.filter(({ tone }) => /^(bad|warn)$/.test(tone)).length)
  const rest = all
    .slice(most)
    .map((signal) => signal.text)
    .join(', ')
  return html`
    ${all
      .slice(0, most)
      .map((signal) => html`
        <span class="tone-${signal.tone}">${icon(signal.icon, 'mini')}${signal.text}</span>
      `)}
    ${rest !== '' && html`
      <span class="tone-quiet" title=${rest}>
        <span aria-hidden="true">+${number(all.length - most)}</span>
        <span class="visually-hidden">${rest}</span>
      </span>
    `}
  `
}
