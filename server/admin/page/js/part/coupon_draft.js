// What the form of a coupon contains, and what of it is a change.

import { addDays, dayOfShop, instant, majorUnits, plainDigits, timeOfShop } from '../i18n.js'
import { t } from '../strings/coupons.js'
import { benefit, bounds, isForNothing } from './coupon_words.js'
import { amountOf, countOf, currency } from './product_change.js'

/** @typedef {import('./coupon_words.js').Coupon} Coupon */
/** @typedef {import('./coupon_words.js').Rules} Rules */
/**
 * @typedef {{ automatic: boolean, title: string, buy: string, get: string, isGotScoped: boolean,
 *   getCollections: string[], getProducts: string[], code: string, kind: Coupon['kind'], percent:
 *   string, amount: string, maxDiscount: string, minSubtotal: string, isScoped: boolean,
 *   collections: string[], products: string[], startDay: string, startTime: string, endDay: string,
 *   endTime: string, usageLimit: string, customerLimit: string, requiresLogin: boolean, active:
 *   boolean }} Draft
 */

/** @type {Draft} */
export const emptyDraft = {
  automatic: false,
  title: '',
  buy: '2',
  get: '1',
  isGotScoped: false,
  getCollections: [],
  getProducts: [],
  code: '',
  kind: 'percentage',
  percent: '10',
  amount: '',
  maxDiscount: '',
  minSubtotal: '',
  isScoped: false,
  collections: [],
  products: [],
  startDay: '',
  startTime: '',
  endDay: '',
  endTime: '',
  usageLimit: '',
  customerLimit: '',
  requiresLogin: false,
  active: true,
}

const amountText = (/** @type {number | null} */ amount) =>
  amount === null ? '' : majorUnits({ amount, currency: currency(), formatted: '' })
const typedCount = (/** @type {number | null} */ count) => (count === null ? '' : String(count))

/** Returns the form of a coupon. @returns {Draft} */
export function draftOf(/** @type {Coupon} */ coupon) {
  const { startsAt: from, endsAt: to } = coupon
  const isWhole = to !== null && timeOfShop(to) === '00:00' // until the end of the day before
  return {
    automatic: coupon.code === '',
    title: coupon.title,
    buy: typedCount(coupon.buyQuantity ?? 2),
    get: typedCount(coupon.getQuantity ?? 1),
    isGotScoped: coupon.getScoped,
    getCollections: coupon.getCollectionIds,
    getProducts: coupon.getProductIds,
    code: coupon.code,
    kind: coupon.kind,
    percent: coupon.basisPoints === null ? '' : String(coupon.basisPoints / 100),
    amount: amountText(coupon.amount),
    maxDiscount: amountText(coupon.maxDiscount),
    minSubtotal: amountText(coupon.minSubtotal),
    isScoped: coupon.scoped,
    collections: coupon.collectionIds,
    products: coupon.productIds,
    startDay: from ? dayOfShop(from) : '',
    startTime: from && timeOfShop(from) !== '00:00' ? timeOfShop(from) : '',
    endDay: to ? (isWhole ? addDays(dayOfShop(to), -1) : dayOfShop(to)) : '',
    endTime: to && !isWhole ? timeOfShop(to) : '',
    usageLimit: typedCount(coupon.usageLimit),
    customerLimit: typedCount(coupon.customerLimit),
    requiresLogin: coupon.requiresLogin,
    active: coupon.active,
  }
}

const percentOf = (/** @type {string} */ text) => {
  const plain = plainDigits(text).replace(',', '.').replace(/[%\s]/g, '')
  return /^\d{1,3}(\.\d{1,2})?$/.test(plain) ? Math.round(Number(plain) * 100) : NaN
}

/** Returns the rules of the form. An invalid amount is NaN. @returns {Rules} */
export const rulesOf = (/** @type {Draft} */ d) => ({
  kind: d.kind,
  basisPoints: d.kind === 'percentage' || d.kind === 'buy_get' ? percentOf(d.percent) : null,
  amount: d.kind === 'fixed' ? amountOf(d.amount) : null,
  maxDiscount: d.kind === 'percentage' ? amountOf(d.maxDiscount) : null,
  minSubtotal: amountOf(d.minSubtotal),
  startsAt: d.startDay ? instant(d.startDay, d.startTime || '00:00').toISOString() : null,
  endsAt: d.endDay
    ? (d.endTime ? instant(d.endDay, d.endTime) : instant(addDays(d.endDay, 1))).toISOString()
    : null,
  usageLimit: countOf(d.usageLimit),
  customerLimit: countOf(d.customerLimit),
  requiresLogin: d.requiresLogin,
  scoped: d.isScoped,
  collectionIds: d.isScoped ? d.collections : [],
  productIds: d.isScoped ? d.products : [],
  buyQuantity: d.kind === 'buy_get' ? (countOf(d.buy) ?? NaN) : null,
  getQuantity: d.kind === 'buy_get' ? (countOf(d.get) ?? NaN) : null,
  getScoped: d.kind === 'buy_get' && d.isGotScoped,
  getCollectionIds: d.kind === 'buy_get' && d.isGotScoped ? d.getCollections : [],
  getProductIds: d.kind === 'buy_get' && d.isGotScoped ? d.getProducts : [],
})

/** Whether the discount is complete, so that it can be put into words. */
export const isComplete = (/** @type {Rules} */ rules) =>
  Object.values(rules).every((value) => !Number.isNaN(value)) &&
  (rules.basisPoints === null || rules.basisPoints > 0) &&
  (rules.kind !== 'buy_get' || (Number(rules.buyQuantity) > 0 && Number(rules.getQuantity) > 0)) &&
  (rules.kind !== 'fixed' || Number(rules.amount) > 0)

/** Returns what is wrong with the form, by field, before anything is sent. */
export function faultsOf(/** @type {Draft} */ d, /** @type {Draft | null} */ base) {
  /** @type {Record<string, string>} */
  const errors = {}
  const rules = rulesOf(d)
  if (d.automatic && d.title.trim() === '') errors.title = t('noTitle')
  if (!d.automatic && d.code.trim() === '') errors.code = t('noCode')
  for (const field of /** @type {const} */ (['buyQuantity', 'getQuantity'])) {
    const units = rules[field]
    if (units !== null && !(units > 0 && units <= 100)) errors[field] = t('noUnits')
  }
  if (rules.getScoped && rules.getCollectionIds.length + rules.getProductIds.length === 0)
    errors.getCollectionIds = t('noScope')
  if (rules.basisPoints !== null && !(rules.basisPoints > 0 && rules.basisPoints <= 10_000))
    errors.basisPoints = t('noPercent')
  if (d.kind === 'fixed' && !(Number(rules.amount) > 0)) errors.amount = t('noAmount')
  for (const field of /** @type {const} */ (['maxDiscount', 'minSubtotal'])) {
    if (rules[field] !== null && !(Number(rules[field]) > 0)) errors[field] = t('noAmount')
  }
  for (const field of /** @type {const} */ (['usageLimit', 'customerLimit'])) {
    if (rules[field] !== null && !(Number(rules[field]) > 0)) errors[field] = t('noCount')
  }
  if (isForNothing(rules) && !(base && isForNothing(rulesOf(base))))
    errors.collectionIds = t('noScope')
  if (rules.startsAt && rules.endsAt && rules.startsAt >= rules.endsAt)
    errors.endsAt = t('endBefore')
  return errors
}

/**
 * What is compared and sent as one.
 * @type {Record<string, { label: () => string, show: (d: Draft) => string, fields: (keyof Rules)[]
 *   }>}
 */
export const parts = {
  code: {
    label: () => `${t('code')}, ${t('title')}`,
    show: (d) => (d.automatic ? d.title : d.code),
    fields: [],
  },
  discount: {
    label: () => t('kind'),
    show: (d) =>
      isComplete(rulesOf(d))
        ? benefit({
            ...rulesOf(d),
            collectionIds: [],
            productIds: [],
            scoped: false,
            getCollectionIds: [],
            getProductIds: [],
          })
        : '',
    fields: [
      'kind',
      'basisPoints',
      'amount',
      'maxDiscount',
      'minSubtotal',
      'buyQuantity',
      'getQuantity',
    ],
  },
  got: {
    label: () => t('gotScope'),
    fields: ['getCollectionIds', 'getProductIds'],
    show: (d) =>
      d.isGotScoped
        ? [
            t('collectionCount', { count: d.getCollections.length }),
            t('productCount', { count: d.getProducts.length }),
          ].join(', ')
        : t('gotScope_all'),
  },
  scope: {
    label: () => t('scope'),
    fields: ['collectionIds', 'productIds'],
    show: (d) =>
      d.isScoped
        ? [
            t('collectionCount', { count: d.collections.length }),
            t('productCount', { count: d.products.length }),
          ].join(', ')
        : t('scope_all'),
  },
  bounds: {
    label: () => `${t('when')}, ${t('limits')}`,
    show: (d) => bounds(rulesOf(d)),
    fields: ['startsAt', 'endsAt', 'usageLimit', 'customerLimit', 'requiresLogin'],
  },
  active: { label: () => t('active'), show: (d) => t(d.active ? 'on' : 'off'), fields: [] },
}

const valueOf = (/** @type {Draft} */ d, /** @type {string} */ part) => {
  const rules = rulesOf(d)
  return JSON.stringify(
    part === 'code'
      ? [d.automatic, (d.automatic ? d.title : d.code).trim()]
      : part === 'active'
        ? d.active
        : [
            part === 'scope' && d.isScoped,
            ...parts[part].fields.map((field) => (Number.isNaN(rules[field]) ? '?' : rules[field])),
          ],
  )
}

/** Returns the parts in which two forms differ. */
export const differences = (/** @type {Draft} */ a, /** @type {Draft} */ b) =>
  Object.keys(parts).filter((part) => valueOf(a, part) !== valueOf(b, part))

/** The fields of the form in each part. @type {Record<string, (keyof Draft)[]>} */
const formFields = {
  code: ['automatic', 'code', 'title'],
  discount: ['kind', 'percent', 'amount', 'maxDiscount', 'minSubtotal', 'buy', 'get'],
  got: ['isGotScoped', 'getCollections', 'getProducts'],
  scope: ['isScoped', 'collections', 'products'],
  bounds: [
    'startDay',
    'startTime',
    'endDay',
    'endTime',
    'usageLimit',
    'customerLimit',
    'requiresLogin',
  ],
  active: ['active'],
}

/** Returns the form with some parts of another. */
export const merge = (
  /** @type {Draft} */ draft,
  /** @type {Draft} */ other,
  /** @type {string[]} */ chosen,
) =>
  /** @type {Draft} */ ({
    ...draft,
    ...Object.fromEntries(
      chosen.flatMap((part) => formFields[part]).map((field) => [field, other[field]]),
    ),
  })

/** Returns the body of a change of those parts, or with all of them of a new coupon. */
export function bodyOf(/** @type {Draft} */ d, /** @type {string[]} */ changed, isNew = false) {
  const rules = rulesOf(d)
  /** @type {any} */
  const body = {}
  if (changed.includes('code')) {
    if (d.automatic) body.title = d.title.trim()
    else body.code = d.code.trim()
  }
  if (changed.includes('active')) body.active = d.active
  for (const part of changed) {
    for (const field of parts[part].fields)
      if (!isNew || rules[field] !== null) body[field] = rules[field]
  }
  return body
}
