// The page in two languages. Its texts are in strings.js; dates and numbers are formatted by the
// browser, amounts by the API.

import { load, save } from './store.js'
import { apiTexts, fieldTexts, strings } from './strings.js'

const languages = ['en', 'bn']
let current = load('language', navigator.language?.startsWith('bn') ? 'bn' : 'en')
if (!languages.includes(current)) current = 'en'
document.documentElement.lang = current

export const language = () => current

export function setLanguage(to) {
  current = to
  save('language', to)
  document.documentElement.lang = to
}

/**
 * Returns the text for a key with the {placeholders} filled in. Numbers are in the language's
 * digits. If count is 1, the text under key + '_one' is used if it exists.
 */
export function t(key, values = {}) {
  const words = (values.count === 1 && strings[key + '_one']) || strings[key]
  return words[languages.indexOf(current)].replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name]
    return typeof value === 'number' ? digits(String(value)) : value
  })
}

/** Returns an English text of the API in the page's language: by its code, otherwise unchanged. */
export const apiText = (code, text) => (current === 'bn' && apiTexts[code]) || text

/**
 * Returns what to enter into a field of a form: the API's message, which is English, or the page's
 * own text for the code and the last name of the field's path.
 */
export function advice(field, code, text) {
  const own = fieldTexts[code]?.[field.split('.').pop()]
  if (code === 'required' && own) return own[languages.indexOf(current)]
  return (current === 'bn' && own?.[1]) || apiText(code, text)
}

/** Returns the text of a problem. In English that of the API, which includes figures. */
export function explain(problem) {
  const { missing } = problem.details ?? {}
  if (problem.code === 'coupon_min_subtotal' && missing)
    return t('couponNeedsMore', { amount: money(missing) })
  return apiText(problem.code, problem.message ?? '')
}

/** Converts digits to those of the language. */
export const digits = (text) =>
  current === 'bn' ? text.replace(/\d/g, (d) => '০১২৩৪৫৬৭৮৯'[d]) : text

/** Returns an amount as the API formatted it, with decimals only if there are any. */
export const money = ({ formatted }) => digits(formatted.replace(/\.0+$/, ''))

const locale = () => (current === 'bn' ? 'bn-BD' : 'en-GB')

export const number = (n) => new Intl.NumberFormat(locale()).format(n)

export const date = (time) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(new Date(time))

export const dateTime = (time) => {
  const at = new Date(time)
  if (current === 'en')
    return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(at)
  const part = partsOfDay.findLast(([from]) => at.getHours() >= from)[1]
  const clock = `${at.getHours() % 12 || 12}:${String(at.getMinutes()).padStart(2, '0')}`
  return `${date(time)}, ${part} ${digits(clock)}`
}

// In Bangla the part of the day is said before the hour, where browsers write AM or PM after it.
const partsOfDay = [
  [0, 'রাত'],
  [4, 'ভোর'],
  [6, 'সকাল'],
  [12, 'দুপুর'],
  [15, 'বিকেল'],
  [18, 'সন্ধ্যা'],
  [20, 'রাত'],
]

/**
 * Returns a name in the page's language. Names of the demo shop are in both, "Jute Basket — পাটের
 * ঝুড়ি"; a name in one language is returned unchanged.
 */
export function name(text) {
  const parts = (text ?? '').split(' — ')
  if (parts.length !== 2) return text ?? ''
  return parts.find((part) => isBangla(part) === (current === 'bn')) ?? text
}

/** Returns the name in the other language, or an empty string. */
export function otherName(text) {
  const parts = (text ?? '').split(' — ')
  return parts.length === 2 ? parts.find((part) => part !== name(text)) : ''
}

const isBangla = (text) => /[\u0980-\u09ff]/.test(text)

/** Returns the lang attribute of a text, or null if it is in the page's language. */
export const langOf = (text) => {
  const own = isBangla(text) ? 'bn' : 'en'
  return own === current ? null : own
}
