// What a section of a page names: products, collections, a coupon, or a page of the site.

import { html, useEffect, useSignal } from '../html.js'
import { get, Problem } from '../api.js'
import { langOf, name } from '../i18n.js'
import { useGet } from '../resource.js'
import { can } from '../session.js'
import { t } from '../strings/section.js'
import { fault } from './form.js'
import { icon } from './icon.js'
import { useCollections } from './product_filters.js'
import { AddProducts, loadedProducts, titleOf } from './product_pick.js'
import { Choice } from './setting_card.js'

/** @typedef {import('../api.js').Schemas['CollectionRecord']} Collection */

/**
 * @param {{ id: string, kind: string, label: string, text?: string, values: string[], most: number,
 *   error?: string, change: (values: string[]) => void }} props
 */
export function Records(props) {
  const Picker = { product: Products, coupon: Coupons }[props.kind] ?? Collections
  return html`<${Picker} ...${props} />`
}

/**
 * One record or none.
 *
 * @param {{ id: string, label: string, values: string[], choices: string[][], error?: string,
 *   change: (values: string[]) => void }} props
 */
const One = ({ id, label, values, choices, error, change }) => html`
  <${Choice}
    id=${id}
    label=${label}
    value=${values[0] ?? ''}
    choices=${[['', t('noneChosen')], ...choices]}
    onChange=${(/** @type {string} */ value) => change(value ? [value] : [])}
  />
  ${fault(error)}
`

/** @param {Parameters<typeof Records>[0]} props */
function Coupons({ id, label, values, error, change }) {
  const { data } = useGet(can('coupons.read') ? 'coupons' : null, {
    active: true,
    automatic: false,
    limit: 100,
  })
  /** @type {string[]} */
  const codes = (data?.nodes ?? []).map((/** @type {{ code: string }} */ { code }) => code)
  const choices = [...new Set([...codes, ...values])].map((code) => [code, code])
  return html`<${One} ...${{ id, label, values, error, change, choices }} />`
}

/** @param {Parameters<typeof Records>[0]} props */
function Collections({ id, label, values, most, error, change }) {
  /** @type {Collection[]} */
  const collections = useCollections()
  if (most === 1)
    return html`
      <${One}
        ...${{ id, label, values, error, change }}
        choices=${collections.map(({ _id, title }) => [_id, name(title)])}
      />
    `
  return html`
    <fieldset class="checks">
      <legend class="label">${label}</legend>
      <p class="hint">${t('hint_collections')}</p>
      <div class="row wraps">
        ${collections.map(({ _id, title }) => html`
          <label class="chip" key=${_id}>
            <input
              type="checkbox"
              checked=${values.includes(_id)}
              disabled=${values.length >= most && !values.includes(_id)}
              onChange=${() =>
                change(
                  values.includes(_id) ? values.filter((one) => one !== _id) : [...values, _id],
                )}
            />
            <span lang=${langOf(name(title))}>${name(title)}</span>
          </label>
        `)}
      </div>
      ${fault(error)}
    </fieldset>
  `
}

/** Loads products that are shown by their titles. */
export function useProducts(/** @type {string[]} */ ids) {
  const turn = useSignal(0)
  useEffect(() => {
    const missing = [...new Set(ids)].filter((id) => !loadedProducts.has(id))
    if (missing.length === 0) return
    Promise.all(
      missing.map((id) =>
        get('products/' + encodeURIComponent(id)).then(
          (product) => {
            loadedProducts.set(id, product)
          },
          (error) => {
            if (!(error instanceof Problem)) throw error // shown without its title
          },
        ),
      ),
    ).then(() => turn.value++)
  }, [ids.join()])
  return (/** @type {string} */ id) => (turn.value >= 0 ? titleOf(id) : '')
}

/** @param {Parameters<typeof Records>[0]} props */
function Products({ id, label, text = t('chooseText'), values, most, error, change }) {
  const choosing = useSignal(false)
  useProducts(values)
  const toggle = (/** @type {string} */ value) =>
    change(
      values.includes(value)
        ? values.filter((one) => one !== value)
        : most === 1
          ? [value]
          : [...values, value],
    )
  return html`
    <div class="field" role="group" aria-label=${label}>
      <span class="label" aria-hidden="true">${label}</span>
      ${values.length > 0 && html`
        <ul class="row wraps chips-in">
          ${values.map((value) => html`
            <li key=${value}>
              <button
                type="button"
                class="chip on"
                aria-label=${t('removeRecord', { title: titleOf(value) })}
                onClick=${() => toggle(value)}
              >
                <span lang=${langOf(titleOf(value))}>${titleOf(value)}</span>
                <span aria-hidden="true">✕</span>
              </button>
            </li>
          `)}
        </ul>
      `}
      <div>
        <button
          type="button"
          class="button"
          id=${id}
          aria-haspopup="dialog"
          onClick=${() => {
            choosing.value = true
          }}
        >
          ${icon('plus')}
          ${t('chooseProducts')}
        </button>
      </div>
      ${fault(error)}
      ${choosing.value && html`
        <${AddProducts}
          products=${values}
          text=${text}
          most=${most === 1 ? 2 : most}
          close=${() => {
            choosing.value = false
          }}
          toggle=${toggle}
        />
      `}
    </div>
  `
}

/** The addresses that a link is likely to have. @param {{ id: string }} props */
export function Addresses({ id }) {
  /** @type {Collection[]} */
  const collections = useCollections()
  const { data } = useGet(can('settings.read') ? 'settings' : null)
  /** @type {[string, string][]} */
  const all = [
    ['/collections/all', t('allProducts')],
    ...collections.map(
      ({ handle, title }) =>
        /** @type {[string, string]} */ (['/collections/' + handle, name(title)]),
    ),
    ...(data?.pages ?? []).map((/** @type {any} */ { slug, title }) => ['/pages/' + slug, title]),
  ]
  return html`
    <datalist id=${id}>
      ${all.map(([path, title]) => html`<option value=${path}>${title}</option>`)}
    </datalist>
  `
}
