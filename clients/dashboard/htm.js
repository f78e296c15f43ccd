// A plugin for Prettier that prints html`` templates as htm reads them. Prettier has a printer for
// such templates, but it follows the rules of HTML, where a line break between two elements is a
// space. To htm it is nothing, and a space without a line break is text. That printer adds spaces
// to what is shown, and writes `</b\n>` where no space may be. No published plugin knows htm.

import { doc } from 'prettier'
import * as babel from 'prettier/plugins/babel'
import * as estree from 'prettier/plugins/estree'

const { group, hardline, indent, line, lineSuffixBoundary, softline } = doc.builders

// Each expression of a template is one character of its text while it is parsed.
const first = 0xf0000
const expression = '[\\u{f0000}-\\u{ffffd}]'

/**
 * @typedef {{ tag: string, attributes: Attribute[], children: Node[], end: string }} Element
 * @typedef {{ name: string, value?: string }} Attribute Both as written; a value has its quotes.
 * @typedef {Element | string} Node A text, which may be a single expression.
 */

/**
 * Returns the elements and texts of a template, without the white space that htm drops.
 * @param {string} text
 */
function parse(text) {
  let at = 0
  /** Reads what a pattern matches here. @param {string} pattern */
  const read = (pattern) => {
    const match = new RegExp(pattern, 'uy')
    match.lastIndex = at
    const found = match.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }
  /** @param {string} pattern @param {string} what */
  const need = (pattern, what) => {
    const found = read(pattern)
    if (!found)
      throw new SyntaxError(
        `html template: want ${what} at ${JSON.stringify(text.slice(at, at + 40))}`,
      )
    return found
  }

  function readAttributes() {
    const attributes = []
    while (read('\\s*') !== undefined && !/^(?:>|\/>|$)/.test(text.slice(at, at + 2))) {
      const name = need(`\\.\\.\\.${expression}|[^\\s=/>]+`, 'an attribute')
      attributes.push(
        read('=')
          ? { name, value: need('"[^"]*"|\'[^\']*\'|(?:(?!/>)[^\\s>])+', 'a value') }
          : { name },
      )
    }
    return attributes
  }

  /** @returns {Element} */
  function readElement() {
    at++
    const tag = need(`${expression}|[^\\s/>!]+`, 'a tag')
    const attributes = readAttributes()
    if (read('/>')) return { tag, attributes, children: [], end: '' }
    need('>', '>')
    const children = readNodes()
    return { tag, attributes, children, end: need('</[^>]*>', 'an end tag') }
  }

  /** @returns {Node[]} */
  function readNodes() {
    const nodes = []
    while (at < text.length && !text.startsWith('</', at)) {
      if (text[at] === '<') nodes.push(readElement())
      else {
        const found = read(`${expression}|(?:(?!${expression})[^<])+`).replace(
          /^\s*\n\s*|\s*\n\s*$/g,
          '',
        )
        if (found) nodes.push(found.replace(/\s*\n\s*/g, ' '))
      }
    }
    return nodes
  }

  const nodes = readNodes()
  if (at < text.length) need('$', 'the end')
  return nodes
}

/** Reports whether a line break may be between two nodes: it would swallow the space of a text. */
const mayBreak = (/** @type {Node} */ before, /** @type {Node} */ after) =>
  [before, after].every(
    (node) => typeof node === 'object' || new RegExp(`^${expression}$`, 'u').test(node),
  )

/** Prints a template. @param {import('prettier').AstPath} path @param {any} print */
function printTemplate(path, print) {
  const { quasis, elements } = path.node
  const text = quasis
    .map(({ value }, i) => value.raw + (i < elements.length ? String.fromCodePoint(first + i) : ''))
    .join('')

  /** Prints an expression; that of `condition && html`…`` without a line of its own. */
  function printExpression(/** @type {number} */ i) {
    const { type, operator, right, comments } = elements[i]
    const parts =
      type === 'LogicalExpression' && right.quasis && !comments
        ? [
            path.call(print, 'elements', i, 'left'),
            ` ${operator} `,
            path.call(print, 'elements', i, 'right'),
          ]
        : path.call(print, 'elements', i)
    return ['${', parts, lineSuffixBoundary, '}']
  }

  /** Prints a text with its expressions. */
  const printText = (/** @type {string} */ text) =>
    [...text].map((char) => {
      const code = Number(char.codePointAt(0))
      return code < first ? char : printExpression(code - first)
    })

  const printAttribute = (/** @type {Attribute} */ { name, value }) => [
    printText(name),
    value === undefined ? '' : ['=', printText(value.replace(/\s*\n\s*/g, ' '))],
  ]

  function printElement(/** @type {Element} */ { tag, attributes, children, end }) {
    const printed = attributes.map(printAttribute)
    const inner =
      printed.length === 1 ? [' ', printed] : indent(printed.map((attribute) => [line, attribute]))
    if (!end) return group(['<', printText(tag), inner, printed.length === 1 ? ' ' : line, '/>'])
    return printNodes(
      group(['<', printText(tag), inner, printed.length > 1 ? softline : '', '>']),
      children,
      printText(end),
    )
  }

  /** Prints nodes between a start and an end: on one line if that fits and none is an element. */
  function printNodes(
    /** @type {any} */ start,
    /** @type {Node[]} */ nodes,
    /** @type {any} */ end,
  ) {
    const hasBlock =
      nodes.some((node) => typeof node === 'object') && (nodes.length > 1 || start !== 'html`')
    const gap = hasBlock ? hardline : softline
    const printed = nodes.map((node, i) => [
      i > 0 && mayBreak(nodes[i - 1], node) ? gap : '',
      typeof node === 'object' ? printElement(node) : printText(node),
    ])
    const edge = (/** @type {Node | undefined} */ node, /** @type {RegExp} */ space) =>
      node === undefined || (typeof node === 'string' && space.test(node)) ? '' : gap
    return group([start, indent([edge(nodes[0], /^\s/), printed]), edge(nodes.at(-1), /\s$/), end])
  }

  return printNodes('html`', parse(text), '`')
}

/** Turns templates into arrays, which Prettier prints on the line of `=>`, `(` or `&&` before. */
function markTemplates(/** @type {any} */ node) {
  if (node === null || typeof node !== 'object') return node
  for (const key of Object.keys(node))
    if (key !== 'comments' && key !== 'tokens') markTemplates(node[key])
  if (node.type === 'TaggedTemplateExpression' && node.tag.name === 'html') {
    const { quasis, expressions } = node.quasi
    Object.assign(node, {
      type: 'ArrayExpression',
      quasis,
      elements: expressions,
      tag: null,
      quasi: null,
    })
  }
  return node
}

export const parsers = {
  babel: {
    ...babel.parsers.babel,
    parse: async (text, options) => markTemplates(await babel.parsers.babel.parse(text, options)),
  },
}

/** @type {import('prettier').Plugin['printers']} */
export const printers = {
  estree: {
    ...estree.printers.estree,
    embed: undefined,
    print: (path, options, print, args) =>
      path.node.quasis && path.node.elements
        ? printTemplate(path, print)
        : estree.printers.estree.print(path, options, print, args),
  },
}
