// A product's description as people type it: paragraphs, lists of lines that begin with a hyphen, and **bold**
// words. Other HTML, such as an import brings, is edited as it is.

/** @type {Record<string, string>} */
const characters = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0', apos: "'" }

/** Returns a text of HTML without its character references. */
export const decode = (/** @type {string} */ text) => text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) =>
  (hex ? String.fromCodePoint(parseInt(hex, 16)) : decimal ? String.fromCodePoint(Number(decimal)) : characters[name] ?? all))

const encode = (/** @type {string} */ text) => text.replace(/[&<>]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' }[one] ?? one))

/** @type {Record<string, string>} */
const marks = { '<p>': '', '</p>': '\n\n', '<br>': '\n', '<ul>': '', '</ul>': '\n', '<li>': '- ', '</li>': '\n', '<strong>': '**', '</strong>': '**' }

/** HTML in one of the forms that mean the same. */
const normal = (/** @type {string} */ html) => html.replace(/<br\s*\/?>\s*/g, '<br>').replace(/<(\/?)b>/g, '<$1strong>')
  .replace(/&#34;|&quot;/g, '"').replace(/&#39;|&apos;/g, "'").replace(/\s*(<\/?(?:p|ul|li)>)\s*/g, '$1').trim()

/** Returns the text of a description; null: it has more than text has a form for. @returns {string | null} */
export function toText(/** @type {string} */ html) {
  let text = ''
  for (const [token] of normal(html).matchAll(/<[^>]*>|[^<]+/g)) {
    const mark = marks[token]
    if (token.startsWith('<') && mark === undefined) return null
    text += mark ?? decode(token)
  }
  text = text.replace(/\n{3,}/g, '\n\n').trim()
  const again = normal(toHTML(text)), same = normal(html)
  return again === same || again === `<p>${same}</p>` ? text : null
}

/** Returns the HTML of a text. */
export function toHTML(/** @type {string} */ text) {
  const inline = (/** @type {string} */ line) => encode(line).replace(/\*\*([^*\n]+)\*\*/g, '<strong>$1</strong>')
  const item = /^\s*[-•*]\s+/
  return text.replace(/\r/g, '').split(/\n\s*\n/).map((block) => block.split('\n').filter((line) => line.trim() !== '')).flatMap((lines) => {
    if (lines.length === 0) return []
    /** @type {{ list: boolean, lines: string[] }[]} a list may begin below a line */
    const runs = []
    for (const line of lines) {
      const list = item.test(line)
      if (runs.at(-1)?.list !== list) runs.push({ list, lines: [] })
      runs.at(-1)?.lines.push(list ? line.replace(item, '') : line.trim())
    }
    return runs.map(({ list, lines: own }) => (list ? `<ul>${own.map((line) => `<li>${inline(line)}</li>`).join('')}</ul>`
      : `<p>${own.map(inline).join('<br>')}</p>`))
  }).join('')
}
