// Pictures of products.

import { shopUID } from '../router.js'

/** @typedef {import('../api.js').Schemas['Image']} Image */

/**
 * Returns the path of an uploaded picture at the dashboard's own host, and other addresses as they
 * are. Only there staff see pictures that are not published, and a public URL may lead elsewhere.
 *
 * @type {<T extends string | null | undefined>(url: T) => T | string}
 */
export const ownPath = (url) => {
  const path = url?.replace(/^https?:\/\/[^/]+/, '')
  return path?.startsWith(`/media/${shopUID.value}/`) ? path : url
}

/**
 * Returns the URL of a picture, of an uploaded one the file for a list: its renditions are the
 * largest first.
 */
export const small = (/** @type {Image | null | undefined} */ image, least = 160) =>
  ownPath(image?.renditions.findLast(({ width }) => width >= least)?.url ?? image?.url ?? null)
