// The rules of a coupon in words, and their effect on a basket.

import {
  addDays,
  date,
  dateTime,
  dayOfShop,
  instant,
  money,
  moneyOf,
  number,
  timeOfShop,
} from '../i18n.js'
import { currency } from './product_change.js'
import { t } from '../strings/coupons.js'

/** @typedef {import('../api.js').Schemas['Coupon']} Coupon */
/**
 * @typedef {Pick<Coupon, 'kind' | 'basisPoints' | 'amount' | 'maxDiscount' | 'minSubtotal' |
 *   'startsAt' | 'endsAt' | 'usageLimit' | 'customerLimit' | 'collectionIds' | 'productIds' |
 *   'requiresLogin' | 'scoped'>} Rules
 */

const shown = (/** @type {number} */ amount) => money(moneyOf(amount, currency()))

/** Returns whether a coupon is for products that were deleted, and so for none. */
export const isForNothing = (
  /** @type {Pick<Rules, 'scoped' | 'collectionIds' | 'productIds'>} */ one,
) => one.scoped && one.collectionIds.length + one.productIds.length === 0

/** Returns the discount and what it is for, as one sentence without its full stop. */
export function benefit(/** @type {Rules} */ one) {
  const what =
    one.kind === 'percentage'
      ? t('percentOff', { percent: number(Number(one.basisPoints) / 100) })
      : one.kind === 'fixed'
        ? t('amountOff', { amount: shown(Number(one.amount)) })
        : t('freeDelivery')
  const names = [
    one.collectionIds.length > 0 && t('collectionCount', { count: one.collectionIds.length }),
    one.productIds.length > 0 && t('productCount', { count: one.productIds.length }),
  ]
    .filter(Boolean)
    .join(', ')
  return [
    what,
    one.maxDiscount && t('atMost', { amount: shown(one.maxDiscount) }),
    one.minSubtotal && t('from', { amount: shown(one.minSubtotal) }),
    names ? t('forSome', { names }) : isForNothing(one) && t('forNothing'),
  ]
    .filter(Boolean)
    .join(', ')
}

const startOf = (/** @type {string} */ at) => (timeOfShop(at) === '00:00' ? date(at) : dateTime(at))

/** Returns the end of a coupon for people: one at midnight is valid for the whole day before. */
const endOf = (/** @type {string} */ at) =>
  timeOfShop(at) === '00:00' ? date(instant(addDays(dayOfShop(at), -1), '12:00')) : dateTime(at)

/** Returns the dates and limits as sentences, '' if there are none. */
export function bounds(/** @type {Rules} */ one) {
  const { startsAt: from, endsAt: to } = one
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
    one.customerLimit && t('perBuyer', { count: one.customerLimit }),
    one.usageLimit && t('inAll', { count: one.usageLimit }),
    one.requiresLogin && t('signedIn'),
  ]
    .filter(Boolean)
    .join(' ')
}

/** Returns the state of a coupon and the tone of its mark. @returns {[string, string]} */
export function stateOf(/** @type {Coupon} */ one) {
  const now = Date.now()
  if (!one.active) return ['off', 'off']
  if (one.endsAt && Date.parse(one.endsAt) <= now) return ['ended', 'off']
  if (one.usageLimit !== null && one.used >= one.usageLimit) return ['usedUp', 'off']
  if (isForNothing(one)) return ['nothing', 'bad']
  return one.startsAt && Date.parse(one.startsAt) > now ? ['planned', 'wait'] : ['active', 'done']
}

/** Returns how often and for how much a coupon was used. */
export const useOf = (/** @type {Coupon} */ one, /** @type {(at: string) => string} */ ago) =>
  one.used === 0 && one.usageLimit === null
    ? t('neverUsed')
    : [
        one.usageLimit === null
          ? t('uses', { count: one.used })
          : t('usesOf', { used: one.used, limit: one.usageLimit }),
        one.discountGiven > 0 && t('given', { amount: shown(one.discountGiven) }),
        one.lastUsedAt && t('lastUsed', { age: ago(one.lastUsedAt) }),
      ]
        .filter(Boolean)
        .join(' · ')

/**
 * Returns the discount on a basket of products of the coupon, in minor units, as the server
 * computes it. null: the basket is too small.
 */
export function discountOn(/** @type {Rules} */ one, /** @type {number} */ basket) {
  if (one.minSubtotal !== null && basket < one.minSubtotal) return null
  if (one.kind === 'fixed') return Math.min(Number(one.amount), basket)
  if (one.kind === 'free_delivery') return 0
  const share = Number((BigInt(basket) * BigInt(Number(one.basisPoints))) / 10_000n)
  return one.maxDiscount === null ? share : Math.min(share, one.maxDiscount)
}

/** Returns the effect on a basket as a sentence. */
export function effect(/** @type {Rules} */ one, /** @type {number} */ basket) {
  const discount = discountOn(one, basket)
  if (discount === null)
    return t('resultLess', { missing: shown(Number(one.minSubtotal) - basket) })
  return one.kind === 'free_delivery'
    ? t('resultFree', { before: shown(basket) })
    : t('result', {
        before: shown(basket),
        after: shown(basket - discount),
        amount: shown(discount),
      })
}
