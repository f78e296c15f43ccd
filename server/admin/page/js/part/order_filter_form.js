// The form of the filters of the list of orders, loaded when it is opened.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { get, Problem } from '../api.js'
import { langOf, name as textOf, plainDigits } from '../i18n.js'
import { open, route, withQuery } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t as orders } from '../strings/orders.js'
import { t } from '../strings/order_filters.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import {
  clearFilters,
  isFiltered,
  labelOf,
  names,
  queryToSave,
  savedList,
  store,
} from './order_filters.js'

/** What can be chosen of. @type {Record<string, string[]>} */
const choices = {
  status: [
    'pending',
    'pending_payment',
    'confirmed',
    'processing',
    'completed',
    'cancelled',
    'expired',
    'returned',
  ],
  paymentStatus: [
    'unpaid',
    'pending',
    'paid',
    'needs_review',
    'refund_due',
    'partially_refunded',
    'refunded',
  ],
  fulfillmentStatus: [
    'unfulfilled',
    'in_progress',
    'partially_delivered',
    'delivered',
    'returning',
    'returned',
  ],
  shipmentStatus: [
    'created',
    'pickup_requested',
    'picked',
    'at_hub',
    'in_transit',
    'out_for_delivery',
    'on_hold',
    'delivery_failed',
    'delivered',
    'partially_delivered',
    'returning',
    'returned',
    'cancelled',
    'exchanged',
  ],
  paymentMethod: ['cod', 'gateway_a', 'gateway_b'],
  courier: ['courier_a', 'courier_b'],
  source: ['storefront', 'phone', 'facebook', 'whatsapp', 'instagram', 'shop', 'other'],
}
/** The statuses that the tabs stand for, too: they are looked for in all orders. */
const statuses = ['status', 'paymentStatus', 'fulfillmentStatus', 'shipmentStatus']
const calls = ['none', 'some', 'due']

/** Saves the filters of the list under a name, and deletes saved ones. */
function Saved() {
  const naming = useSignal(false)
  const input = useRef(/** @type {HTMLInputElement | null} */ (null))
  const list = savedList()
  const save = () => {
    const name = input.current?.value.trim().slice(0, 40)
    if (!name) return input.current?.focus()
    store([...list.filter((filter) => filter.name !== name), { name, query: queryToSave() }])
    naming.value = false
  }
  return html`
    ${list.length > 0 && html`
      <div>
        <p class="label">${t('savedFilters')}</p>
        <ul class="options">
          ${list.map((filter) => html`
            <li class="row spread">
              <span class="cut">${filter.name}</span>
              <button
                type="button"
                class="icon-button"
                aria-label=${t('forget', { name: filter.name })}
                onClick=${() => store(list.filter((other) => other !== filter))}
              >
                ${icon('trash')}
              </button>
            </li>
          `)}
        </ul>
      </div>
    `}
    ${naming.value
      ? html`
          <div class="row ends">
            <div class="field grow">
              <label for="filter-name">${t('filterName')}</label>
              <div class="input">
                <input
                  id="filter-name"
                  ref=${input}
                  maxlength="40"
                  autocomplete="off"
                  autofocus
                  onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
                    if (event.key !== 'Enter') return
                    event.preventDefault()
                    save()
                  }}
                />
              </div>
            </div>
            <button type="button" class="button find" id="save-filter" onClick=${save}>
              ${common('save')}
            </button>
          </div>
        `
      : names.some((name) => name !== 'search' && route.value.query.get(name)) && html`
          <button
            type="button"
            class="button"
            id="name-filter"
            onClick=${() => {
              naming.value = true
              setTimeout(() => input.current?.focus())
            }}
          >
            ${icon('bookmark')}
            ${t('saveFilter')}
          </button>
        `}
  `
}

/** The form of the filters. @param {{ close: () => void }} props */
export function Filters({ close }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null))
  const { query } = route.value
  function apply(/** @type {Event} */ event) {
    event.preventDefault()
    const data = new FormData(/** @type {HTMLFormElement} */ (form.current))
    const product = data.get('product')
    close()
    open(
      withQuery({
        page: null,
        ...(statuses.some((name) =>
          data.getAll(name).some((value) => !query.getAll(name).includes(String(value))),
        ) && { view: 'all' }),
        city: data.get('city'),
        from: data.get('from'),
        until: data.get('until'),
        ...Object.fromEntries(Object.keys(choices).map((name) => [name, data.getAll(name)])),
        calls: data.get('calls'),
        tags: String(data.get('tags'))
          .split(',')
          .map((tag) => tag.trim()),
        minTotal: textField(data, 'minTotal'),
        maxTotal: textField(data, 'maxTotal'),
        product,
        test: data.get('test'),
      }),
    )
  }
  const field = (
    /** @type {string} */ name,
    /** @type {string} */ label,
    /** @type {any} */ more = {},
  ) => html`
    <div class="field">
      <label for=${name}>${label}</label>
      <div class="input">
        <input
          id=${name}
          name=${name}
          autocomplete="off"
          defaultValue=${query.get(name) ?? ''}
          ...${more}
        />
      </div>
    </div>
  `
  const legend = t.dynamic
  const checks = (/** @type {string} */ name) => html`
    <fieldset class="checks">
      <legend class=${/Status$/.test(name) ? 'visually-hidden' : 'label'}>${legend(name)}</legend>
      <div class="row wraps">
        ${choices[name].map((value) => html`
          <label class="chip">
            <input
              type="checkbox"
              name=${name}
              value=${value}
              defaultChecked=${query.getAll(name).includes(value)}
            />
            ${labelOf(name, value)}
          </label>
        `)}
      </div>
    </fieldset>
  `
  return html`
    <${Dialog} title=${orders('filter')} close=${close} id="filters" free>
      <form ref=${form} class="stack" onSubmit=${apply}>
        ${Object.keys(choices).slice(0, 1).map(checks)}
        ${Object.keys(choices)
          .slice(1)
          .map((name) =>
            /Status$/.test(name)
              ? html`
                  <details class="card" open=${query.getAll(name).length > 0}>
                    <summary class="fold">
                      <span class="grow">${legend(name)}</span>
                      ${icon('chevron-down', 'mini')}
                    </summary>
                    <div class="section">${checks(name)}</div>
                  </details>
                `
              : checks(name),
          )}
        <div class="two">
          <div class="field">
            <label for="calls">${orders('calls')}</label>
            <div class="input">
              <select id="calls" name="calls">
                <option value="">${t('any')}</option>
                ${calls.map((outcome) => html`
                  <option value=${outcome} selected=${query.get('calls') === outcome}>
                    ${labelOf('calls', outcome)}
                  </option>
                `)}
              </select>
            </div>
          </div>
          ${field('city', t('city'))}
        </div>
        ${field('tags', orders('tags'), {
          defaultValue: query.getAll('tags').join(', '),
          'aria-describedby': 'tags-hint',
        })}
        <p class="hint" id="tags-hint">${t('tagsHint')}</p>
        <${Product} chosen=${query.get('product') ?? ''} />
        <div class="two">
          ${field('from', orders('from'), { type: 'date' })}
          ${field('until', orders('until'), { type: 'date' })}
        </div>
        <div class="two">
          ${can('prices.read') && field('minTotal', orders('minTotal'), { inputmode: 'decimal' })}
          ${can('prices.read') && field('maxTotal', orders('maxTotal'), { inputmode: 'decimal' })}
        </div>
        <div>
          <label class="chip">
            <input
              type="checkbox"
              name="test"
              value="1"
              defaultChecked=${query.get('test') !== null}
            />
            ${t('testOrders')}
          </label>
        </div>
        <button class="button primary big">${t('showOrders')}</button>
        ${isFiltered(query) && html`
          <button
            type="button"
            class="link"
            onClick=${() => {
              close()
              clearFilters()
            }}
          >
            ${orders('clear')}
          </button>
        `}
      </form>
      <${Saved} />
    <//>
  `
}

/** Returns an amount that was typed, with plain digits. */
const textField = (/** @type {FormData} */ data, /** @type {string} */ name) =>
  plainDigits(String(data.get(name))).replace(/[^\d.]/g, '')

/**
 * The product that the orders have: a search, and what it finds.
 * @param {{ chosen: string }} props
 */
function Product({ chosen }) {
  const text = useSignal('')
  const found = useSignal(/** @type {any[]} */ ([]))
  const value = useSignal(chosen)
  const words = text.value.trim()
  useEffect(() => {
    if (words.length < 2) return
    const abort = new AbortController()
    const timer = setTimeout(
      () =>
        get('products', { search: words, limit: 6 }, { signal: abort.signal }).then(
          ({ nodes }) => {
            found.value = nodes
          },
          (error) => {
            if (!abort.signal.aborted && !(error instanceof Problem)) throw error
          },
        ),
      250,
    )
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [words])
  const all = found.value.map((product) => [product._id, textOf(product.title)])
  const shown =
    value.value && !all.some(([id]) => id === value.value)
      ? [[value.value, labelOf('product', value.value)], ...all]
      : all
  return html`
    <div class="field">
      <label for="find-goods">${t('product')}</label>
      <div class="input">
        <input
          id="find-goods"
          type="search"
          autocomplete="off"
          placeholder=${t('productHint')}
          onInput=${(/** @type {FieldEvent} */ event) => {
            text.value = event.target.value
          }}
          onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
            if (event.key === 'Enter') event.preventDefault()
          }}
        />
      </div>
      <div class="row wraps" role="group" aria-label=${t('product')}>
        ${shown.map(([id, title]) => html`
          <label class="chip" key=${id}>
            <input
              type="checkbox"
              name="product"
              value=${id}
              checked=${id === value.value}
              onChange=${(/** @type {FieldEvent} */ event) => {
                value.value = event.target.checked ? id : ''
              }}
            />
            <span class="cut" lang=${langOf(title)}>${title}</span>
          </label>
        `)}
      </div>
    </div>
  `
}
