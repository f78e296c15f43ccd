// Pictures of products.

import { ownPath } from '../router.js'

/** @typedef {import('../api.js').Schemas['Image']} Image */

/**
 * Returns the URL of a picture, of an uploaded one the file for a list: its renditions are the
 * largest first.
 */
export const small = (/** @type {Image | null | undefined} */ image, least = 160) =>
  ownPath(image?.renditions.findLast(({ width }) => width >= least)?.url ?? image?.url ?? null)
