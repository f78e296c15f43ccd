import { post } from './api.js'
import * as basket from './basket.js'
import * as session from './session.js'
import { load, save } from './store.js'

/**
 * Places an order, once: the same order carries the same idempotency key for as long as this tab is
 * open. So a second click, a reload, or trying again after a lost answer gives the order that was
 * placed already, not a second one. What makes it another order makes another key.
 */
export async function placeOrder(body) {
  const text = JSON.stringify(body)
  let attempt = load('placing', null, sessionStorage)
  if (attempt?.text !== text) {
    attempt = { text, key: newKey() }
    save('placing', attempt, sessionStorage)
  }
  const order = await post('/orders', body, { idempotencyKey: attempt.key })
  // Kept before anything else happens: it is a guest's only proof.
  session.keepOrderToken(order._id, order.orderToken)
  save('placing', null, sessionStorage)
  basket.clear()
  return order
}

// newKey gives 128 random bits. (crypto.randomUUID is there only on https and on this machine.)
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
