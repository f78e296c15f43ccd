// The order whose payment the buyer abandoned. It holds its items and its coupon for a while: an
// order that names it in replacesOrderId cancels it and receives both.

import { get } from './api.js'
import * as basket from './basket.js'
import * as session from './session.js'
import { load, save } from './store.js'

/** Reports whether an order awaits payment, and a new attempt can be started. */
export const isOpen = (order) =>
  order.status === 'pending_payment' && ['unpaid', 'pending'].includes(order.paymentStatus)

/** Saves an order that awaits payment, so that the next checkout replaces it. */
export const remember = (order) => isOpen(order) && save('unpaid', order._id)

/** The next checkout replaces no order. */
export const forget = () => save('unpaid', null)

/** Returns the saved order if it still awaits payment, otherwise null. */
export async function find(signal) {
  const id = load('unpaid', null)
  if (!id) return null
  try {
    const order = await get(
      '/orders/' + encodeURIComponent(id),
      {},
      { signal, orderToken: session.orderToken(id) },
    )
    // Others than its buyer see the city only, and cannot replace it.
    if (isOpen(order) && order.shippingAddress.line1) return order
  } catch (error) {
    if (error.code !== 'not_found') return null // for now: the checkout works without it
  }
  forget()
  return null
}

/** Puts the items of an order back into the basket, and its data into the checkout. */
export async function change(order) {
  const products = await Promise.all(
    order.items.map(({ productId }) => get('/products/' + productId).catch(() => null)),
  )
  order.items.forEach(({ variantId, quantity }, i) => {
    const variant = products[i]?.variants.find((v) => v._id === variantId)
    if (variant && !basket.all().some((line) => line.variantId === variantId))
      basket.add(products[i], variant, quantity)
  })
  const { customer, shippingAddress, note, coupon, payment } = order
  save(
    'checkout',
    {
      customer,
      shippingAddress,
      note: note ?? '',
      couponCode: coupon?.code,
      paymentMethod: payment.method,
    },
    sessionStorage,
  )
  remember(order)
}
