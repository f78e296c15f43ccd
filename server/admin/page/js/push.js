// Push messages to this browser: whether they are possible, and the subscription to them.

import { act } from './api.js'
import { load, save } from './device.js'
import { shopUID } from './router.js'

/** @returns {'on' | 'off' | 'blocked' | 'unsupported'} */
export const pushState = (/** @type {boolean} */ isOn) => {
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return 'unsupported'
  return Notification.permission === 'denied'
    ? 'blocked'
    : isOn && Notification.permission === 'granted'
      ? 'on'
      : 'off'
}

/** Names the _id that this browser has among a shop's devices. */
const deviceKey = () => 'push-' + shopUID.value

/** Names the member for whom this browser was turned on, and the shop's key. */
const memberKey = () => 'push-of-' + shopUID.value

export const ownDevice = () => load(deviceKey())

/**
 * Names the shop that this browser's subscription is for. A browser has one for all shops of a
 * host.
 */
const holderKey = 'push'

async function subscriptionHere() {
  const registration = await navigator.serviceWorker?.getRegistration('/admin/')
  return registration?.pushManager?.getSubscription()
}

/** Returns this browser's subscription for a shop's key, null if there is none. */
export async function ownSubscription(/** @type {string} */ publicKey) {
  const subscription = await subscriptionHere()
  return subscription && isFor(subscription, publicKey) ? subscription : null
}

/**
 * Returns the other shop of this host whose notifications this browser shows, null if there is
 * none.
 */
export async function otherShop(
  /** @type {string} */ publicKey,
  /** @type {import('./session.js').KnownShop[]} */ shops,
) {
  const subscription = await subscriptionHere()
  if (!subscription || isFor(subscription, publicKey)) return null
  const uid =
    load(holderKey) ??
    shops.find((shop) => shop.uid !== shopUID.value && load('push-' + shop.uid))?.uid ??
    ''
  return shops.find((shop) => shop.uid === uid) ?? { uid, name: uid }
}

const bytesOf = (/** @type {string} */ text) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))

/** Whether a subscription is for the shop's key: another shop on the same host has its own. */
function isFor(/** @type {PushSubscription} */ subscription, /** @type {string} */ publicKey) {
  const key = new Uint8Array(subscription.options.applicationServerKey ?? new ArrayBuffer(0))
  const want = bytesOf(publicKey)
  return key.length === want.length && key.every((byte, i) => byte === want[i])
}

/** Requests permission, subscribes and saves the subscription. Throws if the browser refuses. */
export async function turnOn(/** @type {string} */ publicKey, /** @type {string} */ member) {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error('permission')
  const { pushManager } = await navigator.serviceWorker.ready
  const before = await pushManager.getSubscription()
  if (before && !isFor(before, publicKey)) await before.unsubscribe()
  const subscription = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: bytesOf(publicKey),
  })
  await register(subscription)
  save(memberKey(), member + ' ' + publicKey)
}

async function register(/** @type {PushSubscription} */ subscription) {
  const { endpoint, keys } = subscription.toJSON()
  save(deviceKey(), (await act('push/subscriptions', { endpoint, keys }))._id)
  save(holderKey, shopUID.value)
}

/** Continues in a new session of the member for whom this browser was turned on. */
export async function renew(/** @type {string} */ member) {
  const [of, publicKey] = (load(memberKey()) ?? '').split(' ')
  const subscription =
    of === member && Notification.permission === 'granted' && (await ownSubscription(publicKey))
  if (subscription) await register(subscription)
}

/** Removes a device, and ends the subscription if it is this browser's. */
export async function removeDevice(/** @type {string} */ id, /** @type {string} */ publicKey) {
  await act('push/subscriptions/' + id, {}, { method: 'DELETE' })
  if (id !== ownDevice()) return
  save(deviceKey(), null)
  save(memberKey(), null)
  await (await ownSubscription(publicKey))?.unsubscribe()
}
