// The signed-in customer, and the orders that a guest placed here.
//
// The access token is stored in localStorage, so that the customer stays signed in after a reload.
// Any script of this origin could read it; the Content-Security-Policy allows the page's own
// scripts only. The server has no session: signing out deletes the token.

import { load, onChangeElsewhere, save } from './store.js'

const events = new EventTarget()
let current = load('session', null) // {accessToken, user}

export const token = () => current?.accessToken
export const user = () => current?.user ?? null

/** Stores the response of register, login, OTP verification or a changed password. */
export function signIn({ accessToken, user }) {
  store({ accessToken, user })
}

/** Stores the changed customer. */
export function update(user) {
  store({ ...current, user })
}

export function signOut() {
  if (current) store(null)
}

export const onChange = (callback) => events.addEventListener('change', callback)

function store(session) {
  current = session
  save('session', session)
  events.dispatchEvent(new Event('change'))
}

onChangeElsewhere('session', () => {
  current = load('session', null)
  events.dispatchEvent(new Event('change'))
})

// The order tokens that placing orders returned: with them a guest reads the full order and pays
// it.
const maxTokens = 50

/** Saves the token of an order that was placed here. */
export function saveOrderToken(orderId, orderToken) {
  const tokens = load('orders', []).filter((saved) => saved.orderId !== orderId)
  save('orders', [{ orderId, orderToken }, ...tokens].slice(0, maxTokens))
}

export const orderToken = (orderId) =>
  load('orders', []).find((saved) => saved.orderId === orderId)?.orderToken
