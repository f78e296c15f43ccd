// Shortcuts in lists: j and k move, Enter opens; where rows can be chosen, x does, and Shift x up
// to here.

import { useLayoutEffect } from '../html.js'
import { shortcuts } from '../keys.js'

const within = (/** @type {number} */ i, /** @type {number} */ count) =>
  Math.max(0, Math.min(count - 1, i))

/** Moves the focus through the links of a list, of which Enter opens the current one. */
export function useListKeys(/** @type {string} */ links) {
  useLayoutEffect(() => {
    const move = (/** @type {number} */ step) => {
      const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(links)])
      const i = all.findIndex((row) => row === document.activeElement)
      all[within(i + step, all.length)]?.focus()
    }
    return shortcuts({ j: () => move(1), k: () => move(-1) })
  }, [])
}

/**
 * Returns the shortcuts of a list whose rows can be chosen.
 * @template R
 * @param {{ rows: R[], at: { value: number }, from?: () => number, name: string, choose: ((i:
 *   number, range?: boolean) => void) | null, href: (row: R) => string, open: (address: string) =>
 *   void, moved?: (row: R) => void }} list at: the row of the keyboard; from: another one that
 *   moving begins with; name: the attribute that its rows have
 */
export function rowKeys({ rows, at, from = () => at.value, name, choose, href, open, moved }) {
  const shown = () => [...document.querySelectorAll(`[${name}]`)]
  const move = (/** @type {number} */ step) => {
    if (rows.length === 0) return
    const focused = shown().findIndex((row) => row.contains(document.activeElement))
    at.value = within((focused < 0 ? from() : focused) + step, rows.length)
    moved?.(rows[at.value])
    const row = shown()[at.value]
    const link = row?.matches('a') ? row : row?.querySelector('a')
    if (link instanceof HTMLElement) link.focus({ preventScroll: true })
    row?.scrollIntoView({ block: 'nearest' })
  }
  return {
    j: () => move(1),
    k: () => move(-1),
    Enter: () => {
      if (rows[at.value]) open(href(rows[at.value]))
    },
    ...(choose && {
      x: () => {
        if (at.value >= 0) choose(at.value)
      },
      'Shift x': () => {
        if (at.value >= 0) choose(at.value, true)
      },
    }),
  }
}
