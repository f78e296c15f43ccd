// Addresses and views. Every address is "/" with a query, such as /?product=jute-basket: one file
// serves them all, each can be opened, shared and reloaded, and a payment gateway sends buyers back
// to one of them, /?order=…&payment=….

import { h, replace } from './dom.js'
import { t } from './language.js'
import { failure, skeleton } from './part/states.js'

const slow = 150 // milliseconds until a skeleton is shown: sooner it only flickers

let findView // returns the view of a query
let onAddress // called with the query of each address, before its view loads
let onViewShown // called with each view that is shown
let controller = new AbortController()

/**
 * Starts the router. views(query) returns an async function (query, signal) that resolves to
 * {title, content}: the view's name, and a node with one h1. The signal is aborted when the view is
 * left. onOpened(query) is called with each address before its view loads, onShown(view) with each
 * view.
 */
export function start(views, onOpened, onShown) {
  findView = views
  onAddress = onOpened
  onViewShown = onShown
  history.scrollRestoration = 'manual' // the browser would restore before the content is there
  addEventListener('popstate', (event) => show({ scroll: event.state?.scroll ?? 0 }))
  // Back from a gateway, the browser may show the page as it was left, at the order's address.
  addEventListener('pageshow', (event) => event.persisted && refresh())
  document.addEventListener('click', followLink)
  document.addEventListener('submit', followSearch)
  return show({ focus: false })
}

/** Goes to an address of the page. */
export function go(url, { replace = false } = {}) {
  saveScroll()
  history[replace ? 'replaceState' : 'pushState'](null, '', url)
  return show({})
}

/** Changes the address without showing a view, for a view that has updated itself. */
export const rewrite = (url) => history.replaceState(history.state, '', url)

/** Shows the current address again, in place. */
export const refresh = () => show({ scroll: scrollY, focus: false, opened: false })

async function show({ scroll = 0, focus = true, opened = true }) {
  controller.abort()
  controller = new AbortController()
  const { signal } = controller
  const main = document.getElementById('main')
  const query = new URLSearchParams(location.search)
  if (opened) onAddress(query)
  main.setAttribute('aria-busy', 'true')
  const waiting = setTimeout(() => main.replaceChildren(skeleton()), slow)
  let view
  try {
    view = await findView(query)(query, signal)
  } catch (error) {
    if (signal.aborted) return
    view = {
      title: t(error.code === 'not_found' ? 'notFound' : 'failed'),
      content: failure(error, refresh),
    }
  } finally {
    clearTimeout(waiting)
  }
  if (signal.aborted) return // another view is loading
  replace(main, view.content)
  main.removeAttribute('aria-busy')
  onViewShown(view)
  scrollTo(0, scroll)
  // The heading gets the focus, so that a screen reader announces the view, as after loading a
  // page.
  if (focus) focusOn(main.querySelector('h1') ?? main)
}

/** Focuses an element that is not a control. */
export function focusOn(element) {
  element.setAttribute('tabindex', '-1')
  element.focus({ preventScroll: true })
}

function saveScroll() {
  history.replaceState({ ...history.state, scroll: scrollY }, '')
}

// followLink opens links to the page's own addresses without loading the page. All others, and
// clicks that open a new tab, are left to the browser.
function followLink(event) {
  const link = event.target.closest?.('a[href]')
  if (!link || event.defaultPrevented || event.button !== 0 || link.target || link.hash) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const url = new URL(link.href)
  if (url.origin !== location.origin || url.pathname !== '/') return
  event.preventDefault()
  go(url.pathname + url.search)
}

// followSearch does the same for forms with the method GET, such as the search.
function followSearch(event) {
  const form = event.target
  if (event.defaultPrevented || form.method !== 'get') return
  event.preventDefault()
  const query = new URLSearchParams(
    [...new FormData(form)].filter(([, value]) => value.trim() !== ''),
  )
  go('/' + (query.size ? '?' + query : ''))
}

/** A link to one of the page's addresses. */
export const link = (query, attributes, ...children) =>
  h('a', { href: address(query), ...attributes }, ...children)

export function address(query) {
  const filled = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  return '/' + (filled.length ? '?' + new URLSearchParams(filled) : '')
}
