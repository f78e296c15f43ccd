// What the form of a product contains, and what of it is a change.

import { majorUnits, number } from '../i18n.js'
import { can } from '../session.js'
import { t as list } from '../strings/products.js'
import { t } from '../strings/product.js'
import { textOf } from './description.js'
import { small } from './picture.js'
import { amountOf, countOf, shownAmount } from './product_change.js'

/** @typedef {import('./product_change.js').Product} Product */
/**
 * @typedef {{ key: string, id?: string, mediaId?: string, url: string, alt: string }} Photo neither
 *   id nor mediaId: not uploaded yet
 */
/**
 * @typedef {{ key: string, id?: string, values: string[], price: string, compareAt: string, cost:
 *   string, tracked: boolean, stock: string, lowStock: string, backorder: boolean, sku: string,
 *   barcode: string, weight: string, photo: string }} Variant photo: its key, '' for none
 */
/**
 * @typedef {{ title: string, description: string, status: Product['status'], photos: Photo[],
 *   options: { name: string, values: string[] }[], variants: Variant[], dropped: string[],
 *   quantityPrices: { quantity: string, price: string }[], tags: string[], collections: string[],
 *   seoTitle: string, seoDescription: string, handle: string }}
 *   Draft dropped: combinations of values that are not sold
 */

/** @type {Variant} */
const emptyVariant = {
  key: 'first',
  values: [],
  price: '',
  compareAt: '',
  cost: '',
  tracked: true,
  stock: '',
  lowStock: '5',
  backorder: false,
  sku: '',
  barcode: '',
  weight: '',
  photo: '',
}

/** @type {Draft} */
export const emptyDraft = {
  title: '',
  description: '',
  status: 'active',
  photos: [],
  options: [],
  variants: [emptyVariant],
  dropped: [],
  quantityPrices: [],
  tags: [],
  collections: [],
  seoTitle: '',
  seoDescription: '',
  handle: '',
}

const amountText = (/** @type {import('../i18n.js').Money | null} */ amount) =>
  amount ? majorUnits(amount) : ''

/** Returns the form of a product. @returns {Draft} */
export function draftOf(/** @type {Product} */ product) {
  const options = product.options.map(({ name, values }) => ({ name, values }))
  const variants = product.variants.map((variant) => ({
    key: variant._id,
    id: variant._id,
    values: variant.optionValues.map(({ value }) => value),
    price: majorUnits(variant.price),
    compareAt: amountText(variant.compareAtPrice),
    cost: amountText(variant.cost),
    tracked: variant.stock !== null,
    stock: variant.stock === null ? '' : String(variant.stock),
    lowStock: String(variant.lowStock),
    backorder: variant.backorder,
    sku: variant.sku ?? '',
    barcode: variant.barcode ?? '',
    weight: variant.weightGrams ? String(variant.weightGrams) : '',
    photo: variant.image?._id ?? '',
  }))
  const sold = variants.map((values) => values.values.join('\n'))
  return {
    title: product.title,
    description: product.descriptionHtml,
    status: product.status,
    options,
    variants,
    photos: product.images.map((image) => ({
      key: image._id,
      id: image._id,
      url: small(image, 320) ?? '',
      alt: image.alt,
    })),
    dropped: combinations(options.map(({ values }) => values))
      .map((values) => values.join('\n'))
      .filter((values) => !sold.includes(values)),
    quantityPrices: product.quantityPrices.map(({ quantity, price }) => ({
      quantity: String(quantity),
      price: majorUnits(price),
    })),
    tags: product.tags,
    collections: product.collectionIds,
    seoTitle: product.seo.title ?? '',
    seoDescription: product.seo.description ?? '',
    handle: product.handle,
  }
}

/** @returns {string[][]} */
const combinations = (/** @type {string[][]} */ lists) =>
  lists.reduce(
    (/** @type {string[][]} */ all, values) =>
      all.flatMap((head) => values.map((value) => [...head, value])),
    [[]],
  )

/**
 * Returns the form with a variant for each combination of values that is sold. A variant stays with
 * its values.
 * @returns {Draft}
 */
export function arrange(/** @type {Draft} */ draft) {
  const used = draft.options.map((_, i) => i).filter((i) => draft.options[i].values.length > 0)
  const left = [...draft.variants]
  const variants = combinations(used.map((i) => draft.options[i].values))
    .filter((values) => !draft.dropped.includes(values.join('\n')))
    .map((combination) => {
      const fits = (/** @type {boolean} */ open) =>
        left.findIndex((variant) =>
          used.every(
            (i, at) => variant.values[i] === combination[at] || (open && !variant.values[i]),
          ),
        )
      // one without a value of a new option gets its first
      const at = fits(false) >= 0 ? fits(false) : fits(true)
      const values = draft.options.map((_, i) =>
        used.includes(i) ? combination[used.indexOf(i)] : '',
      )
      if (at >= 0) return { ...left.splice(at, 1)[0], values }
      return {
        ...draft.variants[0],
        id: undefined,
        key: crypto.randomUUID(),
        values,
        stock: '',
        sku: '',
        barcode: '',
        photo: '',
      }
    })
  return { ...draft, variants: variants.length > 0 ? variants : draft.variants.slice(0, 1) }
}

/** The values of a variant, as buyers read them. */
export const titleOf = (/** @type {Variant} */ variant) =>
  variant.values.filter(Boolean).join(' / ')

const shownPrice = ({ price }) =>
  Number.isNaN(Number(amountOf(price))) ? price : shownAmount(Number(amountOf(price)))

/** The quantity prices of a form, as buyers read them. */
export const shownQuantityPrices = (/** @type {Draft} */ { quantityPrices }) =>
  quantityPrices
    .filter(({ quantity, price }) => quantity && price)
    .map((line) =>
      t('quantityPrice', { count: Number(countOf(line.quantity)), price: shownPrice(line) }),
    )
    .join(', ')

/**
 * What is compared and sent as one.
 * @type {Record<string, { label: () => string, show: (d: Draft) => string, fields: (keyof Draft)[]
 *   }>}
 */
export const parts = {
  title: { label: () => t('title'), show: (d) => d.title, fields: ['title'] },
  photos: {
    label: () => t('photos'),
    show: (d) => (d.photos.length === 0 ? '' : t('photoCount', { count: d.photos.length })),
    fields: ['photos'],
  },
  variants: {
    label: () => t('priceAndVariants'),
    show: (d) =>
      d.variants
        .map((variant) =>
          [titleOf(variant), shownPrice(variant), variant.sku].filter(Boolean).join(' '),
        )
        .join(', '),
    fields: ['options', 'variants', 'dropped'],
  },
  quantityPrices: {
    label: () => t('quantityPrices'),
    show: shownQuantityPrices,
    fields: ['quantityPrices'],
  },
  status: { label: () => list('status'), show: (d) => list(d.status), fields: ['status'] },
  description: {
    label: () => t('description'),
    show: (d) => textOf(d.description),
    fields: ['description'],
  },
  collections: {
    label: () => t('collections'),
    show: (d) => (d.collections.length === 0 ? '' : number(d.collections.length)),
    fields: ['collections'],
  },
  tags: { label: () => t('tags'), show: (d) => d.tags.join(', '), fields: ['tags'] },
  search: {
    label: () => t('searchEngines'),
    show: (d) => [d.seoTitle, d.seoDescription].filter(Boolean).join(' · '),
    fields: ['seoTitle', 'seoDescription'],
  },
  handle: { label: () => t('handle'), show: (d) => d.handle, fields: ['handle'] },
}

/**
 * What a photo shows: an uploaded one by its ID in the URL, which is the same before the product
 * has it and after.
 */
const shownBy = (/** @type {Photo | undefined} */ photo) =>
  /\/media\/[^/]+\/([^/]+)\//.exec(photo?.url ?? '')?.[1] ?? photo?.url ?? ''

// Stock is no part of them: it is added to or subtracted from, and not replaced.
const valueOf = (/** @type {Draft} */ d, /** @type {string} */ part) =>
  JSON.stringify(
    part === 'variants'
      ? [
          d.options,
          d.variants.map(({ stock, key, id, photo, ...rest }) => [
            rest,
            shownBy(d.photos.find((candidate) => candidate.key === photo)),
          ]),
        ]
      : part === 'photos'
        ? d.photos.map((photo) => [shownBy(photo), photo.alt])
        : parts[part].fields.map((field) => d[field]),
  )

/** Returns the parts in which two forms differ. */
export const differences = (/** @type {Draft} */ a, /** @type {Draft} */ b) =>
  Object.keys(parts).filter((part) => valueOf(a, part) !== valueOf(b, part))

/** Returns the form with some parts of another. */
export const merge = (
  /** @type {Draft} */ draft,
  /** @type {Draft} */ other,
  /** @type {string[]} */ chosen,
) => {
  const fields = chosen.flatMap((part) => parts[part].fields)
  return /** @type {Draft} */ ({
    ...draft,
    ...Object.fromEntries(fields.map((field) => [field, other[field]])),
  })
}

/**
 * Returns the form with the stock that the shop has now, and what is to be added to it.
 * @returns {Draft}
 */
export const withStock = (
  /** @type {Draft} */ draft,
  /** @type {Draft} */ now,
  /** @type {{ id: string, units: number }[]} */ moves,
) => ({
  ...draft,
  variants: draft.variants.map((variant) => {
    const current = now.variants.find(({ id }) => id && id === variant.id)
    if (!current?.tracked || !variant.tracked) return variant
    return {
      ...variant,
      stock: String(
        Number(current.stock) + (moves.find(({ id }) => id === variant.id)?.units ?? 0),
      ),
    }
  }),
})

/** Returns the units to add to each variant that the shop has, or to subtract. */
export const stockMoves = (/** @type {Draft} */ draft, /** @type {Draft} */ base) =>
  draft.variants.flatMap((variant) => {
    const before = base.variants.find(({ id }) => id && id === variant.id)
    if (!before?.tracked || !variant.tracked || before.stock === variant.stock) return []
    const units = Number(countOf(variant.stock)) - Number(before.stock)
    return units === 0 ? [] : [{ id: /** @type {string} */ (variant.id), units }]
  })

const imageOf = (/** @type {Photo} */ { id, mediaId, alt }) =>
  id ? { _id: id, alt } : { mediaId, alt }

/** Returns a variant as it is sent: a new one without what is empty, another with null for it. */
function variantOf(
  /** @type {Variant} */ variant,
  /** @type {Draft} */ draft,
  /** @type {Draft | null} */ base,
  /** @type {boolean} */ mayCount,
) {
  const before = base?.variants.find(({ id }) => id && id === variant.id)
  const none = before ? null : undefined
  const photo = draft.photos.find(({ key }) => key === variant.photo)
  const tracked =
    before && !mayCount
      ? before.tracked
      : mayCount && variant.tracked && (before?.tracked || variant.stock !== '')
  return {
    _id: variant.id,
    options: variant.values.filter(Boolean),
    price: amountOf(variant.price) ?? 0,
    compareAtPrice: amountOf(variant.compareAt) ?? none,
    cost: can('costs.read') ? (amountOf(variant.cost) ?? none) : undefined,
    weightGrams: countOf(variant.weight) ?? 0,
    sku: variant.sku.trim() || none,
    barcode: variant.barcode.trim() || none,
    tracked,
    backorder: variant.backorder,
    lowStock: countOf(variant.lowStock) ?? undefined,
    image: photo ? imageOf(photo) : none,
    stock: tracked && mayCount && !before?.tracked ? (countOf(variant.stock) ?? 0) : undefined,
  }
}

/** Returns the body of a change of those parts, or of a new product. */
export function bodyOf(
  /** @type {Draft} */ d,
  /** @type {string[]} */ changed,
  /** @type {Draft | null} */ base,
  /** @type {boolean} */ mayCount,
) {
  /** @type {any} */
  const body = {}
  const none = base ? null : undefined
  for (const part of changed) {
    if (part === 'photos') body.images = d.photos.map(imageOf)
    else if (part === 'variants') {
      body.options = d.options
        .filter(({ values }) => values.length > 0)
        .map((option) => option.name.trim())
      body.variants = d.variants.map((variant) => variantOf(variant, d, base, mayCount))
    } else if (part === 'quantityPrices')
      body.quantityPrices = d.quantityPrices.map(({ quantity, price }) => ({
        quantity: countOf(quantity) ?? 0,
        price: amountOf(price) ?? 0,
      }))
    else if (part === 'description') body.descriptionHtml = d.description || none
    else if (part === 'search')
      body.seo = { title: d.seoTitle.trim() || none, description: d.seoDescription.trim() || none }
    else if (part === 'handle') body.handle = d.handle.trim() || undefined
    else
      Object.assign(body, Object.fromEntries(parts[part].fields.map((field) => [field, d[field]])))
  }
  return body
}

/** Returns what is wrong with the form, by field, before anything is sent. */
export function faultsOf(/** @type {Draft} */ d) {
  /** @type {Record<string, string>} */
  const errors = {}
  if (d.title.trim() === '') errors.title = t('noTitle')
  d.options.forEach((option, i) => {
    if (option.values.length > 0 && option.name.trim() === '')
      errors[`options[${i}]`] = t('noOptionName')
  })
  d.quantityPrices.forEach(({ quantity, price }, i) => {
    if (!countOf(quantity)) errors[`quantityPrices[${i}].quantity`] = list('noCount')
    if (!amountOf(price)) errors[`quantityPrices[${i}].price`] = list('noAmount')
  })
  d.variants.forEach((variant, i) => {
    const bad = (/** @type {string} */ field, /** @type {string} */ text) => {
      errors[fieldOf(d, i, field)] = text
    }
    const price = amountOf(variant.price)
    if (price === null) bad('price', t('noPrice'))
    else if (Number.isNaN(price)) bad('price', list('noAmount'))
    for (const [field, text] of [
      ['compareAtPrice', variant.compareAt],
      ['cost', variant.cost],
    ]) {
      if (Number.isNaN(amountOf(text))) bad(field, list('noAmount'))
    }
    for (const [field, text] of [
      ['stock', variant.stock],
      ['weightGrams', variant.weight],
      ['lowStock', variant.lowStock],
    ]) {
      if (Number.isNaN(countOf(text))) bad(field, list('noCount'))
    }
    if (variant.id && variant.tracked && variant.stock === '') bad('stock', list('noCount'))
  })
  return errors
}

/** The name of a variant's field in the form: that of the only one is short. */
export const fieldOf = (
  /** @type {Draft} */ d,
  /** @type {number} */ i,
  /** @type {string} */ field,
) => (d.variants.length === 1 ? field : `variants[${i}].${field}`)

/** The names of all fields of the form, as the API's errors name them. */
export const fieldNames = (/** @type {Draft} */ d) => [
  'title',
  'handle',
  'descriptionHtml',
  'status',
  'tags',
  'collections',
  'images',
  'seo.title',
  'seo.description',
  ...d.options.map((_, i) => `options[${i}]`),
  ...d.quantityPrices.flatMap((_, i) => [
    `quantityPrices[${i}].quantity`,
    `quantityPrices[${i}].price`,
  ]),
  ...d.variants.flatMap((_, i) =>
    [
      'price',
      'compareAtPrice',
      'cost',
      'stock',
      'lowStock',
      'weightGrams',
      'sku',
      'barcode',
      'options',
    ].map((field) => fieldOf(d, i, field)),
  ),
]
