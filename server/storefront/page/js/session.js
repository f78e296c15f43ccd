// Who is signed in, and which orders a guest placed here.
//
// The access token lies in localStorage, so that a reload keeps the customer signed in. Any script
// of this origin could read it: the page loads none but its own, which its Content-Security-Policy
// holds it to. The server keeps no session; signing out is forgetting the token.

import { load, onChangeElsewhere, save } from './store.js'

const events = new EventTarget()
let current = load('session', null) // {accessToken, user}

export const token = () => current?.accessToken
export const user = () => current?.user ?? null

/** Takes the answer of register, login, OTP verification or a changed password. */
export function signIn({ accessToken, user }) {
  keep({ accessToken, user })
}

/** Takes a changed customer. */
export function update(user) {
  keep({ ...current, user })
}

export function signOut() {
  if (current) keep(null)
}

export const onChange = (callback) => events.addEventListener('change', callback)

function keep(session) {
  current = session
  save('session', session)
  events.dispatchEvent(new Event('change'))
}

onChangeElsewhere('session', () => {
  current = load('session', null)
  events.dispatchEvent(new Event('change'))
})

// The proofs that placing orders returned: with them a guest reads an order whole and pays it.
const maxProofs = 50

/** Remembers the proof of an order that was placed here. */
export function keepOrderToken(orderId, orderToken) {
  const proofs = load('orders', []).filter((proof) => proof.orderId !== orderId)
  save('orders', [{ orderId, orderToken }, ...proofs].slice(0, maxProofs))
}

export const orderToken = (orderId) => load('orders', []).find((proof) => proof.orderId === orderId)?.orderToken
