// The length of a message to buyers, as the server counts it: both are tested with the cases in
// shop/sender/testdata/segments.json and shop/message/testdata/texts.json.

const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡' +
  'ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const extra = '\f^{}\\[~]|€'
const spaces = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g

/**
 * What is sent instead of characters that GSM-7 lacks, if the whole text fits in it then.
 * @type {Record<string, string>}
 */
const plain = {
  '\u09f3': 'Tk ',
  '\u20b9': 'Rs ',
  '\u2013': '-',
  '\u2014': '-',
  '\u2018': "'",
  '\u2019': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u2026': '...',
  '\u00a0': ' ',
  '\u00d7': 'x',
}

/** Returns a template with its placeholders replaced. */
export const fill = (
  /** @type {string} */ template,
  /** @type {Record<string, string>} */ values,
) =>
  template
    .replace(/\{([a-z]+)\}/g, (all, key) => (Object.hasOwn(values, key) ? values[key] : all))
    .replace(spaces, ' ')
    .replace(/^ | $/g, '')

/** Returns the places that a text needs, and the billed messages. */
export function lengthOf(/** @type {string} */ text) {
  const replaced = [...text].map((char) => plain[char] ?? char).join('')
  const isPlain = [...replaced].every((char) => basic.includes(char) || extra.includes(char))
  const [single, each] = isPlain ? [160, 153] : [70, 67]
  let n = 0,
    count = 1,
    used = 0
  for (const char of isPlain ? replaced : text) {
    const places = !isPlain ? char.length : extra.includes(char) ? 2 : 1
    n += places
    used += places
    if (used > each) {
      // a character is never split
      count++
      used = places
    }
  }
  return { n, count: n <= single ? 1 : count }
}
