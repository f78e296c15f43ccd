// Descriptions: HTML that is edited, shown and read, as far as the server stores it.

/** Elements that the server stores in a description. */
const storedTags = new Set(
  (
    'a abbr acronym article aside b bdi blockquote br caption cite code col colgroup dd del ' +
    'details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hgroup hr i img ins li mark ' +
    'ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody ' +
    'td tfoot th thead time tr tt u ul var wbr'
  ).split(' '),
)

/** Elements of which not even the text is read. */
const silentTags = new Set([
  'script',
  'style',
  'template',
  'iframe',
  'noscript',
  'object',
  'svg',
  'math',
  'textarea',
  'select',
  'title',
])

/** Attributes that are stored, besides addresses. */
const storedAttributes = new Set(
  'dir lang title alt width height colspan rowspan scope datetime open start value'.split(' '),
)

const safeAddress = /^(https?:|mailto:|tel:|\/|#|[^:]*$)/i

const policy = window.trustedTypes?.createPolicy('description', {
  createHTML: (/** @type {string} */ source) => source,
})

/**
 * Returns the nodes of HTML, from a document that runs and loads nothing.
 * @returns {DocumentFragment}
 */
export function parse(/** @type {string} */ source) {
  const fragment = document.createDocumentFragment()
  fragment.append(
    ...new DOMParser().parseFromString(policy?.createHTML(source) ?? source, 'text/html').body
      .childNodes,
  )
  return fragment
}

/** Returns the nodes of HTML that the server would store. */
export function sanitize(/** @type {string} */ source) {
  const fragment = parse(source)
  for (const element of [...fragment.querySelectorAll('*')]) {
    const tag = element.localName
    if (silentTags.has(tag)) element.remove()
    else if (!storedTags.has(tag)) element.replaceWith(...element.childNodes)
    else {
      for (const { name, value } of [...element.attributes]) {
        const isAddress = (tag === 'a' && name === 'href') || (tag === 'img' && name === 'src')
        if (isAddress ? !safeAddress.test(value.trim()) : !storedAttributes.has(name))
          element.removeAttribute(name)
      }
    }
  }
  return fragment
}

/** Returns the text of a description, a line for each of its blocks. */
export const textOf = (/** @type {string} */ source) =>
  (
    parse(source.replace(/<br\s*\/?>|<\/(?:p|li|h\d|div|tr|blockquote)>/gi, '$&\n')).textContent ??
    ''
  )
    .replace(/\n{2,}/g, '\n')
    .trim()
