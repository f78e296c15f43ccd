// Printing documents of orders: what is to be printed, until its dialog is closed.

import { signal } from '../html.js'

/** @typedef {{ ids: string[], kind?: string }} Printing */

/** What the dialog offers to print; null: it is closed. */
export const printing = signal(/** @type {Printing | null} */ (null))

/** Opens the dialog for orders. kind is what is chosen at first. */
export const openPrint = (
  /** @type {string[]} */ ids,
  /** @type {string | undefined} */ kind = undefined,
) => {
  printing.value = { ids, kind }
}
