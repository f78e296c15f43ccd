// The couriers that a shop can book with.

import { load, save } from '../device.js'

export const couriers = ['courier_a', 'courier_b']

/** The courier that was booked last on this device. */
export const lastCourier = () => load('courier') ?? couriers[0]
export const rememberCourier = (/** @type {string} */ courier) => save('courier', courier)
