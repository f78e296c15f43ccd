// Addresses: #/SHOP/VIEW/ID?QUERY. What follows # is sent to no server, so that neither links nor
// search terms are in logs.

import { computed, signal } from './html.js'

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
  if (replace) {
    history.replaceState(null, '', address)
    onChange()
  } else if (address === location.hash) onChange()
  else location.hash = address
}

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

let stayed = false

function onChange() {
  if (stayed) {
    stayed = false
    return
  }
  const next = parse(location.hash)
  const isOther =
    next.view !== route.value.view || next.id !== route.value.id || next.shop !== route.value.shop
  const question = isOther && unsaved()
  if (question && !confirm(question)) {
    stayed = true
    history.back()
    return
  }
  if (isOther) guards.clear()
  route.value = next
}

addEventListener('hashchange', onChange)
addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault()
})
