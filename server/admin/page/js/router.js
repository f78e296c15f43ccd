// Addresses: #/SHOP/VIEW/ID?QUERY. What follows # is sent to no server, so that neither links nor
// search terms are in logs.

import { computed, signal } from './html.js'
import { currentEntry, entry, leave } from './place.js'

/** @typedef {{ shop: string, view: string, id: string, query: URLSearchParams }} Route */

/** @returns {Route} */
function parse(/** @type {string} */ hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [shop = '', view = '', ...id] = path.split('/').map((part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
  return { shop, view: view || 'home', id: id.join('/'), query: new URLSearchParams(query) }
}

/** The current address. */
export const route = signal(parse(location.hash))

/** The shop of the address. */
export const shopUID = computed(() => route.value.shop)

/** Returns the address of a view of the shop, for href. Empty values of the query are left out. */
export function to(
  /** @type {string} */ view,
  /** @type {string} */ id = '',
  /** @type {Record<string, any>} */ query = {},
) {
  const all = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null && item !== '') all.append(name, String(item))
    }
  }
  const path = [shopUID.value, view, id].filter(Boolean).map(encodeURIComponent).join('/')
  return '#/' + path + (all.size ? '?' + all : '')
}

/** Returns the address of the view with some values of its query replaced. */
export function withQuery(/** @type {Record<string, any>} */ changes) {
  const { view, id, query } = route.value
  /** @type {Record<string, any>} */
  const all = {}
  for (const name of new Set(query.keys())) all[name] = query.getAll(name)
  return to(view, id, { ...all, ...changes })
}

/** Opens an address. With replace it takes the place of the current one in the history. */
export function open(/** @type {string} */ address, { replace = false } = {}) {
  if (!replace && address !== location.hash) {
    location.hash = address
    return
  }
  const show = () => {
    history.replaceState(entry, '', address)
    arrive(true)
  }
  const question = isOther(parse(address)) && unsaved()
  if (!question) show()
  else
    leaving.confirm(question).then((isLeaving) => {
      if (!isLeaving) return
      guards.clear()
      show()
    })
}

/** The address that the current one was opened from, '' for the first one. */
export const before = () => entry.before

/** Goes back, or to an address if the page was opened here. */
export function goBack(/** @type {string} */ otherwise) {
  if (entry.before) history.back()
  else open(otherwise, { replace: true })
}

/** Closes what was opened from a list: that is shown again as it was left. */
export function close(/** @type {string} */ list) {
  const from = parse(entry.before)
  const to = parse(list)
  if (entry.before && from.view === to.view && from.id === to.id) history.back()
  else open(list)
}

// The links that lead back to a list.
addEventListener('click', (event) => {
  const link = event.target instanceof Element && event.target.closest('a[data-back]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  close(link.getAttribute('href') ?? '')
})

/** @type {Set<() => string | null>} */
const guards = new Set()

/**
 * Confirms before an unsaved form is left. The function returns the question, or null if nothing
 * would be lost.
 * @returns {() => void} what ends it
 */
export function guard(/** @type {() => string | null} */ question) {
  guards.add(question)
  return () => {
    guards.delete(question)
  }
}

const unsaved = () => [...guards].map((guard) => guard()).find(Boolean)

/** Whether leaving the view would lose something. */
export const hasUnsaved = () => Boolean(unsaved())

const isOther = (/** @type {Route} */ next) =>
  next.view !== route.value.view || next.id !== route.value.id || next.shop !== route.value.shop

/**
 * Shows a question about what would be lost, and resolves to whether to leave. Set by main.js.
 * @type {{ confirm: (question: string) => Promise<boolean> }}
 */
export const leaving = { confirm: async () => true }

let shown = location.hash
let isStaying = false

function arrive(isReplaced = false) {
  const next = parse(location.hash)
  if (isOther(next)) guards.clear()
  const show = leave(route.value, next, currentEntry(shown), isReplaced)
  shown = location.hash
  route.value = next
  queueMicrotask(show) // once the page shows it
}

function onChange() {
  if (isStaying) {
    isStaying = false
    return
  }
  const question = isOther(parse(location.hash)) && unsaved()
  if (!question) {
    arrive()
    return
  }
  const step = currentEntry(shown).index - entry.index || 1
  isStaying = true
  history.go(-step)
  leaving.confirm(question).then((isLeaving) => {
    if (!isLeaving) return
    guards.clear()
    history.go(step)
  })
}

addEventListener('hashchange', onChange)
addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault()
})

/**
 * Returns the path of an uploaded picture at the dashboard's own host, and other addresses as they
 * are. Only there staff see pictures that are not published, and a public URL may lead elsewhere.
 *
 * @type {<T extends string | null | undefined>(url: T) => T | string}
 */
export const ownPath = (url) => {
  const path = url?.replace(/^https?:\/\/[^/]+/, '')
  return path?.startsWith(`/media/${shopUID.value}/`) ? path : url
}
