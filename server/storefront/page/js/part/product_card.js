import { h } from '../dom.js'
import { langOf, money, name, t } from '../language.js'
import { link } from '../router.js'

/**
 * Products as a grid of cards, with headings of this level. The pictures of the first ones are not
 * deferred.
 */
export const productGrid = (products, { heading = 'h3', eager = 0 } = {}) =>
  h(
    'ul',
    { class: 'grid' },
    products.map((p, i) => h('li', null, productCard(p, heading, i < eager))),
  )

/** One product. The whole card is a link, labelled with the product's name. */
function productCard(product, heading, eager) {
  const title = name(product.title)
  return h(
    'article',
    { class: 'card' },
    h(
      'div',
      { class: 'card-picture' },
      picture(product.images[0], 400, { eager }),
      product.variants.some(onSale) && h('span', { class: 'badge badge-sale' }, t('sale')),
      !product.available && h('span', { class: 'badge' }, t('stock_OUT_OF_STOCK')),
    ),
    h(
      heading,
      { class: 'card-title' },
      link({ product: product.handle }, { lang: langOf(title) }, title),
    ),
    product.vendor && h('p', { class: 'quiet', lang: langOf(product.vendor) }, product.vendor),
    price(product),
  )
}

// How wide pictures of a size are shown: a browser chooses the file of an uploaded one by it.
const sizes = { 400: '(min-width: 60rem) 18rem, 45vw', 800: '(min-width: 40rem) 50vw, 100vw' }

/**
 * A picture. alt is empty if it would repeat the name next to it. Pictures are loaded when they
 * come into view; an eager one is there at first.
 */
export const picture = (image, size, { alt = '', eager = false } = {}) =>
  image
    ? h('img', {
        // before src, which starts loading
        loading: eager ? 'eager' : 'lazy',
        fetchpriority: eager && 'high',
        decoding: 'async',
        srcset:
          image.renditions?.length > 1 &&
          image.renditions.map(({ url, width }) => `${url} ${width}w`).join(', '),
        sizes: image.renditions?.length > 1 && (sizes[size] ?? size + 'px'),
        src: image.url,
        alt,
        width: image.width ?? size,
        height: image.height ?? size,
      })
    : h('span', { class: 'no-picture', 'aria-hidden': 'true' })

const onSale = (of) => of.compareAtPrice && of.compareAtPrice.amount > of.price.amount

/** The price of a product or variant, with the price before a sale. */
export function price(of) {
  const range = of.priceRange && of.priceRange.min.amount !== of.priceRange.max.amount
  return h(
    'p',
    { class: 'price' },
    h('span', { class: 'visually-hidden' }, t('price') + ': '),
    h(
      'span',
      { class: onSale(of) ? 'price-now price-sale' : 'price-now' },
      range ? t('from', { price: money(of.priceRange.min) }) : money(of.price),
    ),
    onSale(of) && [
      ' ',
      h('span', { class: 'visually-hidden' }, t('priceBefore') + ': '),
      h('s', null, money(of.compareAtPrice)),
    ],
  )
}

export const stock = (status) => h('span', { class: 'stock stock-' + status }, t('stock_' + status))
