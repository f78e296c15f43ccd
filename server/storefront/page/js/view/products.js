import { Problem, get } from '../api.js'
import { announce, h, icon, replace, richText } from '../dom.js'
import { langOf, name, number, otherName, t } from '../language.js'
import { productGrid } from '../part/product_card.js'
import { empty } from '../part/states.js'
import { address, focusOn, rewrite } from '../router.js'
import { collections, minorUnits, tenant } from '../shop.js'

const pageSize = 12
const maxPageSize = 96 // the API allows 100

// The sort orders on offer, in terms of the API; "" is the default.
const sorts = {
  newest: { sortBy: 'createdAt', sort: 'desc' },
  best: { sortBy: 'bestSelling' },
  cheap: { sortBy: 'price', sort: 'asc' },
  dear: { sortBy: 'price', sort: 'desc' },
  title: { sortBy: 'title', sort: 'asc' },
}

const prices = [500, 1000, 2000, 5000] // in major units

/** Products of a collection, of a search, or all. Filters and page are in the address. */
export async function products(query, signal) {
  const of = await subject(query)
  const state = Object.fromEntries(
    ['sort', 'inStock', 'onSale', 'maxPrice', 'page'].map((key) => [key, query.get(key) ?? '']),
  )
  const [{ currency }, first] = await Promise.all([tenant(), fetchPage(of, state, signal)])

  const status = h('p', { class: 'quiet', role: 'status' })
  const results = h('div', { class: 'results' })
  const content = h(
    'div',
    null,
    h(
      'div',
      { class: 'list-head' },
      h('h1', { lang: langOf(of.title) }, of.title),
      of.subtitle && h('p', { class: 'subtitle', lang: langOf(of.subtitle) }, of.subtitle),
      of.description &&
        h('div', { class: 'prose', lang: langOf(of.description) }, richText(of.description)),
    ),
    filters(
      filterForm(of, state, currency, change),
      () => Object.values({ ...state, sort: '', page: '' }).filter(Boolean).length,
    ),
    status,
    results,
  )
  let shown = first.nodes
  draw(first.meta)
  return { title: of.title, content }

  function draw(meta) {
    status.textContent =
      shown.length > 0 ? t('shownOf', { shown: shown.length, count: meta.totalCount }) : ''
    if (shown.length === 0) {
      announce(t('nothingFound'))
      replace(
        results,
        empty(
          t('nothingFound'),
          t('nothingFoundText'),
          h('a', { class: 'button', href: '/?view=products' }, t('shopNow')),
        ),
      )
      return
    }
    const rest = shown.length < meta.totalCount
    replace(
      results,
      productGrid(shown, { heading: 'h2', eager: 4 }),
      rest &&
        h(
          'p',
          { class: 'actions' },
          h(
            'button',
            { class: 'button button-quiet', type: 'button', id: 'more', onclick: more },
            t('more'),
          ),
        ),
    )
  }

  // change replaces the products and leaves the focus on the filter.
  async function change(changed) {
    Object.assign(state, changed, { page: '' })
    rewrite(address({ ...of.query, ...state }))
    results.setAttribute('aria-busy', 'true')
    const { nodes, meta } = await fetchPage(of, state, signal)
    results.removeAttribute('aria-busy')
    shown = nodes
    draw(meta)
  }

  async function more() {
    const next = shown.length
    state.page = String(Math.floor(next / pageSize) + 1)
    const { nodes, meta } = await fetchPage(of, state, signal, pageSize)
    rewrite(address({ ...of.query, ...state }))
    shown = [...shown, ...nodes]
    draw(meta)
    announce(status.textContent)
    focusOn(results.querySelectorAll('.card-title a')[next])
  }
}

// subject returns what is listed: its texts, its part of the address and its part of the request.
async function subject(query) {
  const words = query.get('search')
  if (words)
    return {
      title: t('resultsFor', { words }),
      query: { search: words },
      filter: { search: words },
      first: 'relevance',
    }
  const handle = query.get('collection')
  if (!handle)
    return { title: t('everything'), query: { view: 'products' }, filter: {}, first: 'newest' }
  const collection = (await collections()).find((c) => c.handle === handle)
  if (!collection) throw new Problem(404, { code: 'not_found' })
  return {
    title: name(collection.title),
    subtitle: otherName(collection.title),
    description: collection.descriptionHtml,
    query: { collection: handle },
    filter: { collectionIds: [collection._id] },
    first: '',
    manual: true,
  }
}

// fetchPage requests one page of the size, or everything up to the page in the address, so that
// reloading and going back show the same products.
async function fetchPage(of, state, signal, size) {
  const page = Math.max(1, Number(state.page) || 1)
  const sort = sorts[state.sort] ?? (of.manual ? { sortBy: 'manual' } : {})
  return get(
    '/products',
    {
      ...of.filter,
      ...sort,
      inStock: state.inStock && true,
      onSale: state.onSale && true,
      maxPrice: state.maxPrice && (await minorUnits(Number(state.maxPrice))),
      page: size ? page : 1,
      limit: size ?? Math.min(page * pageSize, maxPageSize),
    },
    { signal },
  )
}

// filters shows the form: in the view, or on a narrow screen in a sheet at the bottom, behind a
// button. count returns the number of filters in use.
function filters(form, count) {
  const active = h('span', { class: 'count' })
  const drawCount = () => {
    active.textContent = number(count())
    active.hidden = count() === 0
  }
  const place = h('div', { class: 'filters-place' }, form)
  const show = h(
    'button',
    {
      class: 'button button-wide',
      type: 'button',
      id: 'close-filters',
      onclick: () => sheet.close(),
    },
    t('showResults'),
  )
  const sheet = h(
    'dialog',
    { class: 'sheet', 'aria-labelledby': 'filters-title' },
    h(
      'div',
      { class: 'drawer-head' },
      h('h2', { id: 'filters-title' }, t('filters')),
      h(
        'button',
        { class: 'icon-button', type: 'button', onclick: () => sheet.close() },
        icon('close'),
        h('span', { class: 'visually-hidden' }, t('close')),
      ),
    ),
    show,
  )
  // it may be open again when the event comes
  sheet.addEventListener('close', () => sheet.open || place.append(form))
  // on the backdrop
  sheet.addEventListener('click', (event) => event.target === sheet && sheet.close())
  form.addEventListener('change', drawCount)
  drawCount()
  return h(
    'div',
    { class: 'filters-bar' },
    h(
      'button',
      {
        class: 'button button-quiet',
        type: 'button',
        id: 'open-filters',
        'aria-haspopup': 'dialog',
        onclick: () => {
          show.before(form)
          sheet.showModal()
        },
      },
      icon('filter'),
      t('filters'),
      active,
    ),
    place,
    sheet,
  )
}

function filterForm(of, state, currency, change) {
  const wanted = (name) => (event) => change({ [name]: event.target.checked ? '1' : '' })
  const option = (value, label, chosen) => h('option', { value, selected: value === chosen }, label)
  const symbol = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  })
    .formatToParts(0)
    .find((part) => part.type === 'currency').value
  const keys = ['', ...Object.keys(sorts).filter((key) => key !== of.first)]
  return h(
    'form',
    { class: 'filters', 'aria-label': t('filters') },
    h(
      'label',
      { class: 'filter' },
      h('span', null, t('sort')),
      h(
        'select',
        { id: 'sort', onchange: (e) => change({ sort: e.target.value }) },
        keys.map((key) => option(key, t('sort_' + (key || of.first)), state.sort)),
      ),
    ),
    h(
      'label',
      { class: 'filter' },
      h('span', null, t('maxPrice')),
      h(
        'select',
        { id: 'max-price', onchange: (e) => change({ maxPrice: e.target.value }) },
        option('', t('anyPrice'), state.maxPrice),
        prices.map((price) => option(String(price), symbol + number(price), state.maxPrice)),
      ),
    ),
    h(
      'label',
      { class: 'filter filter-check' },
      h('input', {
        type: 'checkbox',
        id: 'in-stock',
        checked: Boolean(state.inStock),
        onchange: wanted('inStock'),
      }),
      t('inStockOnly'),
    ),
    h(
      'label',
      { class: 'filter filter-check' },
      h('input', {
        type: 'checkbox',
        id: 'on-sale',
        checked: Boolean(state.onSale),
        onchange: wanted('onSale'),
      }),
      t('onSaleOnly'),
    ),
  )
}
