// The number at the bell: what happened since the person last looked. Events of the stream load it
// again.

import { effect, signal } from './html.js'
import { act, get, Problem } from './api.js'
import { touched } from './live.js'
import { session } from './session.js'

export const unseen = signal(0)

/** The server counts no more. */
export const maxUnseen = 30

let timer = 0

async function load() {
  if (!session.value) return
  try {
    unseen.value = (await get('notifications/recent', {}, { recover: false })).unseen
  } catch (error) {
    if (!(error instanceof Problem)) throw error
  }
}

/** Records that everything until an event was seen. */
export async function markSeen(/** @type {number} */ seq) {
  await act('notifications/seen', { seq }, { method: 'PUT' })
  unseen.value = 0
}

effect(() => {
  const of = session.value?.staffMember._id
  const event = touched.value
  clearTimeout(timer)
  if (of)
    timer = setTimeout(load, event ? 1000 : 3000) // several events are often one action
  else unseen.value = 0
})
