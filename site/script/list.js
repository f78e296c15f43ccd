// Replaces the list in place when a filter, the order or the page changes. Without this script the
// links and the form load the page.

const list = document.querySelector('[data-list]')
const announced = document.querySelector('[data-announced]')
let request
let shown = location.pathname + location.search

// textOf returns the text of a link without its count.
const textOf = (link) => link.firstChild?.nodeValue?.trim()

// show shows the content of a list's page, with the same parts open and the same control focused.
const show = (page) => {
  const open = [...list.querySelectorAll('details[open]')].map((part) => part.className)
  const focused = list.contains(document.activeElement) && document.activeElement
  const { name, localName } = focused
  const text = focused && textOf(focused)
  list.replaceChildren(...page.querySelector('[data-list]').childNodes)
  for (const part of list.querySelectorAll('details')) part.open ||= open.includes(part.className)
  const controls = focused ? [...list.querySelectorAll(localName)] : []
  controls.find((other) => (name ? other.name === name : textOf(other) === text))?.focus()
  document.title = page.title
  const languages = page.querySelectorAll('a[hreflang]')
  document.querySelectorAll('a[hreflang]').forEach((link, i) => {
    link.href = languages[i].href
  })
  announced.textContent = list.querySelector('.found, .empty p').textContent
}

const load = async (address) => {
  request?.abort()
  request = new AbortController()
  list.ariaBusy = 'true'
  try {
    const response = await fetch(address, { signal: request.signal })
    if (!response.ok) throw new Error(response.statusText)
    show(new DOMParser().parseFromString(await response.text(), 'text/html'))
    shown = address.pathname + address.search
    list.ariaBusy = 'false'
    return true
  } catch (error) {
    if (error.name !== 'AbortError') location.assign(address)
    return false
  }
}

const go = async (address, isPage) => {
  if (!(await load(address))) return
  history.pushState(null, '', address)
  if (isPage) list.scrollIntoView()
}

if (list) {
  list.addEventListener('click', (event) => {
    const link = event.target.closest('a')
    if (!link || link.pathname !== location.pathname || link.origin !== location.origin) return
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    go(new URL(link.href), link.closest('.pages'))
  })
  list.addEventListener('submit', (event) => {
    event.preventDefault()
    const values = [...new FormData(event.target)].filter(([, value]) => value)
    go(new URL(`?${new URLSearchParams(values)}`, event.target.action))
  })
  addEventListener('popstate', () => {
    const address = new URL(location)
    if (address.pathname + address.search !== shown) load(address) // and not only another part of the page
  })
}
