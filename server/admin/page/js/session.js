// Who is signed in. The session itself is a cookie that scripts cannot read.

import { computed, signal } from './html.js'
import { act, endEarly, get, Problem, recovery, send } from './api.js'
import { removeDraftsOf, firstView, load, loadJSON, save, saveJSON } from './device.js'
import { choseLanguage, setLanguage, timeZone } from './i18n.js'
import { clearMemory } from './resource.js'
import { open, route, shopUID, to } from './router.js'

/** @typedef {import('./api.js').Schemas['Session']} Session */

/** The session; null: nobody is signed in; undefined: not known yet. */
export const session = signal(/** @type {Session | null | undefined} */ (undefined))

/** Why the session could not be loaded, null if it could. */
export const loadProblem = signal(/** @type {Problem | null} */ (null))

/**
 * @typedef {{ kind: 'signIn' | 'prove', done: () => void, decline: (reason: any) => void }} Opened
 */

/** A dialog that is open over the page to sign in again, or to enter the password again. */
export const opened = signal(/** @type {Opened | null} */ (null))

/**
 * Reports whether the caller has a permission. Only the server decides; the page hides what it
 * would refuse.
 */
export const can = (/** @type {string} */ permission) =>
  session.value?.permissions.some((candidate) => candidate === permission) ?? false

/** Whether the person packs orders, and does not confirm them. */
export const packs = () => can('orders.fulfill') && !can('orders.write')

/** The list of orders that a person begins with. */
export const firstList = () => (packs() ? 'toPack' : 'toConfirm')

/**
 * The shops that were used on this device, the last one first.
 * @typedef {{ uid: string, name: string }} KnownShop
 */
export const knownShops = signal(/** @type {KnownShop[]} */ (loadJSON('shops', [])))

function saveShop(/** @type {KnownShop} */ shop) {
  knownShops.value = [shop, ...knownShops.value.filter((other) => other.uid !== shop.uid)].slice(
    0,
    10,
  )
  saveJSON('shops', knownShops.value)
}

export function forgetShop(/** @type {string} */ uid) {
  knownShops.value = knownShops.value.filter((shop) => shop.uid !== uid)
  saveJSON('shops', knownShops.value)
}

/** Enters the session that a request has returned. */
export function enter(/** @type {Session} */ s) {
  const isFirst = !session.value || session.value.shop.uid !== s.shop.uid
  session.value = s
  loadProblem.value = null
  timeZone.value = s.shop.timeZone
  saveShop({ uid: s.shop.uid, name: s.shop.name })
  if (isFirst && !choseLanguage())
    setLanguage(/** @type {import('./i18n.js').Language} */ (s.staffMember.language))
  if (isFirst && load('theme') === null) setTheme(s.staffMember.theme)
  opened.value?.done()
  opened.value = null
}

/** Loads the session of the shop in the address. */
export async function loadSession() {
  if (!shopUID.value) {
    loadProblem.value = null
    const [last] = knownShops.value
    if (last && !route.value.query.has('other')) {
      open('#/' + last.uid + firstView(), { replace: true })
      return
    }
    session.value = null
    return
  }
  const uid = shopUID.value
  try {
    const s = await get('session', {}, { recover: false })
    if (uid === shopUID.value) enter(s)
  } catch (error) {
    if (uid !== shopUID.value) return
    loadProblem.value = error instanceof Problem && error.code !== 'unauthenticated' ? error : null
    session.value = null
  } finally {
    endEarly()
  }
}

// One dialog serves all requests that wait for it.
function prompt(/** @type {'signIn' | 'prove'} */ kind) {
  const open = opened.value
  return new Promise((resolve, reject) => {
    opened.value = {
      kind: open?.kind ?? kind,
      done: () => {
        open?.done()
        resolve(undefined)
      },
      decline: (reason) => {
        open?.decline(reason)
        reject(reason)
      },
    }
  })
}

recovery.signIn = () =>
  session.value ? prompt('signIn').then(() => {}) : Promise.reject(new Error('nobody is signed in'))
recovery.prove = () => prompt('prove').then(() => {})
recovery.setUp = () => {
  if (route.value.view !== 'account') open(to('account', 'factor'))
}

/** Closes the dialog: the requests that wait for it fail. */
export function decline() {
  opened.value?.decline(new Error('declined'))
  opened.value = null
}

/** Signs in. The problem second_factor_required requires a code. */
export const signIn = async (/** @type {any} */ input, shop = shopUID.value) => {
  const { data } = await send('POST', 'session', { body: input, shop, recover: false })
  return signedIn(data)
}

/** Lets this browser's notifications be those of who has signed in. */
export function signedIn(/** @type {Session} */ s) {
  if (load('push-of-' + s.shop.uid))
    import('./push.js').then(({ renew }) => renew(s.staffMember._id)).catch(() => {})
  return s
}

export const prove = async (/** @type {any} */ input) =>
  enter((await send('POST', 'session/proof', { body: input, recover: false })).data)

/** Signs out. What was seen and begun here is not for who signs in next on this device. */
export async function signOut() {
  await act('session', {}, { method: 'DELETE' })
  clearMemory()
  removeDraftsOf(shopUID.value)
  session.value = null
  open(to('home'))
}

/** Changes the staff member's own record, also on the other devices. */
export const updateMe = async (/** @type {any} */ change) =>
  enter(await act('me', change, { method: 'PATCH' }))

/** The colours: those of the system, or one scheme. */
export const theme = signal(load('theme') ?? 'system')

export function setTheme(/** @type {string} */ to) {
  theme.value = to
  save('theme', to === 'system' ? null : to)
  document.documentElement.dataset.theme = to
  const dark = /** @type {HTMLLinkElement} */ (document.getElementById('dark'))
  dark.media = to === 'dark' ? 'all' : to === 'light' ? 'not all' : '(prefers-color-scheme: dark)'
}

/** Whether the shop works with test accounts of its providers. */
export const isSandbox = computed(() => session.value?.shop.mode === 'sandbox')
