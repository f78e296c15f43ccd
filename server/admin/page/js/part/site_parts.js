// What a design consists of, its words, and how two designs differ.

import { langOf, language } from '../i18n.js'
import { t } from '../strings/site.js'
import { t as words } from '../strings/section.js'

/** @typedef {import('../api.js').Schemas['Document']} Document */
/** @typedef {Document['tokens']} Tokens */
/** @typedef {{ kind: string, hidden?: boolean, settings?: any }} Section */
/** @typedef {'home' | 'product' | 'collection' | 'page' | 'landing'} Template */

/** @type {Template[]} */
export const templates = ['home', 'product', 'collection', 'page', 'landing']

/** @type {(keyof Tokens)[]} */
const tokens = ['seed', 'radius', 'density', 'headingWeight', 'cardRatio', 'header', 'fonts']

/** Returns the text of a value, whatever the order of its names. */
export const canonical = (/** @type {any} */ value) =>
  JSON.stringify(value ?? null, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

/** The parts of a document. @type {Record<string, (d: Document) => any>} */
const values = {
  inherited: (d) => d.inherited || undefined,
  design: (d) => d.design,
  ...Object.fromEntries(tokens.map((name) => [name, (d) => d.tokens[name]])),
  ...Object.fromEntries(
    templates.map((name) => [
      name,
      (d) => /** @type {any} */ (d.templates[name] ?? []).map(plainSection),
    ]),
  ),
}

export const plainSection = (/** @type {Section} */ { kind, hidden, settings }) => ({
  kind,
  hidden: hidden || undefined,
  settings: settings && Object.keys(settings).length > 0 ? settings : undefined,
})

/** Returns the parts that differ. */
export const differences = (/** @type {Document} */ a, /** @type {Document} */ b) =>
  Object.keys(values).filter((part) => canonical(values[part](a)) !== canonical(values[part](b)))

export const same = (/** @type {Document} */ a, /** @type {Document} */ b) =>
  differences(a, b).length === 0

/** Returns another document with some parts of a first one. */
export function merge(
  /** @type {Document} */ other,
  /** @type {Document} */ own,
  /** @type {string[]} */ chosen,
) {
  let merged = other
  for (const part of chosen) {
    if (part === 'inherited') merged = { ...merged, ...themeOf(own), inherited: own.inherited }
    else if (part === 'design') merged = { ...merged, design: own.design }
    else if (part in own.templates || part in other.templates)
      merged = {
        ...merged,
        templates: { ...merged.templates, [part]: /** @type {any} */ (own.templates)[part] },
      }
    else
      merged = {
        ...merged,
        tokens: { ...merged.tokens, [part]: /** @type {any} */ (own.tokens)[part] },
      }
  }
  const inheriting = own.inherited ? own : other
  return merged.inherited && canonical(themeOf(merged)) !== canonical(themeOf(inheriting))
    ? { ...merged, inherited: false }
    : merged
}

const themeOf = (/** @type {Document} */ { design, tokens }) => ({ design, tokens })

/** Returns a text in the page's language, or in the other one. */
export const textIn = (/** @type {{ en?: string, bn?: string } | undefined} */ text) =>
  (language.value === 'bn' ? text?.bn || text?.en : text?.en || text?.bn) ?? ''

/** Returns a name of a product in both languages. */
export function inLanguages(/** @type {string} */ title) {
  const halves = title.split(' — ')
  const bangla = halves.find((half) => langOf(half) === 'bn')
  const english = halves.find((half) => langOf(half) !== 'bn')
  return { ...(english && { en: english }), ...(bangla && { bn: bangla }) }
}

export const kindName = (/** @type {string} */ kind) => words.dynamic('kind_' + kind)

/** Returns the first words of a section, '' if it has none. */
export const wordsOf = (/** @type {Section} */ { settings }) =>
  textIn(settings?.title) || textIn(settings?.text)

/** Returns a value of a token in words. */
export const tokenWord = (/** @type {string} */ token, /** @type {any} */ value) =>
  value === undefined
    ? t('asDesign')
    : token === 'seed'
      ? value
      : token === 'radius'
        ? t('pixels', { n: value })
        : token === 'headingWeight'
          ? t.dynamic('weight_' + value)
          : t.dynamic(token + '_' + String(value).replace('/', '_'))

/** Returns the kinds of sections with their first words. */
export const sectionWords = (/** @type {Section[]} */ sections) =>
  sections
    .map((section) => [kindName(section.kind), wordsOf(section)].filter(Boolean).join(': '))
    .join(' · ')

/** What two people may have changed, for their choice. */
export const parts = Object.fromEntries(
  Object.keys(values).map((part) => [
    part,
    {
      label: () => partName(part),
      show: (/** @type {Document} */ d) =>
        part === 'inherited'
          ? t(d.inherited ? 'theirs' : 'ours')
          : part === 'design'
            ? t.dynamic(d.design)
            : tokens.includes(/** @type {any} */ (part))
              ? tokenWord(part, values[part](d))
              : sectionWords(values[part](d)),
    },
  ]),
)

export const partName = (/** @type {string} */ part) => t.dynamic('part_' + part)

/** Returns the design in a file, null for another file. The server checks the rest. */
export function documentOf(/** @type {any} */ value) {
  if (typeof value?.design !== 'string') return null
  const listOf = (/** @type {any} */ list) =>
    Array.isArray(list) ? list.filter((section) => typeof section?.kind === 'string') : []
  return /** @type {Document} */ ({
    design: value.design,
    tokens: { ...value.tokens },
    templates: Object.fromEntries(
      templates
        .map((name) => [name, listOf(value.templates?.[name]).map(plainSection)])
        .filter(([, list]) => list.length > 0),
    ),
  })
}
