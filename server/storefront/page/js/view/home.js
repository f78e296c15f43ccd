import { get } from '../api.js'
import { h } from '../dom.js'
import { langOf, name, number, t } from '../language.js'
import { picture, productGrid } from '../part/product_card.js'
import { link } from '../router.js'
import { collections } from '../shop.js'

/** What a visitor sees first. */
export async function home(_, signal) {
  const all = await collections()
  const featured = all[0]
  const [first, newest, onSale] = await Promise.all([
    featured ? get('/products', { collectionIds: [featured._id], sortBy: 'manual', limit: 8, inStock: true }, { signal }) : { nodes: [] },
    get('/products', { limit: 20, inStock: true }, { signal }),
    get('/products', { limit: 20, inStock: true, onSale: true, sortBy: 'bestSelling' }, { signal }),
  ])
  // A shelf shows what no shelf above it does.
  const shown = new Set()
  const fresh = (products, most) => {
    const some = products.filter((p) => !shown.has(p._id)).slice(0, most)
    some.forEach((p) => shown.add(p._id))
    return some
  }
  return {
    title: '',
    content: h('div', { class: 'home' },
      h('section', { class: 'hero' },
        h('div', { class: 'hero-text' },
          h('h1', null, t('tagline')),
          h('p', null, t('taglineText')),
          link({ view: 'products' }, { class: 'button' }, t('shopNow'))),
        h('div', { class: 'hero-pictures', 'aria-hidden': 'true' }, all.filter((_, i) => i % 3 === 1).slice(0, 3).map((c) => picture(c.image, 400)))),
      h('section', { 'aria-labelledby': 'collections-title' },
        h('h2', { id: 'collections-title' }, t('collections')),
        h('ul', { class: 'tiles' }, all.map((c) => h('li', null,
          link({ collection: c.handle }, { class: 'tile' },
            picture(c.image, 240),
            h('span', { class: 'tile-title', lang: langOf(name(c.title)) }, name(c.title)),
            h('span', { class: 'quiet' }, t('found', { count: number(c.productCount) }))))))),
      featured && shelf('featured', name(featured.title), { collection: featured.handle }, fresh(first.nodes, 8)),
      shelf('new', t('newIn'), { view: 'products' }, fresh(newest.nodes, 4)),
      shelf('sale', t('onSale'), { view: 'products', onSale: '1' }, fresh(onSale.nodes, 4))),
  }
}

const shelf = (id, title, more, products) =>
  products.length > 0 && h('section', { 'aria-labelledby': id + '-title' },
    h('div', { class: 'shelf-head' },
      h('h2', { id: id + '-title' }, title),
      link(more, { 'aria-label': `${t('all')}: ${title}` }, t('all'))),
    productGrid(products))
