// The page in two languages. What the shop's own words are is in strings.js; dates, numbers and
// plurals come from the browser, amounts from the API.

import { load, save } from './store.js'
import { apiWords, strings } from './strings.js'

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
 * Gives the words for a key, with what stands in {braces} filled in. Numbers come in the language's
 * digits, and a {count} of one has words of its own where the table has them.
 */
export function t(key, values = {}) {
  const words = (values.count === 1 && strings[key + '_one']) || strings[key]
  return words[languages.indexOf(current)].replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name]
    return typeof value === 'number' ? digits(String(value)) : value
  })
}

/**
 * Gives what the API says in its English in the reader's language: by its code, which is part of the
 * contract, or else as it came.
 */
export const said = (code, text) => (current === 'bn' && apiWords[code]) || text

/** Gives a problem's words. In English the API's own are best: they name figures. */
export function explain(problem) {
  const { missing } = problem.details ?? {}
  if (problem.code === 'coupon_min_subtotal' && missing) return t('couponNeedsMore', { amount: money(missing) })
  return said(problem.code, problem.message ?? '')
}

/** Writes digits as the language does. */
export const digits = (text) => (current === 'bn' ? text.replace(/\d/g, (d) => '০১২৩৪৫৬৭৮৯'[d]) : text)

/** Gives an amount as the shop writes it: a storefront never reckons with money. */
export const money = (amount) => digits(amount.formatted)

const locale = () => (current === 'bn' ? 'bn-BD' : 'en-GB')

export const number = (n) => new Intl.NumberFormat(locale()).format(n)

export const date = (time) => new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(new Date(time))

export const dateTime = (time) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time))

/**
 * Gives a name in the reader's language. The demo shop writes names in both, "Jute Basket — পাটের ঝুড়ি";
 * what is in one language only stays as it is.
 */
export function name(text) {
  const parts = (text ?? '').split(' — ')
  if (parts.length !== 2) return text ?? ''
  return parts.find((part) => isBangla(part) === (current === 'bn')) ?? text
}

/** Gives the same name in the other language, or nothing. */
export function otherName(text) {
  const parts = (text ?? '').split(' — ')
  return parts.length === 2 ? parts.find((part) => part !== name(text)) : ''
}

const isBangla = (text) => /[\u0980-\u09ff]/.test(text)

/** Gives the lang attribute for a text that may be in another language than the page, or null. */
export const langOf = (text) => {
  const own = isBangla(text) ? 'bn' : 'en'
  return own === current ? null : own
}
