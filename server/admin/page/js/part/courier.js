// The couriers that a shop can book with.

import { load, save } from '../device.js'

export const couriers = ['courier_a', 'courier_b']

/** The courier that was booked last on this device. */
export const lastCourier = () => load('courier') ?? couriers[0]
export const rememberCourier = (/** @type {string} */ courier) => save('courier', courier)

/** Returns the field of the form that edits an order, by the name of what a courier refuses; undefined: it has none. */
export const fieldToEdit = (/** @type {string | null} */ name) =>
  (/** @type {Record<string, string>} */ ({ 'customer.phoneNumber': 'phoneNumber', 'customer.name': 'name', shippingAddress: 'line1' }))[name ?? '']
