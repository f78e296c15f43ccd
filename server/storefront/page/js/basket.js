// The basket: variants, quantities and how they are displayed. Prices come from the server only.

import { load, onChangeElsewhere, save } from './store.js'

const events = new EventTarget()
// [{productId, variantId, quantity, handle, title, variantTitle, image}]
let lines = load('basket', [])

export const all = () => lines
export const isEmpty = () => lines.length === 0
export const count = () => lines.reduce((sum, line) => sum + line.quantity, 0)

/** Returns the lines in the form that quoting and placing require. */
export const items = () =>
  lines.map(({ productId, variantId, quantity }) => ({ productId, variantId, quantity }))

export function add(product, variant, quantity) {
  const line = lines.find((l) => l.variantId === variant._id)
  if (line) return setQuantity(variant._id, line.quantity + quantity)
  const image = variant.image ?? product.images[0]
  replaceLines([
    ...lines,
    {
      productId: product._id,
      variantId: variant._id,
      quantity,
      handle: product.handle,
      title: product.title,
      variantTitle: product.options.length ? variant.title : '',
      image: small(image),
    },
  ])
}

// The renditions of an uploaded picture are the largest first.
const small = (image) =>
  image?.renditions?.findLast(({ width }) => width >= 160)?.url ?? image?.url ?? null

/** Sets the quantity of a variant; 0 removes it. */
export function setQuantity(variantId, quantity) {
  replaceLines(
    lines
      .map((l) => (l.variantId === variantId ? { ...l, quantity } : l))
      .filter((l) => l.quantity > 0),
  )
}

export const clear = () => replaceLines([])
export const onChange = (callback, options) => events.addEventListener('change', callback, options)

function replaceLines(changed) {
  lines = changed
  save('basket', lines.length ? lines : null)
  events.dispatchEvent(new Event('change'))
}

onChangeElsewhere('basket', () => {
  lines = load('basket', [])
  events.dispatchEvent(new Event('change'))
})
