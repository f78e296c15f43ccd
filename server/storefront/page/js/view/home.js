import { get } from '../api.js'
import { h } from '../dom.js'
import { langOf, name, t } from '../language.js'
import { picture, productGrid } from '../part/product_card.js'
import { link } from '../router.js'
import { collections } from '../shop.js'

/** The home page. */
export async function home(_, signal) {
  const all = await collections()
  const featured = all[0]
  const [first, newest, onSale] = await Promise.all([
    featured
      ? get(
          '/products',
          { collectionIds: [featured._id], sortBy: 'manual', limit: 11, inStock: true },
          { signal },
        )
      : { nodes: [] },
    get('/products', { limit: 12, inStock: true }, { signal }),
    get('/products', { limit: 16, inStock: true, onSale: true, sortBy: 'bestSelling' }, { signal }),
  ])
  // Each product is shown once.
  const shown = new Set()
  const fresh = (products, most) => {
    const some = products.filter((p) => !shown.has(p._id)).slice(0, most)
    some.forEach((p) => shown.add(p._id))
    return some
  }
  const shelves = [
    featured &&
      shelf(
        'featured',
        name(featured.title),
        { collection: featured.handle },
        fresh(first.nodes, 8),
      ),
    shelf('new', t('newIn'), { view: 'products' }, fresh(newest.nodes, 4)),
    shelf('sale', t('onSale'), { view: 'products', onSale: '1' }, fresh(onSale.nodes, 4)),
  ]
  const heroes = fresh([...first.nodes, ...newest.nodes], 3)
  return {
    title: '',
    content: h(
      'div',
      { class: 'home' },
      h(
        'section',
        { class: 'hero' },
        h(
          'div',
          { class: 'hero-text' },
          h('h1', null, t('tagline')),
          h('p', null, t('taglineText')),
          link({ view: 'products' }, { class: 'button' }, t('shopNow')),
        ),
        h(
          'div',
          { class: 'hero-pictures', 'aria-hidden': 'true' },
          heroes.map((p) => picture(p.images[0], 400, { eager: true })),
        ),
      ),
      h(
        'section',
        { 'aria-labelledby': 'collections-title' },
        h('h2', { id: 'collections-title' }, t('collections')),
        h(
          'ul',
          { class: 'tiles' },
          all.map((c) =>
            h(
              'li',
              null,
              link(
                { collection: c.handle },
                { class: 'tile' },
                picture(c.image, 240),
                h('span', { class: 'tile-title', lang: langOf(name(c.title)) }, name(c.title)),
                h('span', { class: 'quiet tile-count' }, t('found', { count: c.productCount })),
              ),
            ),
          ),
        ),
      ),
      shelves,
    ),
  }
}

const shelf = (id, title, more, products) =>
  products.length > 0 &&
  h(
    'section',
    { 'aria-labelledby': id + '-title' },
    h(
      'div',
      { class: 'shelf-head' },
      h('h2', { id: id + '-title' }, title),
      link(more, { 'aria-label': `${t('all')}: ${title}` }, t('all')),
    ),
    productGrid(products),
  )
