// The basket. It knows what is wanted and how it looks; what it costs, the server alone says.

import { load, onChangeElsewhere, save } from './store.js'

const events = new EventTarget()
let lines = load('basket', []) // [{productId, variantId, quantity, handle, title, variantTitle, image}]

export const all = () => lines
export const isEmpty = () => lines.length === 0
export const count = () => lines.reduce((sum, line) => sum + line.quantity, 0)

/** The lines as quoting and placing take them. */
export const items = () => lines.map(({ productId, variantId, quantity }) => ({ productId, variantId, quantity }))

export function add(product, variant, quantity) {
  const line = lines.find((l) => l.variantId === variant._id)
  if (line) return setQuantity(variant._id, line.quantity + quantity)
  const image = variant.image ?? product.images[0]
  keep([...lines, {
    productId: product._id, variantId: variant._id, quantity, handle: product.handle,
    title: product.title, variantTitle: product.options.length ? variant.title : '', image: image?.url ?? null,
  }])
}

/** Sets how many of a variant are wanted; 0 takes it out. */
export function setQuantity(variantId, quantity) {
  keep(lines.map((l) => (l.variantId === variantId ? { ...l, quantity } : l)).filter((l) => l.quantity > 0))
}

export const clear = () => keep([])
export const onChange = (callback, options) => events.addEventListener('change', callback, options)

function keep(changed) {
  lines = changed
  save('basket', lines.length ? lines : null)
  events.dispatchEvent(new Event('change'))
}

onChangeElsewhere('basket', () => {
  lines = load('basket', [])
  events.dispatchEvent(new Event('change'))
})
