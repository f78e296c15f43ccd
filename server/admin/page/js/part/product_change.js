// Small changes of a product, from a list. Each is about the product as it is now: what others have
// changed meanwhile stays.

import { act, Problem, send } from '../api.js'
import { money, moneyOf, plainDigits, signOf, typedAmount } from '../i18n.js'
import { session } from '../session.js'
import { explain } from '../strings/problem.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['ProductRecord']} Product */
/** @typedef {Product['variants'][number]} Variant */

/** The currency of the shop. */
export const currency = () => session.value?.shop.currency ?? 'XXX'

/** The sign of the shop's currency. */
export const sign = () => signOf(currency())

/** Returns a typed amount in minor units; null: nothing is typed; NaN: it is no amount. */
export const amountOf = (/** @type {string} */ text) => typedAmount(text, currency())

/** An amount in minor units of the shop's currency, for people. */
export const shownAmount = (/** @type {number} */ amount) => money(moneyOf(amount, currency()))

/** Returns a typed count; null: nothing is typed; NaN: it is no whole number. */
export function countOf(/** @type {string} */ text) {
  const plain = plainDigits(text).replace(/[,\s]/g, '').replace('−', '-')
  return plain === '' ? null : /^-?\d{1,9}$/.test(plain) ? Number(plain) : NaN
}

/** Sets the prices of some variants, in minor units. The others and all else stay. */
export async function setPrices(
  /** @type {Product} */ product,
  /** @type {Record<string, number>} */ prices,
) {
  for (let attempt = 0; ; attempt++) {
    const { data, etag } = await send('GET', 'products/' + product._id)
    const variants = data.variants.map((/** @type {Variant} */ { _id }) =>
      _id in prices ? { _id, price: prices[_id] } : { _id },
    )
    try {
      return await act(
        'products/' + product._id,
        { variants },
        { method: 'PATCH', ifMatch: etag, label: product.title },
      )
    } catch (error) {
      // somebody has changed it in this moment
      if (!(error instanceof Problem) || error.code !== 'changed_meanwhile' || attempt === 2)
        throw error
    }
  }
}

/** Adds units to a variant's stock, or subtracts them: what was sold meanwhile stays subtracted. */
export const adjustStock = (
  /** @type {Variant} */ variant,
  /** @type {number} */ units,
  label = variant.title,
) => act('stock/' + encodeURIComponent(variant._id), { adjust: units }, { label })

/** Runs a change and reports what prevents it. Returns whether it was done. */
export async function attempt(/** @type {() => Promise<any>} */ run) {
  try {
    await run()
    return true
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    showToast(explain(error.errors[0] ?? error), { bad: true })
    return false
  }
}
