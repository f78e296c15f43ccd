// The districts that delivery charges recognize, for the list in the checkout.

import { get } from './api.js'
import { language } from './language.js'

/**
 * Returns the districts. `find` lists those for a typed text as {value, aside}: those with a name
 * that begins with it, then those with a name that contains it. `has` reports whether a text is the
 * whole name of one. Names are compared in both
 * languages and by all their spellings; an empty text lists all. Without a connection, and outside
 * of Bangladesh, there are none, and any city can be typed.
 */
export async function districts(signal) {
  const { nodes } = await get('/districts', {}, { signal }).catch(() => ({ nodes: [] }))
  const bangla = language() === 'bn'
  const all = nodes
    .map(({ name, nameBn, spellings }) => ({
      value: bangla ? nameBn : name,
      aside: bangla ? name : nameBn,
      keys: [name, nameBn, ...spellings].map(keyOf),
    }))
    .sort((a, b) => a.value.localeCompare(b.value, language()))
  const find = (text) => {
    const key = keyOf(text)
    const begin = all.filter(({ keys }) => keys.some((k) => k.startsWith(key)))
    const contain = all.filter(
      (one) => !begin.includes(one) && one.keys.some((k) => k.includes(key)),
    )
    return [...begin, ...contain]
  }
  return { find, has: (text) => all.some(({ keys }) => keys.includes(keyOf(text))) }
}

// keyOf drops case, spaces and punctuation, and the differences that Bangla texts often have.
const keyOf = (text) =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[\s\p{P}ঁ]/gu, '')
    .replaceAll('ী', 'ি')
    .replaceAll('ূ', 'ু')
    .replaceAll('ণ', 'ন')
