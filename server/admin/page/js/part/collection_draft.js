// What a form about a collection holds: how it is read, compared, merged and sent.

import { t } from '../strings/collections.js'
import { textOf } from './description.js'
import { small } from './picture.js'
import { titleOf } from './product_pick.js'

/** @typedef {import('../api.js').Schemas['CollectionRecord']} Collection */
/** @typedef {import('./product_draft.js').Photo} Photo */
/**
 * @typedef {{ title: string, description: string, handle: string, photos: Photo[], products:
 *   string[] }} Draft
 */

/** @returns {Draft} */
export function draftOf(/** @type {Collection} */ collection) {
  const id = collection.image?._id || 'picture'
  return {
    title: collection.title,
    description: collection.descriptionHtml,
    handle: collection.handle,
    products: collection.productIds ?? [],
    photos: collection.image
      ? [{ key: id, id, url: small(collection.image, 320) ?? '', alt: collection.image.alt }]
      : [],
  }
}

/**
 * @type {Record<string, { label: () => string, show: (draft: Draft) => string, value: (draft:
 *   Draft) => any, fields: (keyof Draft)[] }>}
 */
export const parts = {
  picture: {
    label: () => t('picture'),
    show: (d) => d.photos.map((photo) => photo.alt || t('picture')).join(),
    fields: ['photos'],
    value: (d) =>
      d.photos.map((photo) => [
        /\/media\/[^/]+\/([^/]+)\//.exec(photo.url)?.[1] ?? photo.url,
        photo.alt,
      ]),
  },
  title: {
    label: () => t('title'),
    show: (d) => d.title,
    value: (d) => d.title.trim(),
    fields: ['title'],
  },
  description: {
    label: () => t('description'),
    show: (d) => textOf(d.description),
    value: (d) => d.description,
    fields: ['description'],
  },
  handle: {
    label: () => t('handle'),
    show: (d) => d.handle,
    value: (d) => d.handle.trim(),
    fields: ['handle'],
  },
  products: {
    label: () => t('products'),
    show: (d) => t('count', { count: d.products.length }),
    value: (d) => d.products,
    fields: ['products'],
  },
}

/** Returns in words how a list of products differs from another. */
export function changeOf(/** @type {string[]} */ list, /** @type {string[]} */ from) {
  const [has, had] = [new Set(list), new Set(from)]
  const [added, gone] = [list.filter((id) => !had.has(id)), from.filter((id) => !has.has(id))]
  const titles = (/** @type {string[]} */ ids) =>
    ids.slice(0, 5).map(titleOf).join(', ') + (ids.length > 5 ? '…' : '')
  const isMoved =
    list.filter((id) => had.has(id)).join() !== from.filter((id) => has.has(id)).join()
  return [
    t('count', { count: list.length }),
    added.length > 0 && t('added', { titles: titles(added) }),
    gone.length > 0 && t('removed', { titles: titles(gone) }),
    isMoved && t('otherOrderOf'),
  ]
    .filter(Boolean)
    .join('. ')
}

export const compared = {
  differences: (/** @type {Draft} */ a, /** @type {Draft} */ b) =>
    Object.keys(parts).filter(
      (part) => JSON.stringify(parts[part].value(a)) !== JSON.stringify(parts[part].value(b)),
    ),
  merge: (
    /** @type {Draft} */ draft,
    /** @type {Draft} */ other,
    /** @type {string[]} */ chosen,
  ) => {
    const fields = chosen.flatMap((part) => parts[part].fields)
    return /** @type {Draft} */ ({
      ...draft,
      ...Object.fromEntries(fields.map((field) => [field, other[field]])),
    })
  },
}

/** Returns the own list with what somebody else has added to it and taken out of it meanwhile. */
export const joined = (
  /** @type {string[]} */ mine,
  /** @type {string[]} */ base,
  /** @type {string[]} */ theirs,
) => {
  const [had, have] = [new Set(base), new Set(theirs)]
  return [
    ...mine.filter((id) => have.has(id) || !had.has(id)),
    ...theirs.filter((id) => !had.has(id) && !mine.includes(id)),
  ]
}

/** Returns the body of a change of those parts. */
export function bodyOf(
  /** @type {Draft} */ d,
  /** @type {Draft} */ base,
  /** @type {string[]} */ own,
) {
  /** @type {any} */
  const body = {}
  if (own.includes('title')) body.title = d.title.trim()
  if (own.includes('description')) body.descriptionHtml = d.description || null
  if (own.includes('handle')) body.handle = d.handle.trim()
  if (own.includes('picture')) {
    const [photo] = d.photos
    if (!photo) body.imageId = null
    else {
      if (photo.mediaId) body.imageId = photo.mediaId
      if (photo.mediaId === undefined || photo.alt !== '') body.imageAlt = photo.alt
    }
  }
  return body
}
