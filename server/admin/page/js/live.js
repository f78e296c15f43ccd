// What changes by itself: the counts of the views, and new orders with a sound and a count in the
// title. A stream of events reports them; while there is none, the page polls.

import { computed, effect, signal } from './html.js'
import { get, Problem } from './api.js'
import { load, save } from './device.js'
import { can, session } from './session.js'
import { changed } from './resource.js'
import { shopUID } from './router.js'

/** How many orders each view has, once it is known. */
export const counts = signal(/** @type {Record<string, number>} */ ({}))

/** Orders that arrived since the list was last shown from the top. */
export const fresh = signal(0)

/** The orders that the list shows: one that arrived while it was loaded is not new to it. */
export const inSight = { ids: /** @type {string[]} */ ([]) }

/** What has just happened to an order, and who did it. */
export const touched = signal(
  /** @type {{ subject: string, actor: string, status?: string } | null} */ (null),
)

/** Why the counts could not be loaded. */
export const countsProblem = signal(/** @type {Problem | null} */ (null))

export const count = (/** @type {string} */ view) => counts.value[view] ?? 0

/** @typedef {'off' | 'on' | 'seen'} Sound */

/**
 * Whether a sound announces new orders: never, once, or again and again until somebody has seen
 * them.
 */
export const sound = signal(/** @type {Sound} */ (load('sound') ?? 'off'))

export function setSound(/** @type {Sound} */ to) {
  sound.value = to
  save('sound', to === 'off' ? null : to)
  if (to === 'off') seen()
  else play()
}

/** Whether the sound is repeated, because nobody has seen the new orders. */
export const ringing = signal(false)

/** Whether the browser plays no sound before somebody touches the page. */
export const muted = signal(false)

const ringEvery = 12_000
let ringTimer = 0

function announce() {
  if (sound.value === 'off') return
  play()
  if (sound.value !== 'seen' || ringing.value) return
  ringing.value = true
  ringTimer = setInterval(play, ringEvery)
}

/** Ends the sound: a person who touches the page or a key sees what is new. */
function seen() {
  clearInterval(ringTimer)
  ringing.value = false
}
for (const input of ['pointerdown', 'keydown']) {
  addEventListener(
    input,
    () => {
      seen()
      if (sound.value !== 'off') wake()
    },
    { capture: true },
  )
}

// How often the counts are loaded while there is a stream, in case it has missed something, and
// without.
const interval = { live: 60_000, polling: 15_000 }
let timer = 0
let shop = ''

/** New orders that events have reported since the counts were loaded. @type {string[]} */
let arrivals = []

/**
 * Whether events have reported every new order since then. Counts alone hide one if another was
 * confirmed meanwhile.
 */
let isFollowed = false

/** Loads the counts now, and from then on at intervals. */
export async function refreshCounts() {
  clearTimeout(timer)
  if (!session.value || !can('orders.read') || (document.hidden && !stream)) return
  const of = shopUID.value
  const wasLive = isLive
  const wasFollowed = isFollowed
  try {
    const { bounded, ...next } = await get('counts/orders', {}, { recover: false })
    if (of !== shopUID.value) return
    const risen = next.toConfirm - count('toConfirm')
    const more = shop !== of ? 0 : wasFollowed ? arrivals.length : risen
    const inList = wasFollowed ? arrivals.filter((id) => inSight.ids.includes(id)).length : 0
    shop = of
    arrivals = []
    isFollowed = wasLive && isLive
    counts.value = next
    countsProblem.value = null
    if (more > 0) {
      fresh.value += more - inList
      announce()
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    countsProblem.value = error
    if (error.code === 'unauthenticated') return // a new session begins again
  }
  timer = setTimeout(refreshCounts, isLive ? interval.live : interval.polling)
}

/**
 * The stream of events, open while the page is in sight, or a sound announces orders.
 * @type {EventSource | null}
 */
let stream = null
let isLive = false
let retryTimer = 0
let refreshTimer = 0

const orderEvents = [
  'placed',
  'confirmed',
  'edited',
  'cancelled',
  'expired',
  'completed',
  'returned',
  'paid',
  'payment_review',
  'refund_due',
  'refunded',
]
const shipmentEvents = ['booked', 'moved', 'delivered', 'problem', 'returning', 'returned']
const eventTypes = [
  ...orderEvents.map((event) => 'order.' + event),
  ...shipmentEvents.map((event) => 'shipment.' + event),
]
const retryAfter = 60_000

function onEvent(/** @type {MessageEvent} */ event) {
  const { actor, status, subject } = JSON.parse(event.data)
  if (
    status === 'pending' &&
    (event.type === 'order.placed' ||
      (event.type === 'order.paid' && (!actor || actor.kind === 'shop')))
  ) {
    arrivals.push(subject)
  }
  touched.value = { subject, actor: actor?._id ?? '', status }
  clearTimeout(refreshTimer)
  refreshTimer = setTimeout(refreshCounts, 300) // several events are often one action
}

function unfollow() {
  clearTimeout(retryTimer)
  stream?.close()
  stream = null
  isLive = isFollowed = false
}

function follow() {
  unfollow()
  if (!session.peek() || !can('orders.read') || (document.hidden && sound.peek() === 'off')) return
  const opened = new EventSource(`/admin/v1/shops/${encodeURIComponent(shopUID.peek())}/events`)
  stream = opened
  opened.onopen = () => {
    isLive = true
    refreshCounts() // what happened before it was open
  }
  opened.onerror = () => {
    // a browser connects again by itself, unless the server refuses
    isLive = isFollowed = false
    if (opened.readyState === EventSource.CLOSED) retryTimer = setTimeout(follow, retryAfter)
    refreshCounts()
  }
  for (const type of eventTypes) opened.addEventListener(type, onEvent)
  opened.addEventListener('reset', () => {
    // events are missing
    isFollowed = false
    changed()
  })
}

const resume = () => {
  refreshCounts()
  if (!stream || stream.readyState === EventSource.CLOSED) follow()
}
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) resume()
  else if (sound.value === 'off') unfollow()
})
addEventListener('online', resume)

// A stream belongs to a shop and a session.
const followed = computed(() =>
  session.value ? session.value.shop.uid + ' ' + session.value.staffMember._id : '',
)
effect(() => {
  if (!followed.value) unfollow()
  else {
    queueMicrotask(() => {
      // they read more than this effect depends on
      refreshCounts()
      follow()
    })
  }
})

/** @type {AudioContext | null} */
let audio = null

// A browser lets a page play a sound only after somebody has touched it.
function wake() {
  audio ??= new AudioContext()
  const context = audio
  if (context.state === 'suspended')
    context.resume().then(
      () => {
        muted.value = false
      },
      () => {},
    )
  muted.value = context.state === 'suspended'
  return context
}

// Two soft notes.
function play() {
  const audio = wake()
  if (audio.state === 'suspended') return
  const start = audio.currentTime
  for (const [frequency, at] of [
    [660, 0],
    [880, 0.16],
  ]) {
    const note = audio.createOscillator(),
      volume = audio.createGain()
    note.frequency.value = frequency
    volume.gain.setValueAtTime(0, start + at)
    volume.gain.linearRampToValueAtTime(0.12, start + at + 0.02)
    volume.gain.exponentialRampToValueAtTime(0.001, start + at + 0.5)
    note.connect(volume).connect(audio.destination)
    note.start(start + at)
    note.stop(start + at + 0.5)
  }
}

// The same number at the icon of the installed page.
effect(() => {
  navigator.setAppBadge?.(count('toConfirm')).catch(() => {})
})

/** What precedes the page's title: the number of orders to confirm. */
export const titleCount = computed(() => (count('toConfirm') > 0 ? `(${count('toConfirm')}) ` : ''))
