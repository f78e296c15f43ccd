// The shop's configuration and its collections, for whichever view needs them. They are asked for
// again each time: the browser's cache holds the answers and asks by ETag whether they still hold,
// which costs next to nothing, and a change shows at once.

import { get } from './api.js'

/** The configuration of the shop: name, deliveryCharges, supportContact, legalPolicies, paymentMethods. */
export const tenant = () => get('/tenant')

/** All collections, in the merchant's order. */
export const collections = async () => (await get('/collections', { limit: -1 })).nodes
