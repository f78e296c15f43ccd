// The filters of the list of orders: chips in the bar, a form in a sheet, and all of it in the address.

import { html, signal, useRef, useSignal } from '../html.js'
import { loadJSON, saveJSON } from '../device.js'
import { addDays, date, instant, minorUnits, money, moneyOf, plainDigits } from '../i18n.js'
import { open, route, shopUID, to, withQuery } from '../router.js'
import { session } from '../session.js'
import { t as frame } from '../strings/frame.js'
import { t } from '../strings/orders.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { word } from './status.js'

const choices = {
  paymentMethod: ['cod', 'gateway_a', 'gateway_b'], courier: ['courier_a', 'courier_b'],
  source: ['storefront', 'phone', 'facebook', 'whatsapp', 'instagram', 'shop', 'other'],
}
const calls = ['none', 'some', 'due']
const names = ['search', ...Object.keys(choices), 'calls', 'tags', 'city', 'from', 'until', 'minTotal', 'maxTotal']

const sorts = { newest: {}, oldest: { sort: 'asc' }, largest: { sortBy: 'total' }, callDue: { sortBy: 'callDue' } }

/** Returns the query of the API for that of the address. */
export function apiQuery(/** @type {URLSearchParams} */ query, /** @type {string} */ view) {
  const sort = sorts[/** @type {keyof typeof sorts} */ (query.get('order') ?? 'newest')] ?? {}
  return {
    view, search: query.get('search'), city: query.get('city'), placedFrom: dayStart(query.get('from'), 0),
    placedBefore: dayStart(query.get('until'), 1),
    page: query.get('page') ?? undefined, paymentMethod: query.getAll('paymentMethod'), courier: query.getAll('courier'),
    source: query.getAll('source'), calls: query.get('calls'), tags: query.getAll('tags'), minTotal: amount(query.get('minTotal')),
    maxTotal: amount(query.get('maxTotal')), ...sort,
  }
}

const currency = () => session.value?.shop.currency ?? ''

/** Returns an amount of the address in minor units. */
const amount = (/** @type {string | null} */ text) => (text ? minorUnits(text, currency()) : undefined)

/** Returns the same filters as the selection of an action on all that they find. */
export function selectionOf(/** @type {URLSearchParams} */ query, /** @type {string} */ view) {
  const { search, city, calls: called, page, sort, sortBy, ...rest } = /** @type {any} */ (apiQuery(query, view))
  return { ...rest, search: search ?? undefined, city: city ?? undefined, calls: called ?? undefined }
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
  if (name === 'minTotal' || name === 'maxTotal') return t(`from_${name}`, { amount: money(moneyOf(minorUnits(value, currency()), currency())) })
  if (name === 'source' || name === 'calls') return t(/** @type {any} */ ((name === 'source' ? 'from_' : 'call_') + value))
  return name === 'city' || name === 'tags' ? value : word(value)
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

/** Filters that were saved on this device, each with the query of its address. @typedef {{ name: string, query: string }} SavedFilter */

const savedName = () => 'filters-' + shopUID.value
/** The shop whose filters these are, and they. */
const saved = signal({ shop: '', list: /** @type {SavedFilter[]} */ ([]) })
const savedList = () => {
  const shop = shopUID.value
  if (saved.value.shop === shop) return saved.value.list
  return /** @type {SavedFilter[]} */ (loadJSON(savedName(), []))
}
function store(/** @type {SavedFilter[]} */ list) {
  saved.value = { shop: shopUID.value, list }
  saveJSON(savedName(), list)
}

/** Returns the query of the address without what is no filter. A search stays out: it may be a person's. */
const queryToSave = () => {
  const query = new URLSearchParams(route.value.query)
  for (const name of ['page', 'search']) query.delete(name)
  query.sort()
  return String(query)
}

const addressOf = (/** @type {SavedFilter} */ { query }) => to('orders') + '?' + query

/** The chips of the saved filters. */
export const savedChips = () => savedList().map((one) => html`<a class=${one.query === queryToSave() ? 'chip on' : 'chip'} href=${addressOf(one)}
  key=${one.name}>${icon('bookmark', 's')}${one.name}</a>`)

/** Saves the filters of the list under a name, and deletes saved ones. */
function Saved() {
  const naming = useSignal(false)
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))
  const list = savedList()
  const save = () => {
    const name = field.current?.value.trim().slice(0, 40)
    if (!name) return field.current?.focus()
    store([...list.filter((one) => one.name !== name), { name, query: queryToSave() }])
    naming.value = false
  }
  return html`${list.length > 0 && html`<div><p class="lab">${t('savedFilters')}</p><ul class="opts">${list.map((one) => html`<li class="row sp">
      <span class="cut">${one.name}</span><button type="button" class="ib" aria-label=${t('forget', { name: one.name })}
        onClick=${() => store(list.filter((other) => other !== one))}>${icon('trash')}</button></li>`)}</ul></div>`}
    ${naming.value ? html`<div class="row ends"><div class="f grow"><label for="filter-name">${t('filterName')}</label><div class="in"><input
        id="filter-name" ref=${field} maxlength="40" autocomplete="off" autofocus onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          save()
        }} /></div></div><button type="button" class="btn find" id="save-filter" onClick=${save}>${frame('save')}</button></div>`
      : names.some((name) => name !== 'search' && route.value.query.get(name)) && html`<button type="button" class="btn" id="name-filter"
        onClick=${() => { naming.value = true; setTimeout(() => field.current?.focus()) }}>${icon('bookmark')}${t('saveFilter')}</button>`}`
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
      ...Object.fromEntries(Object.keys(choices).map((name) => [name, data.getAll(name)])),
      calls: data.get('calls'), tags: String(data.get('tags')).split(',').map((one) => one.trim()), minTotal: typed(data, 'minTotal'),
      maxTotal: typed(data, 'maxTotal'),
    }))
  }
  const field = (/** @type {string} */ name, /** @type {string} */ label, /** @type {any} */ more = {}) => html`<div class="f"><label for=${name}>
    ${label}</label><div class="in"><input id=${name} name=${name} autocomplete="off" defaultValue=${query.get(name) ?? ''} ...${more} /></div></div>`
  return html`<${Dialog} title=${t('filter')} close=${close} id="filters"><form ref=${form} class="stack" onSubmit=${apply}>
    ${Object.entries(choices).map(([name, values]) => html`<fieldset class="checks"><legend class="lab">
      ${t(/** @type {any} */ (name === 'paymentMethod' ? 'payment' : name))}</legend>
      <div class="row wraps">${values.map((value) => html`<label class="chip"><input type="checkbox" name=${name} value=${value}
        defaultChecked=${query.getAll(name).includes(value)} />${labelOf(name, value)}</label>`)}</div></fieldset>`)}
    <div class="two"><div class="f"><label for="calls">${t('calls')}</label><div class="in"><select id="calls" name="calls"><option value="">
        ${t('any')}</option>${calls.map((one) => html`<option value=${one} selected=${query.get('calls') === one}>${labelOf('calls', one)}</option>`)}
      </select></div></div>${field('city', t('city'))}</div>
    ${field('tags', t('tags'), { defaultValue: query.getAll('tags').join(', '), 'aria-describedby': 'tags-hint' })}
    <p class="hint" id="tags-hint">${t('tagsHint')}</p>
    <div class="two">${field('from', t('from'), { type: 'date' })}${field('until', t('until'), { type: 'date' })}</div>
    <div class="two">${field('minTotal', t('minTotal'), { inputmode: 'decimal' })}${field('maxTotal', t('maxTotal'), { inputmode: 'decimal' })}</div>
    <button class="btn pri big">${t('showOrders')}</button>
    ${isFiltered(query) && html`<button type="button" class="link" onClick=${() => { close(); clearFilters() }}>${t('clear')}</button>`}
    </form><${Saved} /><//>`
}

/** Returns an amount that was typed, with plain digits. */
const typed = (/** @type {FormData} */ data, /** @type {string} */ name) => plainDigits(String(data.get(name))).replace(/[^\d.]/g, '')

