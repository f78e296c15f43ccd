// Formatting changes nothing that is shown: htm reads the same elements and texts from a template
// before and after.

import assert from 'node:assert'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { format } from 'prettier'
import { parsers } from 'prettier/plugins/babel'
import htm from '../../server/admin/page/js/vendor/htm.js'
import * as plugin from './htm.js'

const own = { parser: 'babel', plugins: [plugin], semi: false, singleQuote: true }

/** Returns what a template is to htm. Browsers show a line break within a text as a space. */
const elements = htm.bind((/** @type {any[]} */ ...parts) =>
  parts.map((part) => (typeof part === 'string' ? part.replace(/\s+/g, ' ') : part)),
)

/** Returns an expression's meaning, which a text of an attribute can contain. @returns {any} */
function value(/** @type {any} */ expression) {
  const found = meaning(expression)
  return Array.isArray(found) ? found : { ...found, toString: () => JSON.stringify(found) }
}

/** Returns a syntax tree without places and layout. @returns {any} */
function meaning(/** @type {any} */ node) {
  if (Array.isArray(node))
    return node.filter((part) => part?.type !== 'EmptyStatement').map(meaning)
  if (typeof node === 'bigint' || node instanceof RegExp) return String(node)
  if (node === null || typeof node !== 'object') return node
  if (node.type === 'ParenthesizedExpression') return meaning(node.expression)
  if (node.type === 'ObjectProperty' && !node.computed) {
    return [node.key.name ?? node.key.value, meaning(node.value)]
  }
  if (node.type === 'TaggedTemplateExpression' && node.tag.name === 'html') {
    const { quasis, expressions } = node.quasi
    const texts = quasis.map((/** @type {any} */ { value }) => value.cooked)
    return elements(Object.assign(texts, { raw: texts }), ...expressions.map(value))
  }
  const layout = /^(loc|start|end|range|extra|comments|tokens|\w+Comments|errors|__contentEnd)$/
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => !layout.test(key))
      .map(([key, value]) => [key, meaning(value)]),
  )
}

const parse = async (/** @type {string} */ source) =>
  JSON.stringify(meaning(await parsers.babel.parse(source, /** @type {any} */ (own))))

test('format: the sources of the dashboard, on short lines', async () => {
  const folder = join(import.meta.dirname, '../../server/admin/page/js')
  const names = readdirSync(folder, { recursive: true }).map(String)
  for (const name of names.filter((name) => /^(?!vendor).*\.js$/.test(name))) {
    const source = readFileSync(join(folder, name), 'utf8')
    const formatted = await format(source, { ...own, printWidth: 60 })
    assert.ok((await parse(formatted)) === (await parse(source)), `${name} means something else`)
  }
})

for (const [name, source, want] of [
  [
    'spaces that are text',
    'a = html`<p><b>a</b> <i>b</i></p>`',
    'a = html`\n  <p>\n    <b>a</b> <i>b</i>\n  </p>\n`\n',
  ],
  [
    'a line break that is nothing',
    'a = html`<p><b>a</b>\n<i>b</i>\n</p>`',
    'a = html`\n  <p>\n    <b>a</b>\n    <i>b</i>\n  </p>\n`\n',
  ],
  ['a space at an edge', 'a = html` · ${b} `', 'a = html` · ${b} `\n'],
  [
    'a component',
    'a = html`<${A}   b="c"\n...${d}>${e}: ${f}<//>`',
    'a = html`<${A} b="c" ...${d}>${e}: ${f}<//>`\n',
  ],
  [
    'a condition',
    'a = html`<p>${a && html`<b>b</b><i>c</i>`}</p>`',
    'a = html`\n  <p>\n    ${a && html`\n      <b>b</b>\n      <i>c</i>\n    `}\n  </p>\n`\n',
  ],
]) {
  test(`format: ${name}`, async () => {
    const formatted = await format(source, own)
    assert.equal(formatted, want)
    assert.equal(await parse(formatted), await parse(source))
    assert.equal(await format(formatted, own), formatted)
  })
}

test('format: a template without an end', async () => {
  await assert.rejects(format('html`<p>${a}`', own), SyntaxError)
})
