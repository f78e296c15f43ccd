// The rules of a coupon in words, and their effect on a basket.

import {
  addDays,
  date,
  dateTime,
  dayOfShop,
  instant,
  money,
  moneyOf,
  name,
  number,
  timeOfShop,
} from '../i18n.js'
import { currency } from './product_change.js'
import { t } from '../strings/coupons.js'

/** @typedef {import('../api.js').Schemas['Coupon']} Coupon */
/**
 * @typedef {Pick<Coupon, 'kind' | 'basisPoints' | 'amount' | 'maxDiscount' | 'minSubtotal' |
 *   'startsAt' | 'endsAt' | 'usageLimit' | 'customerLimit' | 'collectionIds' | 'productIds' |
 *   'requiresLogin' | 'scoped' | 'buyQuantity' | 'getQuantity' | 'getCollectionIds' |
 *   'getProductIds' | 'getScoped'>} Rules
 */

const shown = (/** @type {number} */ amount) => money(moneyOf(amount, currency()))

/** Returns whether a coupon is for products that were deleted, and so for none. */
export const isForNothing = (
  /** @type {Pick<Rules, 'scoped' | 'collectionIds' | 'productIds'>} */ rules,
) => rules.scoped && rules.collectionIds.length + rules.productIds.length === 0

/** Returns the code of a coupon, or the title of an automatic discount. */
export const labelOf = (/** @type {Pick<Coupon, 'code' | 'title'>} */ coupon) =>
  coupon.code || name(coupon.title)

/** Returns what the sets of a discount are, such as buy 2, get 1 free. */
const sets = (/** @type {Rules} */ rules) => {
  const values = {
    buy: Number(rules.buyQuantity),
    get: Number(rules.getQuantity),
    percent: number(Number(rules.basisPoints) / 100),
  }
  return rules.basisPoints === 10_000 ? t('getFree', values) : t('getLess', values)
}

const namesOf = (/** @type {string[]} */ collections, /** @type {string[]} */ products) =>
  [
    collections.length > 0 && t('collectionCount', { count: collections.length }),
    products.length > 0 && t('productCount', { count: products.length }),
  ]
    .filter(Boolean)
    .join(', ')

/** Returns the discount and what it is for, as one sentence without its full stop. */
export function benefit(/** @type {Rules} */ rules) {
  const what =
    rules.kind === 'percentage'
      ? t('percentOff', { percent: number(Number(rules.basisPoints) / 100) })
      : rules.kind === 'fixed'
        ? t('amountOff', { amount: shown(Number(rules.amount)) })
        : rules.kind === 'buy_get'
          ? sets(rules)
          : t('freeDelivery')
  const names = namesOf(rules.collectionIds, rules.productIds)
  const got = namesOf(rules.getCollectionIds, rules.getProductIds)
  return [
    what,
    rules.maxDiscount && t('atMost', { amount: shown(rules.maxDiscount) }),
    rules.minSubtotal && t('from', { amount: shown(rules.minSubtotal) }),
    names ? t('forSome', { names }) : isForNothing(rules) && t('forNothing'),
    got && t('gotOf', { names: got }),
  ]
    .filter(Boolean)
    .join(', ')
}

const startOf = (/** @type {string} */ at) => (timeOfShop(at) === '00:00' ? date(at) : dateTime(at))

/** Returns the end of a coupon for people: one at midnight is valid for the whole day before. */
const endOf = (/** @type {string} */ at) =>
  timeOfShop(at) === '00:00' ? date(instant(addDays(dayOfShop(at), -1), '12:00')) : dateTime(at)

/** Returns the dates and limits as sentences, '' if there are none. */
export function bounds(/** @type {Rules} */ rules) {
  const { startsAt: from, endsAt: to } = rules
  const when =
    from && to
      ? t('between', { from: startOf(from), to: endOf(to) })
      : from
        ? t('starting', { from: startOf(from) })
        : to
          ? t('ending', { to: endOf(to) })
          : ''
  return [
    when,
    rules.customerLimit && t('perBuyer', { count: rules.customerLimit }),
    rules.usageLimit && t('inAll', { count: rules.usageLimit }),
    rules.requiresLogin && t('signedIn'),
  ]
    .filter(Boolean)
    .join(' ')
}

/** Returns the state of a coupon and the tone of its mark. @returns {[string, string]} */
export function stateOf(/** @type {Coupon} */ coupon) {
  const now = Date.now()
  if (!coupon.active) return ['off', 'off']
  if (coupon.endsAt && Date.parse(coupon.endsAt) <= now) return ['ended', 'off']
  if (coupon.usageLimit !== null && coupon.used >= coupon.usageLimit) return ['usedUp', 'off']
  if (isForNothing(coupon)) return ['nothing', 'bad']
  return coupon.startsAt && Date.parse(coupon.startsAt) > now
    ? ['planned', 'wait']
    : ['active', 'done']
}

/** Returns how often and for how much a coupon was used. */
export const useOf = (/** @type {Coupon} */ coupon, /** @type {(at: string) => string} */ ago) =>
  coupon.used === 0 && coupon.usageLimit === null
    ? t('neverUsed')
    : [
        coupon.usageLimit === null
          ? t('uses', { count: coupon.used })
          : t('usesOf', { used: coupon.used, limit: coupon.usageLimit }),
        coupon.discountGiven > 0 && t('given', { amount: shown(coupon.discountGiven) }),
        coupon.lastUsedAt && t('lastUsed', { age: ago(coupon.lastUsedAt) }),
      ]
        .filter(Boolean)
        .join(' · ')

/**
 * Returns the discount on a basket of products of the coupon, in minor units, as the server
 * computes it. null: the basket is too small.
 */
export function discountOn(/** @type {Rules} */ rules, /** @type {number} */ basket) {
  if (rules.minSubtotal !== null && basket < rules.minSubtotal) return null
  if (rules.kind === 'fixed') return Math.min(Number(rules.amount), basket)
  if (rules.kind === 'free_delivery') return 0
  const share = Number((BigInt(basket) * BigInt(Number(rules.basisPoints))) / 10_000n)
  return rules.maxDiscount === null ? share : Math.min(share, rules.maxDiscount)
}

/** Returns the effect on a basket as a sentence. */
export function effect(/** @type {Rules} */ rules, /** @type {number} */ basket) {
  const discount = discountOn(rules, basket)
  if (discount === null)
    return t('resultLess', { missing: shown(Number(rules.minSubtotal) - basket) })
  return rules.kind === 'free_delivery'
    ? t('resultFree', { before: shown(basket) })
    : t('result', {
        before: shown(basket),
        after: shown(basket - discount),
        amount: shown(discount),
      })
}
