// The shop's configuration and collections, for the views that need them. They are requested each
// time: the browser's cache stores the responses and revalidates them by ETag, which costs next to
// nothing, and a change shows at once.

import { get } from './api.js'

/**
 * Returns the configuration of the shop: name, deliveryCharges, supportContact, legalPolicies,
 * paymentMethods.
 */
export const tenant = () => get('/tenant')

/** Returns all collections, in the merchant's order. */
export const collections = async () => (await get('/collections', { limit: -1 })).nodes

/**
 * Converts an amount in major units, such as 1000 taka, to the minor units of the API. The number
 * of decimals is read off a price of the shop: that of the browser's Intl differs for some
 * currencies, such as HUF. Without a product there is no price to compare with.
 */
export async function minorUnits(amount) {
  const { nodes } = await get('/products', { limit: 1 })
  const decimals = nodes[0]?.price.formatted.split('.')[1]?.length ?? 0
  return Math.round(amount * 10 ** decimals)
}
