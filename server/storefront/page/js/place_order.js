import { post } from './api.js'
import * as basket from './basket.js'
import * as session from './session.js'
import { load, save } from './store.js'

/**
 * Places an order once: the same order has the same idempotency key while this tab is open, so that a
 * second click, a reload or a retry after a lost response returns the order that was placed. A changed
 * order gets a new key.
 */
export async function placeOrder(body) {
  const text = JSON.stringify(body)
  let attempt = load('placing', null, sessionStorage)
  if (attempt?.text !== text) {
    attempt = { text, key: newKey() }
    save('placing', attempt, sessionStorage)
  }
  const order = await post('/orders', body, { idempotencyKey: attempt.key })
  // Saved first: it is a guest's only proof.
  session.saveOrderToken(order._id, order.orderToken)
  save('placing', null, sessionStorage)
  basket.clear()
  return order
}

// newKey returns 128 random bits. (crypto.randomUUID exists on https and localhost only.)
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
