// The page in two languages: its texts stand side by side in strings/, one table per view. Numbers,
// dates and amounts follow the language.

import { h, options, signal } from './html.js'
import { load, save } from './device.js'

/** @typedef {'en' | 'bn'} Language */
/** @typedef {{ amount: number, currency: string, formatted: string }} Money */

/** The page's language. Reading it in a view shows the view again when it changes. */
export const language = signal(
  /** @type {Language} */ (document.documentElement.lang === 'bn' ? 'bn' : 'en'),
)

/** The time zone that days are counted in: the shop's. */
export const timeZone = signal('UTC')

export function setLanguage(/** @type {Language} */ to) {
  language.value = to
  save('language', to)
  document.documentElement.lang = to
}

/** Reports whether the person has chosen a language on this device. */
export const choseLanguage = () => load('language') !== null

/**
 * Returns the lookup of a table of texts. {placeholders} are filled in, numbers in the language's
 * digits. If count has the plural form "one", the text under key + '_one' is used if it exists. A
 * key that is missing, such as the name of a provider, is shown as it is: a page with a raw word
 * can be used, an empty one cannot. The lookup itself is for keys of the table, its method dynamic
 * for keys that are only known when the page runs.
 * @template {Record<string, [string, string]>} T
 * @param {T} table
 */
export function texts(table) {
  const dynamic = (/** @type {string} */ key, /** @type {Record<string, any>} */ values = {}) => {
    const words = (isOne(values.count) && table[key + '_one']) || table[key] || [key, key]
    return words[language.value === 'bn' ? 1 : 0].replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name]
      return typeof value === 'number' ? number(value) : String(value ?? '')
    })
  }
  /** @type {(key: keyof T & string, values?: Record<string, any>) => string} */
  const lookup = (key, values) => dynamic(key, values)
  return Object.assign(lookup, { dynamic })
}

/** Converts digits to those of the language. */
export const digits = (/** @type {string | number} */ text) =>
  language.value === 'bn'
    ? String(text).replace(/\d/g, (d) => '০১২৩৪৫৬৭৮৯'[Number(d)])
    : String(text)

/** Converts Bangla digits that were typed to those of the API. */
export const plainDigits = (/** @type {string} */ text) =>
  text.replace(/[০-৯]/g, (d) => String('০১২৩৪৫৬৭৮৯'.indexOf(d)))

/** @type {Map<string, any>} */
const formats = new Map()

/**
 * @template T
 * @param {string} name
 * @param {() => T} build
 * @returns {T}
 */
function cached(name, build) {
  if (!formats.has(name)) formats.set(name, build())
  return formats.get(name)
}

/**
 * Reports whether a number is spoken of as one. Bangla has this form for zero too, for which the
 * texts have none.
 */
const isOne = (/** @type {unknown} */ count) =>
  typeof count === 'number' &&
  count > 0 &&
  cached('plural' + language.value, () => new Intl.PluralRules(language.value)).select(count) ===
    'one'

// Lakh and crore are grouped as in South Asia, by shops there.
const grouping = (/** @type {string} */ currency) =>
  /^(BDT|INR|PKR|NPR|LKR)$/.test(currency) ? 'en-IN' : 'en'

export const number = (/** @type {number} */ n) =>
  digits(cached('number', () => new Intl.NumberFormat('en-IN')).format(n))

/** Returns an amount, with decimals only if there are any: ৳2,410, −৳750. */
export function money(/** @type {Money} */ { amount, currency, formatted }) {
  if (formatted === '') return '–' // hidden from this person
  const decimals = decimalsOf(currency)
  const value = Math.abs(amount) / 10 ** decimals
  const symbol = /^-?[^\d\s-]+\s?/.exec(formatted)?.[0].replace('-', '') ?? currency + ' '
  const shown = Number.isInteger(value) ? 0 : decimals
  const format = cached(
    currency + shown,
    () =>
      new Intl.NumberFormat(grouping(currency), {
        minimumFractionDigits: shown,
        maximumFractionDigits: shown,
      }),
  )
  return (amount < 0 ? '−' : '') + symbol + digits(format.format(value))
}

/**
 * Returns a typed amount, "1,250.50", in minor units; null: nothing is typed; NaN: it is no amount.
 */
export function typedAmount(/** @type {string} */ text, /** @type {string} */ currency) {
  const plain = plainDigits(text).replace(/[,\s৳]/g, '')
  return plain === ''
    ? null
    : /^\d{1,12}(\.\d+)?$/.test(plain)
      ? Math.round(Number(plain) * 10 ** decimalsOf(currency))
      : NaN
}

/** Returns the sign of a currency, such as ৳. */
export const signOf = (/** @type {string} */ currency) =>
  cached(
    'sign' + currency,
    () =>
      new Intl.NumberFormat('en', {
        style: 'currency',
        currency,
        currencyDisplay: 'narrowSymbol',
      })
        .formatToParts(0)
        .find((part) => part.type === 'currency')?.value ?? currency,
  )

/** Returns an amount in minor units as money. @returns {Money} */
export const moneyOf = (/** @type {number} */ amount, /** @type {string} */ currency) => ({
  amount,
  currency,
  formatted: signOf(currency),
})

/** Returns an amount in minor units as it is typed. */
export const majorUnits = (/** @type {Money} */ { amount, currency }) =>
  String(amount / 10 ** decimalsOf(currency))

export const decimalsOf = (/** @type {string} */ currency) =>
  cached(
    'decimals' + currency,
    () =>
      new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
        .maximumFractionDigits ?? 2,
  )

/** Returns the sum of amounts of one currency, or null. The server decides; this is for display. */
export const sum = (/** @type {Money[]} */ amounts) =>
  amounts.length === 0
    ? null
    : {
        ...amounts[0],
        amount: amounts.reduce((total, amount) => total + amount.amount, 0),
      }

const months = {
  en: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
  bn: 'জানু ফেব মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টে অক্টো নভে ডিসে'.split(' '),
}

/** @returns {Record<string, string>} the parts of a time in the shop's zone */
function parts(/** @type {string | number | Date} */ time) {
  const format = cached(
    'parts' + timeZone.value,
    () =>
      new Intl.DateTimeFormat('en-GB', {
        timeZone: timeZone.value,
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      }),
  )
  return Object.fromEntries(format.formatToParts(new Date(time)).map((p) => [p.type, p.value]))
}

const dayText = (
  /** @type {string} */ year,
  /** @type {string} */ month,
  /** @type {string} */ day,
) => {
  const suffix = year === parts(Date.now()).year ? '' : ' ' + year
  return digits(`${Number(day)} ${months[language.value][Number(month) - 1]}${suffix}`)
}

export function date(/** @type {string | number | Date} */ time) {
  const p = parts(time)
  return dayText(p.year, p.month, p.day)
}

/** Returns a day of the shop, "2026-11-22", as it is read. In UTC its noon may be another day. */
export function shopDay(/** @type {string} */ day) {
  const [year, month, date] = day.split('-')
  return dayText(year, month, date)
}

export function clock(/** @type {string | number | Date} */ time) {
  const p = parts(time)
  return digits(
    language.value === 'bn' ? `${Number(p.hour) % 12 || 12}:${p.minute}` : `${p.hour}:${p.minute}`,
  )
}

/**
 * Returns the instant of a day and a time of the shop, "2026-11-22" and "17:00".
 * @returns {Date}
 */
export function instant(/** @type {string} */ day, time = '00:00') {
  const utc = new Date(`${day}T${time}:00Z`)
  if (Number.isNaN(utc.getTime())) return utc
  const shown = new Date(utc.toLocaleString('en-US', { timeZone: timeZone.value }) + ' UTC')
  return new Date(2 * utc.getTime() - shown.getTime())
}

/** Returns the day that is some days after another, "2026-11-22". */
export const addDays = (/** @type {string} */ day, /** @type {number} */ days) =>
  new Date(Date.parse(day + 'T00:00:00Z') + days * 86_400_000).toISOString().slice(0, 10)

/** Returns a day in the shop, by default today, as "2026-11-22". */
export function dayOfShop(/** @type {string | number | Date} */ time = Date.now()) {
  const p = parts(time)
  return [p.year, p.month.padStart(2, '0'), p.day.padStart(2, '0')].join('-')
}

/** Returns a time of day in the shop as it is typed: "17:00". */
export function timeOfShop(/** @type {string | number | Date} */ time) {
  const p = parts(time)
  return `${p.hour}:${p.minute}`
}

const isToday = (/** @type {string | number | Date} */ time) => {
  const p = parts(time),
    now = parts(Date.now())
  return p.year === now.year && p.month === now.month && p.day === now.day
}

const words = texts({
  today: ['today', 'আজ'],
  now: ['just now', 'এইমাত্র'],
  minutes: ['{n} min', '{n} মিনিট'],
  hours: ['{n} h', '{n} ঘণ্টা'],
  ago: ['{age} ago', '{age} আগে'],
})

/**
 * Returns a time with its day: "today 16:38", "21 Nov, 16:38". In Bangla the part of the day comes
 * first.
 */
export function dateTime(/** @type {string | number | Date} */ time) {
  const hour = Number(parts(time).hour)
  const part =
    language.value === 'bn' ? partsOfDay.findLast(([from]) => hour >= from)?.[1] + ' ' : ''
  return isToday(time)
    ? `${words('today')} ${part}${clock(time)}`
    : `${date(time)}, ${part}${clock(time)}`
}

/** @type {[number, string][]} */
const partsOfDay = [
  [0, 'রাত'],
  [4, 'ভোর'],
  [6, 'সকাল'],
  [12, 'দুপুর'],
  [15, 'বিকেল'],
  [18, 'সন্ধ্যা'],
  [20, 'রাত'],
]

/** Returns how long ago a time was, or its day if that is longer than 24 hours. */
export function age(/** @type {string | number | Date} */ time) {
  const minutes = Math.floor((Date.now() - new Date(time).getTime()) / 60000)
  if (minutes < 1) return words('now')
  if (minutes < 60) return words('minutes', { n: minutes })
  return minutes < 24 * 60 ? words('hours', { n: Math.floor(minutes / 60) }) : date(time)
}

/** Returns a time as part of a sentence: "7 min ago", "just now", "21 Nov". */
export function ago(/** @type {string | number | Date} */ time) {
  const minutes = Math.floor((Date.now() - new Date(time).getTime()) / 60000)
  return minutes < 1 || minutes >= 24 * 60 ? age(time) : words('ago', { age: age(time) })
}

/** Returns today as "Sunday, 22 November". */
export const today = () =>
  new Intl.DateTimeFormat(language.value === 'bn' ? 'bn-BD' : 'en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: timeZone.value,
  })
    .format(new Date())
    .replace(/,? ([\d০-৯])/, ', $1')

/** Returns a phone number as people of its country type it: 01819336204. */
export const typedPhone = (/** @type {string} */ e164) => e164.replace(/^\+880(?=1\d{9}$)/, '0')

/** Returns a phone number as people read it: 01819-336 204. */
export function phone(/** @type {string} */ e164) {
  const local = /^\+880(1\d{3})(\d{3})(\d{3})$/.exec(e164)
  return digits(local ? `0${local[1]}-${local[2]} ${local[3]}` : e164)
}

const isBangla = (/** @type {string} */ text) => /[\u0985-\u09b9]/.test(text)

/** Returns the lang attribute of a text, undefined if it is in the page's language. */
export const langOf = (/** @type {string | null | undefined} */ text) => {
  if (!text) return undefined
  const own = isBangla(text) ? 'bn' : 'en'
  return own === language.value ? undefined : own
}

/** The language of a text that is in one other than the page's. @returns {Language | undefined} */
function otherLanguage(/** @type {string} */ text) {
  const [bangla, latin] = [isBangla(text), /[A-Za-z]{2}/.test(text)]
  return language.value === 'en'
    ? bangla && !latin
      ? 'bn'
      : undefined
    : latin && !bangla
      ? 'en'
      : undefined
}

const isText = (/** @type {any} */ child) =>
  typeof child !== 'object' && typeof child !== 'function'

/**
 * Sets the lang attribute of what is in the other language, wherever it stands: a screen reader
 * chooses its voice by it.
 */
function markLanguage(/** @type {{ type: any, props: any }} */ { type, props }) {
  if (typeof type !== 'string' || props.lang) return
  const children = [props.children].flat()
  const lang = children.every(isText) ? otherLanguage(children.join(' ')) : undefined
  if (lang) props.lang = lang
  else if (
    type !== 'option' &&
    children.length > 1 &&
    children.some((child) => typeof child === 'string' && otherLanguage(child))
  ) {
    props.children = children.map((child) =>
      typeof child === 'string' && otherLanguage(child) ? h('span', null, child) : child,
    )
  }
}

const vnodeBefore = options.vnode
options.vnode = (vnode) => {
  markLanguage(vnode)
  vnodeBefore?.(vnode)
}

const diffedBefore = options.diffed
options.diffed = (vnode) => {
  // Preact leaves an empty attribute where it reuses an element, and that means no language
  const element = /** @type {any} */ (vnode).__e
  if (typeof vnode.type === 'string' && element?.getAttribute?.('lang') === '')
    element.removeAttribute('lang')
  diffedBefore?.(vnode)
}

/** Returns a name in the page's language: names can be in both, "Jute Basket — পাটের ঝুড়ি". */
export function name(/** @type {string | null | undefined} */ text) {
  const both = (text ?? '').split(' — ')
  if (both.length !== 2) return text ?? ''
  return both.find((half) => isBangla(half) === (language.value === 'bn')) ?? text ?? ''
}
