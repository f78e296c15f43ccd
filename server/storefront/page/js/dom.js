// DOM elements. Text is added as text nodes only, so that nothing from the API or a user is parsed
// as markup.

/**
 * Creates an element. An attribute of true has no value; false, null and undefined are left out; a
 * function under a name such as `onclick` becomes a listener. Children are nodes, texts and lists;
 * null and false are left out.
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, value)
  }
  element.append(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== false),
  )
  return element
}

/** Replaces the children of an element. The focus stays on the element with the same id, if any. */
export function replace(element, ...children) {
  const focused = element.contains(document.activeElement) && document.activeElement.id
  element.replaceChildren(...children.flat().filter(Boolean))
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true })
}

/** Whether the screen has room for one column only, as in the style sheets. */
export const narrow = matchMedia('(max-width: 39.99rem)')

/** Announces a text to screen readers, for changes away from the focus. */
export function announce(text) {
  const live = document.getElementById('live')
  live.textContent = ''
  // The region must be rendered empty first, otherwise a repeated text is announced once.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      live.textContent = text
    }),
  )
}

const shapes = {
  bag: 'M5 8h14l1 12H4zM8.5 8V6.5a3.5 3.5 0 0 1 7 0V8',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.6-4 3.6-5.5 7.5-5.5s6.9 1.5 7.5 5.5',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.5 4.5',
  close: 'M6 6l12 12M18 6L6 18',
  filter: 'M4 7h16M7 12h10M10 17h4',
  check: 'M5 12.5l4.5 4.5L19 7.5',
}

/** Creates an icon, hidden from screen readers: its control has its own label. */
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  for (const [attribute, value] of Object.entries({
    viewBox: '0 0 24 24',
    class: 'icon',
    'aria-hidden': 'true',
  })) {
    svg.setAttribute(attribute, value)
  }
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  path.setAttribute('d', shapes[name])
  svg.append(path)
  return svg
}

const allowed = new Set([
  'P',
  'BR',
  'UL',
  'OL',
  'LI',
  'STRONG',
  'B',
  'EM',
  'I',
  'H2',
  'H3',
  'H4',
  'BLOCKQUOTE',
  'A',
])

/**
 * Returns the nodes of a merchant's HTML. The server sanitized it when it was saved; only elements
 * that this page has a style for are copied, as a second line of defence. A parsed document is
 * inert: nothing in it loads or runs.
 */
export function richText(html) {
  const copy = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return [node.textContent]
    if (node.nodeType !== Node.ELEMENT_NODE) return []
    const children = [...node.childNodes].flatMap(copy)
    if (!allowed.has(node.tagName)) return children
    if (node.tagName !== 'A') return [h(node.tagName, null, children)]
    return /^(https?:|mailto:|tel:)/i.test(node.getAttribute('href') ?? '')
      ? [h('a', { href: node.getAttribute('href'), rel: 'noopener noreferrer nofollow' }, children)]
      : children
  }
  return [...new DOMParser().parseFromString(html ?? '', 'text/html').body.childNodes].flatMap(copy)
}
