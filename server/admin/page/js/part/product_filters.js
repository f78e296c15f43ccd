// The filters of the list of products: chips in the bar, a form in a sheet, and all of it in the
// address.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { name, plainDigits } from '../i18n.js'
import { useGet } from '../resource.js'
import { open, route, withQuery } from '../router.js'
import { t } from '../strings/products.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'

/** @typedef {import('../api.js').Schemas['CollectionRecord']} Collection */

export const views = ['all', 'active', 'draft', 'archived']
const names = ['search', 'stock', 'collection', 'noImage']
const levels = ['in', 'low', 'out']

/** @type {Record<string, any>} */
const sorts = {
  newest: { sortBy: 'createdAt', sort: 'desc' },
  changed: { sortBy: 'updatedAt', sort: 'desc' },
  byTitle: { sortBy: 'title' },
  leastStock: { sortBy: 'stock' },
  mostSold: { sortBy: 'sold', sort: 'desc' },
  cheapest: { sortBy: 'price' },
  dearest: { sortBy: 'price', sort: 'desc' },
}

/** Returns the filters of the address as the API names them. */
export function selectionOf(/** @type {URLSearchParams} */ query) {
  const view = query.get('view') ?? 'all'
  return {
    status: view === 'all' || !views.includes(view) ? undefined : [view],
    search: plainDigits(query.get('search') ?? '') || undefined,
    collectionId: query.get('collection') || undefined,
    stock: levels.find((level) => level === query.get('stock')),
    noImage: query.get('noImage') ? true : undefined,
  }
}

/** Returns the query of the API for that of the address. */
export const apiQuery = (/** @type {URLSearchParams} */ query) => ({
  ...selectionOf(query),
  page: query.get('page') ?? undefined,
  ...(sorts[query.get('order') ?? 'newest'] ?? sorts.newest),
})

export const isFiltered = (/** @type {URLSearchParams} */ query) =>
  names.some((name) => query.get(name))

export const clearFilters = () =>
  open(withQuery(Object.fromEntries([...names, 'page'].map((name) => [name, null]))))

/** The collections of the shop. @returns {Collection[]} */
export const useCollections = () => useGet('collections', { limit: 100 }).data?.nodes ?? []

/** The chips of the filters that are set. @param {{ collections: Collection[] }} props */
export function FilterChips({ collections }) {
  const { query } = route.value
  /** @type {Record<string, (value: string) => string>} */
  const labels = {
    stock: (value) => t.dynamic('stock_' + value),
    noImage: () => t('noImage'),
    collection: (value) =>
      name(collections.find((collection) => collection._id === value)?.title) || t('collection'),
  }
  return html`
    ${Object.keys(labels)
      .filter((label) => query.get(label))
      .map((filter) => {
        const label = labels[filter](query.get(filter) ?? '')
        return html`
          <a
            class="chip on"
            href=${withQuery({ [filter]: null, page: null })}
            aria-label=${t('remove', { name: label })}
          >
            ${label}
            ${icon('x', 'mini')}
          </a>
        `
      })}
  `
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
        ${Object.keys(sorts).map((sort) => html`
          <option value=${sort} selected=${sort === now}>${t.dynamic(sort)}</option>
        `)}
      </select>
    </label>
  `
}

/** The field that searches while one types. @param {{ hint?: string }} props */
export function SearchField({ hint = t('searchHint') }) {
  const search = route.value.query.get('search') ?? ''
  const text = useSignal(search)
  const sent = useRef(search)
  useEffect(() => {
    // another search by a link or by going back
    if (search === sent.current) return
    sent.current = search
    text.value = search
  }, [search])
  const words = text.value.trim()
  const send = () => {
    if (words === sent.current) return
    sent.current = words
    open(withQuery({ search: words, page: null }), { replace: true })
  }
  useEffect(() => {
    const timer = setTimeout(send, 250)
    return () => clearTimeout(timer)
  }, [words])
  return html`
    <form
      class="search"
      role="search"
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault()
        send()
      }}
    >
      ${icon('search')}
      <input
        name="search"
        id="find"
        type="search"
        aria-label=${hint}
        placeholder=${hint}
        value=${text.value}
        autocomplete="off"
        enterkeyhint="search"
        onInput=${(/** @type {FieldEvent} */ event) => {
          text.value = event.target.value
        }}
      />
    </form>
  `
}

/** The form of the filters. @param {{ collections: Collection[], close: () => void }} props */
export function Filters({ collections, close }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null))
  const { query } = route.value
  function apply(/** @type {Event} */ event) {
    event.preventDefault()
    const data = new FormData(/** @type {HTMLFormElement} */ (form.current))
    close()
    open(
      withQuery({
        page: null,
        stock: data.get('stock'),
        collection: data.get('collection'),
        noImage: data.get('noImage'),
      }),
    )
  }
  return html`
    <${Dialog} title=${t('filter')} close=${close} id="filters" free>
      <form ref=${form} class="stack" onSubmit=${apply}>
        <fieldset class="checks">
          <legend class="label">${t('stock')}</legend>
          <div class="row wraps">
            ${['', ...levels].map((level) => html`
              <label class="chip">
                <input
                  type="radio"
                  name="stock"
                  value=${level}
                  defaultChecked=${(query.get('stock') ?? '') === level}
                />
                ${level === '' ? t('anyStock') : t.dynamic('stock_' + level)}
              </label>
            `)}
          </div>
        </fieldset>
        ${collections.length > 0 && html`
          <div class="field">
            <label for="collection">${t('collection')}</label>
            <div class="input">
              <select id="collection" name="collection">
                <option value="">${t('anyCollection')}</option>
                ${collections.map((collection) => html`
                  <option
                    value=${collection._id}
                    selected=${collection._id === query.get('collection')}
                  >
                    ${name(collection.title)}
                  </option>
                `)}
              </select>
            </div>
          </div>
        `}
        <label class="row choice">
          <input
            type="checkbox"
            class="checkbox"
            name="noImage"
            value="true"
            defaultChecked=${query.get('noImage') !== null}
          />
          <span class="grow">${t('noImage')}</span>
        </label>
        <button class="button primary big">${t('show')}</button>
        ${isFiltered(query) && html`
          <button
            type="button"
            class="link"
            onClick=${() => {
              close()
              clearFilters()
            }}
          >
            ${t('clear')}
          </button>
        `}
      </form>
    <//>
  `
}
