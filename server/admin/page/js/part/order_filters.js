// The filters of the list of orders: chips in the bar, a form in a sheet, and all of it in the address.

import { html, useRef } from '../html.js'
import { addDays, date, instant } from '../i18n.js'
import { open, route, withQuery } from '../router.js'
import { t } from '../strings/orders.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { word } from './status.js'

const choices = { paymentMethod: ['cod', 'gateway_a', 'gateway_b'], courier: ['courier_a', 'courier_b'] }
const names = ['search', 'paymentMethod', 'courier', 'city', 'from', 'until']

const sorts = { newest: {}, oldest: { sort: 'asc' }, largest: { sortBy: 'total' } }

/** Returns the query of the API for that of the address. */
export function apiQuery(/** @type {URLSearchParams} */ query, /** @type {string} */ view) {
  const sort = sorts[/** @type {keyof typeof sorts} */ (query.get('order') ?? 'newest')] ?? {}
  return {
    view, search: query.get('search'), city: query.get('city'), placedFrom: dayStart(query.get('from'), 0),
    placedBefore: dayStart(query.get('until'), 1),
    page: query.get('page') ?? undefined, paymentMethod: query.getAll('paymentMethod'), courier: query.getAll('courier'), ...sort,
  }
}

/** Returns the same filters as the selection of an action on all that they find. */
export function selectionOf(/** @type {URLSearchParams} */ query, /** @type {string} */ view) {
  const { search, city, paymentMethod, courier, placedFrom, placedBefore } = apiQuery(query, view)
  return { view, search: search ?? undefined, city: city ?? undefined, placedFrom, placedBefore, paymentMethod, courier }
}

/** Returns the time at which a day of the shop begins, some days later. */
const dayStart = (/** @type {string | null} */ day, /** @type {number} */ later) =>
  (day && !Number.isNaN(Date.parse(day)) ? instant(addDays(day, later)).toISOString() : undefined)

export const isFiltered = (/** @type {URLSearchParams} */ query) => names.some((name) => query.get(name))

export const clearFilters = () => open(withQuery(Object.fromEntries([...names, 'page'].map((name) => [name, null]))))

function labelOf(/** @type {string} */ name, /** @type {string} */ value) {
  if (name === 'search') return t('searchChip', { text: value })
  if (name === 'from') return `${t('from')} ${date(value)}`
  if (name === 'until') return `${t('until')} ${date(value)}`
  return name === 'city' ? value : word(value)
}

/** The chips of the filters that are set. */
export const filterChips = () => {
  const { query } = route.value
  return names.flatMap((name) => query.getAll(name).filter(Boolean).map((value) => html`
    <a class="chip on" href=${withQuery({ [name]: query.getAll(name).filter((one) => one !== value), page: null })}
      aria-label=${t('remove', { name: labelOf(name, value) })}>${labelOf(name, value)}${icon('x', 's')}</a>`))
}

/** The chip that changes the order of the list. */
export function SortChip() {
  const now = route.value.query.get('order') ?? 'newest'
  return html`<label class="chip">${icon('arrow-down-up', 's')}<span class="vh">${t('sort')}</span>
    <select onChange=${(/** @type {any} */ event) => 
      open(withQuery({ order: event.target.value === 'newest' ? null : event.target.value, page: null }))}>
      ${Object.keys(sorts).map((one) => html`<option value=${one} selected=${one === now}>${t(/** @type {any} */ (one))}</option>`)}</select></label>`
}

/** The form of the filters. @param {{ close: () => void }} props */
export function Filters({ close }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null))
  const { query } = route.value
  function apply(/** @type {Event} */ event) {
    event.preventDefault()
    const data = new FormData(/** @type {HTMLFormElement} */ (form.current))
    close()
    open(withQuery({
      page: null, city: data.get('city'), from: data.get('from'), until: data.get('until'),
      paymentMethod: data.getAll('paymentMethod'), courier: data.getAll('courier'),
    }))
  }
  return html`<${Dialog} title=${t('filter')} close=${close} id="filters"><form ref=${form} class="stack" onSubmit=${apply}>
    ${Object.entries(choices).map(([name, values]) => html`<fieldset class="checks"><legend class="lab">
      ${t(name === 'courier' ? 'courier' : 'payment')}</legend>
      <div class="row wraps">${values.map((value) => html`<label class="chip"><input type="checkbox" name=${name} value=${value}
        defaultChecked=${query.getAll(name).includes(value)} />${word(value)}</label>`)}</div></fieldset>`)}
    <div class="f"><label for="city">${t('city')}</label><div class="in"><input id="city" name="city" defaultValue=${query.get('city') ?? ''} />
      </div></div>
    <div class="two"><div class="f"><label for="from">${t('from')}</label><div class="in"><input type="date" id="from" name="from"
      defaultValue=${query.get('from') ?? ''} /></div></div>
    <div class="f"><label for="until">${t('until')}</label><div class="in"><input type="date" id="until" name="until"
      defaultValue=${query.get('until') ?? ''} /></div></div></div>
    <button class="btn pri big">${t('showOrders')}</button>
    ${isFiltered(query) && html`<button type="button" class="link" onClick=${() => { close(); clearFilters() }}>${t('clear')}</button>`}
    </form><//>`
}

