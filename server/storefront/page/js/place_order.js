import { post } from './api.js'
import * as basket from './basket.js'
import * as session from './session.js'
import { load, save } from './store.js'
import * as unpaid from './unpaid.js'

/**
 * Places an order once: the same order has the same idempotency key while this tab is open, so that
 * a second click, a reload or a retry after a lost response returns the order that was placed. A
 * changed order gets a new key. An order that awaits payment is replaced by the next one.
 */
export async function placeOrder({ replacesOrderId, ...body }) {
  const text = JSON.stringify(body)
  let attempt = load('placing', null, sessionStorage)
  // After a lost response the order to replace may be replaced already: it is named again.
  if (attempt?.text !== text || (replacesOrderId && attempt.replacesOrderId !== replacesOrderId)) {
    attempt = { text, replacesOrderId, key: newKey() }
    save('placing', attempt, sessionStorage)
  }
  const order = await post(
    '/orders',
    { ...body, replacesOrderId: attempt.replacesOrderId },
    {
      idempotencyKey: attempt.key,
      orderToken: session.orderToken(attempt.replacesOrderId),
    },
  )
  // Saved first: it is a guest's only proof.
  session.saveOrderToken(order._id, order.orderToken)
  clearAttempt()
  unpaid.forget()
  unpaid.remember(order)
  basket.clear()
  return order
}

/** Clears an attempt that failed for certain, so that the next one has its own key. */
export const clearAttempt = () => save('placing', null, sessionStorage)

// newKey returns 128 random bits. (crypto.randomUUID exists on https and localhost only.)
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
