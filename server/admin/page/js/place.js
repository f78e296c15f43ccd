// The place in each entry of the history: how far it was scrolled, what had the focus, and what its
// view has noted. Going back shows it as it was left.

import { useEffect, useRef } from './html.js'

/**
 * @typedef {{ y: number, focus: string, top: number, notes: Record<string, any> }} Place focus: the
 *   selector of what had the focus, top: where it was in the window
 */

/** The places, as long as the tab is open: a page that is loaded again has the same history. */
const saved = 'sf-places'
const maxPlaces = 100

/** @type {Map<string, Place>} */
const places = new Map(load())

/** @returns {[string, Place][]} */
function load() {
  try {
    return JSON.parse(sessionStorage.getItem(saved) ?? '[]')
  } catch {
    return []
  }
}

/** Stores the place of the entry that is shown. */
function storeShown() {
  const focus = focused(location.hash)
  store(entry.key, { y: scrollY, focus, top: topOf(focus) })
}

addEventListener('pagehide', () => {
  storeShown()
  try {
    sessionStorage.setItem(saved, JSON.stringify([...places]))
  } catch {
    // then the page begins at its top
  }
})

/** @returns {Place} */
const placeOf = (/** @type {string} */ key) =>
  places.get(key) ?? { y: 0, focus: '', top: 0, notes: {} }

function store(/** @type {string} */ key, /** @type {Partial<Place>} */ change) {
  const place = { ...placeOf(key), ...change }
  places.delete(key)
  places.set(key, place)
  const [oldest] = places.keys()
  if (places.size > maxPlaces) places.delete(oldest)
}

/**
 * The entry of the history that is shown: its name, its number, and the address that it was opened
 * from, '' for the first one.
 * @typedef {{ key: string, index: number, before: string }} Entry
 */

/** @returns {Entry} */
const entryAfter = (/** @type {number} */ index, before = '') => ({
  key: crypto.randomUUID(),
  index,
  before,
})

const isEntry = (/** @type {any} */ state) => typeof state?.key === 'string'

/** @type {Entry} */
export let entry = isEntry(history.state) ? history.state : entryAfter(0)
history.replaceState(entry, '')
history.scrollRestoration = 'manual'

/** Returns the entry of the address that the browser shows now, which may be a new one. */
export function currentEntry(/** @type {string} */ before) {
  if (!isEntry(history.state)) history.replaceState(entryAfter(entry.index + 1, before), '')
  return /** @type {Entry} */ (history.state)
}

/** Notes a value for the entry that is shown. */
export const note = (/** @type {string} */ name, /** @type {any} */ value) =>
  store(entry.key, { notes: { ...placeOf(entry.key).notes, [name]: value } })

/** Returns what was noted for the entry that is shown. */
export const noted = (/** @type {string} */ name) => placeOf(entry.key).notes[name]

// Some browsers do not focus a link that is tapped.
let tapped = /** @type {Element | null} */ (null)
addEventListener(
  'click',
  (event) => {
    tapped = event.target instanceof Element ? event.target.closest('a[href]') : null
  },
  { capture: true },
)

const rowOf = (/** @type {string} */ id) => `[data-order="${CSS.escape(id)}"]`

const topOf = (/** @type {string} */ selector) =>
  (selector && document.querySelector(selector)?.getBoundingClientRect().top) || 0

/** Returns what selects the link or the field that has the focus. */
function focused(/** @type {string} */ address) {
  const element = tapped?.getAttribute('href') === address ? tapped : document.activeElement
  const href = element?.getAttribute('href')
  return element?.id ? '#' + CSS.escape(element.id) : href ? `a[href="${CSS.escape(href)}"]` : ''
}

/** @typedef {import('./router.js').Route} Route */

const queryOf = (/** @type {Route} */ { query }) => String(query)

/** Whether one is opened beside the list of the other, or closed. */
const isBeside = (/** @type {Route} */ from, /** @type {Route} */ to) =>
  from.shop === to.shop &&
  from.view === to.view &&
  from.id !== to.id &&
  queryOf(from) === queryOf(to) &&
  document.querySelector('.split, [data-order]') !== null

/** Whether another list or page is shown, so that it begins at its top. */
const isOther = (/** @type {Route} */ from, /** @type {Route} */ to) =>
  from.shop !== to.shop ||
  from.view !== to.view ||
  from.id !== to.id ||
  ['page', 'view'].some((name) => from.query.get(name) !== to.query.get(name))

let stop = () => {}

/**
 * Saves the place of the entry that is left. It returns what shows the place of the next one, once
 * the page has changed.
 */
export function leave(
  /** @type {Route} */ from,
  /** @type {Route} */ to,
  /** @type {Entry} */ next,
  isReplaced = false,
) {
  stop()
  if (!isReplaced) storeShown()
  const isBack = places.has(next.key) && !isReplaced
  entry = next
  const beside = isBeside(from, to)
  const row = beside ? rowOf(to.id || from.id) : ''
  const top = topOf(row)
  return () => {
    stop()
    if (beside && document.querySelector('.list-side')) {
      const shown = document.querySelector(row)
      if (shown && top) scrollBy(0, topOf(row) - top)
      shown?.scrollIntoView({ block: 'nearest' })
      document.querySelector('.pane')?.scrollTo(0, 0)
      if (to.id) stop = focusHeading()
      else focusLink(shown)
    } else if (isBack) restore(placeOf(next.key))
    else if (isOther(from, to)) {
      scrollToTop()
      stop = focusHeading()
    }
  }
}

/** Scrolls to the top, again once the new rows are laid out: a shorter page can undo it. */
function scrollToTop() {
  scrollTo(0, 0)
  requestAnimationFrame(() => scrollTo(0, 0))
}

function focusLink(/** @type {Element | null} */ row) {
  const link = row?.matches('a') ? row : row?.querySelector('a')
  if (link instanceof HTMLElement) link.focus({ preventScroll: true })
}

/** How long a place is sought, and how long it is restored again, in milliseconds. */
const patience = 10_000
const settling = 1500

const inputs = ['pointerdown', 'wheel', 'keydown', 'touchstart']

/** Scrolls to a place as soon as what was there is there again, unless the person acts before. */
function restore(/** @type {Place} */ { y, focus, top }) {
  const endHeading = focusHeading()
  let isFound = false
  const seek = () => {
    const element = focus ? document.querySelector(focus) : null
    scrollTo(0, element ? scrollY + element.getBoundingClientRect().top - top : y)
    if (element instanceof HTMLElement) element.focus({ preventScroll: true })
    if (isFound || !(element || (!focus && Math.abs(scrollY - y) < 2))) return
    isFound = true
    endHeading()
    clearTimeout(timer)
    timer = setTimeout(end, settling)
  }
  const seeking = new MutationObserver(seek)
  const end = () => {
    seeking.disconnect()
    endHeading()
    clearTimeout(timer)
    for (const input of inputs) removeEventListener(input, end, { capture: true })
  }
  let timer = setTimeout(end, patience)
  stop = end
  for (const input of inputs) addEventListener(input, end, { capture: true })
  seeking.observe(document.body, { childList: true, subtree: true })
  seek()
  requestAnimationFrame(() => {
    if (stop === end) seek()
  })
}

/**
 * Moves the focus to the heading of what is shown now, once it is there, unless the person is
 * somewhere else by then.
 * @returns {() => void} what ends it
 */
export function focusHeading() {
  const before = document.activeElement
  const seek = () => {
    const active = document.activeElement
    const isBusy =
      active !== document.body &&
      (active !== before || /^(INPUT|SELECT|TEXTAREA)$/.test(active?.tagName ?? '')) &&
      active?.isConnected
    const heading = /** @type {HTMLElement | null} */ (
      document.querySelector('.pane .title [tabindex]') ?? document.querySelector('h1')
    )
    if (heading === null && !isBusy) return
    seeking.disconnect()
    if (!isBusy) heading?.focus({ preventScroll: true })
  }
  const seeking = new MutationObserver(seek)
  seeking.observe(document.body, { childList: true, subtree: true })
  seek()
  return () => seeking.disconnect()
}

/** Shows the first address, as it was left if it is loaded again. */
export function start() {
  const place = placeOf(entry.key)
  if (place.y > 0 || place.focus) restore(place)
  else stop = focusHeading()
}

/**
 * Scrolls a row of links so that the current one is in sight, without moving the page, whenever one
 * of these values changes. It returns the reference of the row.
 */
export function useCurrentInSight(/** @type {any[]} */ values) {
  const row = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => {
    const link = row.current?.querySelector('[aria-current]')?.getBoundingClientRect()
    if (!row.current || !link) return
    const { left, width } = row.current.getBoundingClientRect()
    row.current.scrollLeft += link.left + link.width / 2 - left - width / 2
  }, values)
  return row
}
