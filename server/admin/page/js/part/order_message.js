// What a buyer's message says about an order, and the reply to it.

import { html } from '../html.js'
import { digits, langOf, plainDigits, typedPhone } from '../i18n.js'
import { t } from '../strings/order_form.js'
import { t as common } from '../strings/common.js'
import { addressLines } from './buyer.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { copy } from './toast.js'

/** @typedef {import('../api.js').Schemas['ParsedOrder']} ParsedOrder */
/** @typedef {import('./order_draft.js').Draft} Draft */
/**
 * @typedef {Pick<Draft, 'name' | 'phoneNumber' | 'line1' | 'area' | 'city' | 'postcode'>} Buyer
 *   what a message can fill in
 */
/** @typedef {Record<string, string[]>} Words by the name of a field in a message */
/**
 * @typedef {{ words: Words, unsure: string[], filled: Buyer, proposed: ParsedOrder['proposed'] }}
 *   Message what was found in a message
 */

/** The names of fields in a message by those of the form. */
const names = /** @type {const} */ ({
  name: 'name',
  phoneNumber: 'phone',
  line1: 'address',
  area: 'area',
  city: 'city',
  postcode: 'postcode',
})

/** Returns what was found in a message. @returns {Message} */
export function messageOf(/** @type {ParsedOrder} */ { customer: c, shippingAddress: a, ...rest }) {
  /** @type {Words} */
  const words = {}
  for (const { field, text } of rest.sources) words[field] = [...(words[field] ?? []), text]
  return {
    words,
    unsure: rest.unsure,
    proposed: rest.proposed,
    filled: {
      name: c.name ?? '',
      phoneNumber: c.phoneNumber ? typedPhone(c.phoneNumber) : '',
      line1: withoutArea(a.line1 ?? '', a.area),
      area: a.area ?? '',
      city: a.city ?? '',
      postcode: a.postcode ?? '',
    },
  }
}

/** Returns an address without the area at its end, which has a field of its own. */
const withoutArea = (/** @type {string} */ line, /** @type {string | null | undefined} */ area) =>
  area && line.endsWith(', ' + area) ? line.slice(0, -area.length - 2) : line

/**
 * Returns the fields of a draft that a message changes. What an earlier message filled in and this
 * one does not have is emptied: it may be of another buyer. What somebody typed stays.
 */
export function filledBy(
  /** @type {Message} */ { filled },
  /** @type {Message | null} */ before,
  /** @type {Draft} */ draft,
) {
  /** @type {Partial<Buyer>} */
  const changes = {}
  for (const key of /** @type {(keyof Buyer)[]} */ (Object.keys(names))) {
    const isOld = before !== null && before.filled[key] !== '' && before.filled[key] === draft[key]
    if (filled[key] !== '' || isOld) changes[key] = filled[key]
  }
  return changes
}

/** The words of a field in the message, or that the message does not have it for certain. */
export function hintOf(
  /** @type {Message | null} */ message,
  /** @type {keyof Buyer} */ field,
  /** @type {string} */ value,
) {
  if (!message) return undefined
  const name = names[field]
  const words = message.words[name]
  if (words && value !== '' && value === message.filled[field]) return quoted(words)
  if (value === '' && message.unsure.includes(name))
    return html`<b class="tone-warn">${t('notCertain')}</b>`
  return undefined
}

const quoted = (/** @type {string[]} */ words) => {
  const text = words.join(' … ')
  return html`<span lang=${langOf(text)}>${t('from', { text })}</span>`
}

/** What the message says about products. */
export const goodsHint = (/** @type {Message | null} */ message) =>
  message && html`
    ${message.words.quantities && html`
      <p class="hint" id="goods-words">${quoted(message.words.quantities)}</p>
    `}
    ${message.unsure.includes('quantities') && html`
      <p class="small bold tone-warn" id="goods-unsure">
        ${icon('circle-alert', 'mini')} ${t('goodsNotCertain')}
      </p>
    `}
  `

/** The buyer in the last order with the number, to use with one tap. */
export function Proposed(
  /** @type {{ message: Message | null, draft: Draft, change: (to: Partial<Draft>) => void }} */ {
    message,
    draft,
    change,
  },
) {
  const proposed = message?.proposed
  if (!proposed || draft.phoneNumber !== message?.filled.phoneNumber) return null
  const a = proposed.shippingAddress
  const buyer = {
    name: proposed.name,
    line1: a.line1 ?? '',
    line2: a.line2 ?? '',
    area: a.area ?? '',
    city: a.city,
    postcode: a.postcode ?? '',
  }
  const isUsed = Object.entries(buyer).every(
    ([key, value]) => draft[/** @type {keyof typeof buyer} */ (key)] === value,
  )
  if (isUsed) return null
  const { lines, town } = addressLines(/** @type {any} */ (a))
  const text = [proposed.name, lines, town].filter(Boolean).join(', ')
  return html`
    <div class="banner info rounded" id="proposed">
      ${icon('users')}
      <div class="grow stack">
        <span>
          ${t('knownBuyer')} <b lang=${langOf(text)}>${text}</b>
        </span>
        <button type="button" class="button" id="use-buyer" onClick=${() => change(buyer)}>
          ${t('useBuyer')}
        </button>
      </div>
    </div>
  `
}

/** Messages of WhatsApp carry the day and the time in their headers when they are copied. */
const whatsAppHeader =
  /^\s*\[?\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4},? \d{1,2}:\d{2}|^\s*\[\d{1,2}:\d{2}[^\]]*\]/m

/** Returns the source of a message that was pasted. */
export const sourceOf = (/** @type {string} */ text) =>
  whatsAppHeader.test(plainDigits(text)) ? 'whatsapp' : 'facebook'

/** Sources whose buyers wait for a reply in writing. */
export const isChat = (/** @type {string} */ source) =>
  ['facebook', 'whatsapp', 'instagram'].includes(source)

/**
 * @typedef {object} Reply
 * @property {number} number
 * @property {string} phoneNumber
 * @property {string} text
 * @property {string} next the address that is opened afterwards
 * @property {boolean} books the next step is to book the courier
 */

/** A reply to the buyer of an order that was placed. */
export function ReplyDialog(/** @type {{ reply: Reply, close: () => void }} */ { reply, close }) {
  const { number, phoneNumber, text, books } = reply
  return html`
    <${Dialog}
      title=${t('replyTitle', { number: digits(number) })}
      close=${close}
      id="reply"
      text=${t('replyText')}
    >
      <div class="field">
        <label for="reply-text">${t('reply')}</label>
        <textarea id="reply-text" rows="9" readonly lang=${langOf(text)} value=${text}></textarea>
      </div>
      <div class="send-by">
        <a
          class="button primary"
          id="reply-whatsapp"
          target="_blank"
          rel="noopener noreferrer"
          href=${`https://wa.me/${phoneNumber.replace('+', '')}?text=${encodeURIComponent(text)}`}
        >
          ${icon('message-circle')}
          ${t('replyWhatsApp')}
        </a>
        <button type="button" class="button" id="copy-reply" onClick=${() => copy(text)}>
          ${icon('copy')}
          ${common('copy')}
        </button>
      </div>
      <button type="button" class="button big" id="reply-done" onClick=${close}>
        ${t(books ? 'bookOrder' : 'openOrder')}
      </button>
    <//>
  `
}
