// The filters of the list of orders: chips in the bar, and all of it in the address. The form that
// sets them is part/order_filter_form.js.

import { html, signal } from '../html.js'
import { get } from '../api.js'
import { loadJSON, saveJSON } from '../device.js'
import { addDays, instant, money, moneyOf, name as textOf, shopDay, typedAmount } from '../i18n.js'
import { open, route, shopUID, to, withQuery } from '../router.js'
import { can, session } from '../session.js'
import { t } from '../strings/orders.js'
import { icon } from './icon.js'
import { word } from './status.js'

/** The filters of several values, by the names that the API has for them, too. */
const lists = [
  'status',
  'paymentStatus',
  'fulfillmentStatus',
  'shipmentStatus',
  'paymentMethod',
  'courier',
  'source',
  'tags',
]
export const names = [
  'search',
  ...lists,
  'calls',
  'city',
  'product',
  'from',
  'until',
  'minTotal',
  'maxTotal',
  'test',
]

const sorts = {
  newest: {},
  oldest: { sort: 'asc' },
  largest: { sortBy: 'total' },
  callDue: { sortBy: 'callDue' },
}

/** Returns the query of the API for that of the address. */
export function apiQuery(/** @type {URLSearchParams} */ query, /** @type {string} */ view) {
  const sort = sorts[/** @type {keyof typeof sorts} */ (query.get('order') ?? 'newest')] ?? {}
  return {
    view,
    search: query.get('search'),
    city: query.get('city'),
    placedFrom: dayStart(query.get('from'), 0),
    placedBefore: dayStart(query.get('until'), 1),
    page: query.get('page') ?? undefined,
    ...Object.fromEntries(lists.map((name) => [name, query.getAll(name)])),
    calls: query.get('calls'),
    productId: query.get('product') ?? undefined,
    minTotal: amount(query.get('minTotal')),
    maxTotal: amount(query.get('maxTotal')),
    test: query.get('test') ? true : undefined,
    ...sort,
  }
}

const currency = () => session.value?.shop.currency ?? ''

/** Returns an amount of the address in minor units. */
const amount = (/** @type {string | null} */ text) =>
  (text && typedAmount(text, currency())) || undefined

/** Returns the same filters as the selection of an action on all that they find. */
export function selectionOf(/** @type {URLSearchParams} */ query, /** @type {string} */ view) {
  const {
    search,
    city,
    calls: called,
    page,
    sort,
    sortBy,
    ...rest
  } = /** @type {Record<string, any>} */ (apiQuery(query, view))
  return {
    ...rest,
    search: search ?? undefined,
    city: city ?? undefined,
    calls: called ?? undefined,
  }
}

/** Returns the time at which a day of the shop begins, some days later. */
const dayStart = (/** @type {string | null} */ day, /** @type {number} */ later) =>
  day && !Number.isNaN(Date.parse(day)) ? instant(addDays(day, later)).toISOString() : undefined

export const isFiltered = (/** @type {URLSearchParams} */ query) =>
  names.some((name) => query.get(name))

export const clearFilters = () =>
  open(withQuery(Object.fromEntries([...names, 'page'].map((name) => [name, null]))))

const prefixes = { paymentStatus: 'pay_', fulfillmentStatus: 'ship_', shipmentStatus: 'ship_' }

/**
 * The titles of products that filter, loaded when they are shown.
 * @type {Map<string, { value: string }>}
 */
const titles = new Map()
function titleOf(/** @type {string} */ id) {
  const title = titles.get(id) ?? signal('…')
  if (!titles.has(id)) {
    titles.set(id, title)
    get('products/' + encodeURIComponent(id)).then(
      (product) => {
        title.value = textOf(product.title)
      },
      () => {
        title.value = id
      },
    )
  }
  return title.value
}

/** Returns the words of a filter's value. */
export function labelOf(/** @type {string} */ name, /** @type {string} */ value) {
  if (name === 'search') return t('searchChip', { text: value })
  if (name === 'from') return `${t('from')} ${shopDay(value)}`
  if (name === 'until') return `${t('until')} ${shopDay(value)}`
  if (name === 'minTotal' || name === 'maxTotal')
    return t(`from_${name}`, { amount: money(moneyOf(amount(value) ?? 0, currency())) })
  if (name === 'source' || name === 'calls')
    return t.dynamic((name === 'source' ? 'from_' : 'call_') + value)
  if (name === 'product') return titleOf(value)
  if (name === 'test') return word('test')
  return name === 'city' || name === 'tags'
    ? value
    : word((prefixes[/** @type {keyof typeof prefixes} */ (name)] ?? '') + value)
}

/** The chips of the filters that are set. */
export const filterChips = () => {
  const { query } = route.value
  return names.flatMap((name) =>
    query
      .getAll(name)
      .filter(Boolean)
      .map((value) => html`
        <a
          class="chip on"
          href=${withQuery({
            [name]: query.getAll(name).filter((chosen) => chosen !== value),
            page: null,
          })}
          aria-label=${t('remove', { name: labelOf(name, value) })}
        >
          ${labelOf(name, value)}
          ${icon('x', 'mini')}
        </a>
      `),
  )
}

/** The chip that changes the order of the list. */
export function SortChip() {
  const now = route.value.query.get('order') ?? 'newest'
  return html`
    <label class="chip">
      ${icon('arrow-down-up', 'mini')}
      <span class="visually-hidden">${t('sort')}</span>
      <select onChange=${(/** @type {FieldEvent} */ event) =>
        open(
          withQuery({
            order: event.target.value === 'newest' ? null : event.target.value,
            page: null,
          }),
        )}>
        ${Object.keys(sorts)
          .filter((sort) => sort !== 'largest' || can('prices.read'))
          .map((sort) => html`
            <option value=${sort} selected=${sort === now}>${t.dynamic(sort)}</option>
          `)}
      </select>
    </label>
  `
}

/**
 * Filters that were saved on this device, each with the query of its address.
 * @typedef {{ name: string, query: string }} SavedFilter
 */

const savedName = () => 'filters-' + shopUID.value
/** The shop whose filters these are, and they. */
const saved = signal({ shop: '', list: /** @type {SavedFilter[]} */ ([]) })
export const savedList = () => {
  const shop = shopUID.value
  if (saved.value.shop === shop) return saved.value.list
  return /** @type {SavedFilter[]} */ (loadJSON(savedName(), []))
}
/** Stores the saved filters. */
export function store(/** @type {SavedFilter[]} */ list) {
  saved.value = { shop: shopUID.value, list }
  saveJSON(savedName(), list)
}

/**
 * Returns the query of the address without what is no filter. A search stays out: it may be a
 * person's.
 */
export const queryToSave = () => {
  const query = new URLSearchParams(route.value.query)
  for (const name of ['page', 'search']) query.delete(name)
  query.sort()
  return String(query)
}

const addressOf = (/** @type {SavedFilter} */ { query }) => to('orders') + '?' + query

/** The chips of the saved filters. */
export const savedChips = () =>
  savedList().map((filter) => html`
    <a
      class=${filter.query === queryToSave() ? 'chip on' : 'chip'}
      href=${addressOf(filter)}
      key=${filter.name}
    >
      ${icon('bookmark', 'mini')}
      ${filter.name}
    </a>
  `)
