// Options of a product and its variants: what is chosen, and price and stock of each choice.

import { html, useSignal } from '../html.js'
import { langOf } from '../i18n.js'
import { can } from '../session.js'
import { t } from '../strings/product.js'
import { Dialog } from './dialog.js'
import { Field } from './form.js'
import { icon } from './icon.js'
import { sign } from './product_change.js'
import { arrange, fieldOf, titleOf } from './product_draft.js'
import { Chips } from './setting_card.js'

/** @typedef {import('./product_draft.js').Draft} Draft */
/** @typedef {import('./product_draft.js').Variant} Variant */
/**
 * @typedef {{ draft: Draft, change: (to: Partial<Draft>) => void, errors: Record<string, string> }}
 *   Props
 */

export const setVariant = (
  /** @type {Draft} */ draft,
  /** @type {number} */ i,
  /** @type {Partial<Variant>} */ to,
) => ({
  variants: draft.variants.map((variant, at) => (at === i ? { ...variant, ...to } : variant)),
})

/**
 * A count that is typed, with buttons for less and more.
 * @param {{ id: string, label: string, value: string, error?: string, describedby?: string,
 *   disabled: boolean, change: (text: string) => void, onEnter?: () => void }} props
 */
export const Count = ({ id, label, value, error, describedby, disabled, change, onEnter }) => html`
  <div class="stepper with-input" role="group" aria-label=${label}>
    <button
      type="button"
      class="icon-button"
      aria-label=${`${label}: ${t('less')}`}
      disabled=${disabled || !(Number(value) > 0)}
      onClick=${() => change(String(Number(value) - 1))}
    >
      ${icon('minus')}
    </button>
    <input
      id=${id}
      name=${id}
      inputmode="numeric"
      autocomplete="off"
      value=${value}
      aria-label=${label}
      aria-invalid=${error ? 'true' : undefined}
      aria-describedby=${describedby}
      disabled=${disabled}
      onFocus=${(/** @type {FieldEvent} */ event) => event.target.select()}
      onInput=${(/** @type {FieldEvent} */ event) => change(event.target.value.trim())}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
        if (event.key !== 'Enter' || !onEnter) return
        event.preventDefault()
        onEnter()
      }}
    />
    <button
      type="button"
      class="icon-button"
      aria-label=${`${label}: ${t('moreOne')}`}
      disabled=${disabled}
      onClick=${() => change(String((Number(value) || 0) + 1))}
    >
      ${icon('plus')}
    </button>
  </div>
`

/** What a variant's stock becomes by typing: one that was not counted is counted from now on. */
export const typedStock = (/** @type {string} */ stock) =>
  stock === '' ? { stock } : { stock, tracked: true }

/** Options with their choices. @param {Props} props */
export function Options({ draft, change, errors }) {
  const set = (/** @type {Draft['options']} */ options) => change(arrange({ ...draft, options }))
  const remove = (/** @type {number} */ i) =>
    change(
      arrange({
        ...draft,
        options: draft.options.filter((_, at) => at !== i),
        dropped: [],
        variants: draft.variants.map((variant) => ({
          ...variant,
          values: variant.values.filter((_, at) => at !== i),
        })),
      }),
    )
  const proposed = [t('size'), t('colour')].filter(
    (proposal) => !draft.options.some(({ name }) => name === proposal),
  )
  return html`
    <p class="small quiet">${t('optionsText')}</p>
    ${draft.options.map((option, i) => html`
      <fieldset class="stack charge" key=${i}>
        <legend class="row spread">
          <span class="label">${option.name || t('option')}</span>
          <button
            type="button"
            class="icon-button"
            aria-label=${t('removeOption', { name: option.name || t('option') })}
            onClick=${() => remove(i)}
          >
            ${icon('trash')}
          </button>
        </legend>
        <${Field}
          name=${`options[${i}]`}
          label=${t('option')}
          hint=${t('optionHint')}
          errors=${errors}
          value=${option.name}
          maxlength="255"
          autocomplete="off"
          onInput=${(/** @type {FieldEvent} */ event) =>
            change({
              options: draft.options.map((option, at) =>
                at === i ? { ...option, name: event.target.value } : option,
              ),
            })}
        />
        <${Chips}
          id=${'values-' + i}
          label=${t('values')}
          values=${option.values}
          hint=${t('valuesHint')}
          onChange=${(/** @type {string[]} */ values) =>
            set(draft.options.map((option, at) => (at === i ? { ...option, values } : option)))}
        />
      </fieldset>
    `)}
    ${draft.options.length < 3 && html`
      <div class="row wraps">
        ${[...proposed, ''].map((name) => html`
          <button
            type="button"
            class="button mini"
            data-option=${name || 'other'}
            onClick=${() => {
              change({ options: [...draft.options, { name, values: [] }] })
              setTimeout(() =>
                document
                  .getElementById(
                    name ? 'values-' + draft.options.length : `options[${draft.options.length}]`,
                  )
                  ?.focus(),
              )
            }}
          >
            ${icon('plus', 'mini')}
            ${name || t('addOption')}
          </button>
        `)}
      </div>
    `}
  `
}

/** Prices of several units together. @param {Props} props */
export function QuantityPrices({ draft, change, errors }) {
  const lines = draft.quantityPrices
  const set = (
    /** @type {number} */ i,
    /** @type {Partial<Draft['quantityPrices'][number]>} */ to,
  ) => change({ quantityPrices: lines.map((line, at) => (at === i ? { ...line, ...to } : line)) })
  return html`
    <p class="small quiet">${t('quantityPricesText')}</p>
    ${lines.map((line, i) => html`
      <div
        class="row top-aligned"
        role="group"
        aria-label=${t('quantityPriceAt', { n: i + 1 })}
        key=${i}
      >
        <div class="two top-aligned grow">
          <${Field}
            name=${`quantityPrices[${i}].quantity`}
            label=${t('units')}
            errors=${errors}
            value=${line.quantity}
            inputmode="numeric"
            autocomplete="off"
            onInput=${(/** @type {FieldEvent} */ event) =>
              set(i, { quantity: event.target.value.trim() })}
          />
          <${Field}
            name=${`quantityPrices[${i}].price`}
            label=${t('together')}
            errors=${errors}
            value=${line.price}
            prefix=${sign()}
            inputmode="decimal"
            autocomplete="off"
            onInput=${(/** @type {FieldEvent} */ event) =>
              set(i, { price: event.target.value.trim() })}
          />
        </div>
        <button
          type="button"
          class="icon-button"
          aria-label=${t('removeQuantityPrice', { n: i + 1 })}
          onClick=${() => change({ quantityPrices: lines.filter((_, at) => at !== i) })}
        >
          ${icon('trash')}
        </button>
      </div>
    `)}
    ${lines.length < 10 && html`
      <div class="row wraps">
        <button
          type="button"
          class="button mini"
          id="add-quantity-price"
          onClick=${() => {
            const quantity = Number(lines.at(-1)?.quantity ?? 1) + 1
            change({ quantityPrices: [...lines, { quantity: String(quantity), price: '' }] })
            setTimeout(() =>
              document.getElementById(`quantityPrices[${lines.length}].price`)?.focus(),
            )
          }}
        >
          ${icon('plus', 'mini')} ${t('addQuantityPrice')}
        </button>
      </div>
    `}
  `
}

/** Price and stock of each variant. @param {Props} props */
export function Variants({ draft, change, errors }) {
  const opened = useSignal('')
  const at = draft.variants.findIndex((variant) => variant.key === opened.value)
  return html`
    <section class="card">
      <h2 class="section tight">${t('variants')}</h2>
      <ul class="list" id="variants">
        ${draft.variants.map((variant, i) => {
          const name = titleOf(variant)
          const error = Object.keys(errors).find((field) => field.startsWith(`variants[${i}].`))
          return html`
            <li class="section variant" key=${variant.key}>
              <div class="row spread">
                <b class="cut" lang=${langOf(name)}>${name}</b>
                <button
                  type="button"
                  class="icon-button tight"
                  aria-haspopup="dialog"
                  aria-label=${t('variantMore', { name })}
                  onClick=${() => {
                    opened.value = variant.key
                  }}
                >
                  ${icon('ellipsis-vertical')}
                </button>
              </div>
              <div class="two">
                <div class=${errors[fieldOf(draft, i, 'price')] ? 'input bad' : 'input'}>
                  <span class="quiet" aria-hidden="true">${sign()}</span>
                  <input
                    name=${fieldOf(draft, i, 'price')}
                    inputmode="decimal"
                    autocomplete="off"
                    value=${variant.price}
                    aria-label=${t('variantPrice', { name })}
                    aria-invalid=${errors[fieldOf(draft, i, 'price')] ? 'true' : undefined}
                    onInput=${(/** @type {FieldEvent} */ event) =>
                      change(setVariant(draft, i, { price: event.target.value.trim() }))}
                  />
                </div>
                <${Count}
                  id=${fieldOf(draft, i, 'stock')}
                  label=${t('variantStock', { name })}
                  value=${variant.stock}
                  error=${errors[fieldOf(draft, i, 'stock')]}
                  disabled=${!can('stock.write')}
                  change=${(/** @type {string} */ stock) =>
                    change(setVariant(draft, i, typedStock(stock)))}
                />
              </div>
              ${error && html`
                <p class="error" role="alert">
                  ${icon('circle-alert', 'mini')}
                  <span>${errors[error]}</span>
                </p>
              `}
            </li>
          `
        })}
      </ul>
      ${at >= 0 && html`
        <${Dialog}
          title=${titleOf(draft.variants[at])}
          close=${() => {
            opened.value = ''
          }}
          id="variant"
          free
        >
          <div class="stack">
            <${Money} draft=${draft} i=${at} change=${change} errors=${errors} field="compareAt" />
            <${Details} draft=${draft} i=${at} change=${change} errors=${errors} />
            <${Rules} draft=${draft} i=${at} change=${change} errors=${errors} />
            ${draft.photos.length > 0 && html`
              <fieldset>
                <legend class="label">${t('photo')}</legend>
                <div class="row wraps picks">
                  ${[{ key: '', url: '' }, ...draft.photos].map(({ key, url }, n) => html`
                    <label class="pick">
                      <input
                        type="radio"
                        name="variant-photo"
                        checked=${draft.variants[at].photo === key}
                        aria-label=${key === '' ? t('noPhoto') : t('photoOf', { n })}
                        onChange=${() => change(setVariant(draft, at, { photo: key }))}
                      />
                      <span class="thumbnail">
                        ${url ? html`<img src=${url} alt="" />` : icon('ban')}
                      </span>
                    </label>
                  `)}
                </div>
              </fieldset>
            `}
            <button
              type="button"
              class="button primary big"
              onClick=${() => {
                opened.value = ''
              }}
            >
              ${t('done')}
            </button>
            <button
              type="button"
              class="button bad"
              onClick=${() => {
                opened.value = ''
                const values = draft.variants[at].values.filter(Boolean)
                change(
                  arrange({
                    ...draft,
                    dropped: [...draft.dropped, values.join('\n')],
                    variants: draft.variants.filter((_, i) => i !== at),
                  }),
                )
              }}
            >
              ${t('removeVariant', { name: titleOf(draft.variants[at]) })}
            </button>
          </div>
        <//>
      `}
    </section>
  `
}

const labels = { price: 'price', compareAt: 'before', cost: 'cost' }
const names = { price: 'price', compareAt: 'compareAtPrice', cost: 'cost' }

/**
 * An amount of a variant.
 * @param {Props & { i: number, field: 'price' | 'compareAt' | 'cost' } & Record<string, any>} props
 */
export const Money = ({ draft, i, change, errors, field, ...rest }) => {
  const name = fieldOf(draft, i, names[field])
  return html`
    <${Field}
      name=${name}
      label=${t.dynamic(labels[field])}
      errors=${errors}
      value=${draft.variants[i][field]}
      prefix=${sign()}
      inputmode="decimal"
      autocomplete="off"
      ...${rest}
      onInput=${(/** @type {FieldEvent} */ event) =>
        change(setVariant(draft, i, { [field]: event.target.value.trim() }))}
    />
  `
}

/**
 * What the shop alone knows of a variant, and how couriers and scanners see it.
 * @param {Props & { i: number }} props
 */
export const Details = ({ draft, i, change, errors }) => {
  const variant = draft.variants[i]
  const fieldSetter = (/** @type {keyof Variant} */ field) => (/** @type {FieldEvent} */ event) =>
    change(setVariant(draft, i, { [field]: event.target.value }))
  const costs = can('costs.read')
  return html`
    <div class=${costs && 'pair'}>
      ${costs && html`
        <${Money}
          draft=${draft}
          i=${i}
          change=${change}
          errors=${errors}
          field="cost"
          hint=${t('costHint')}
        />
      `}
      <${Field}
        name=${fieldOf(draft, i, 'weightGrams')}
        label=${t('weight')}
        errors=${errors}
        value=${variant.weight}
        inputmode="numeric"
        autocomplete="off"
        onInput=${fieldSetter('weight')}
      />
    </div>
    <div class="pair">
      <${Field}
        name=${fieldOf(draft, i, 'sku')}
        label=${t('sku')}
        hint=${t('skuHint')}
        errors=${errors}
        value=${variant.sku}
        maxlength="255"
        autocomplete="off"
        autocapitalize="characters"
        onInput=${fieldSetter('sku')}
      />
      <${Field}
        name=${fieldOf(draft, i, 'barcode')}
        label=${t('barcode')}
        errors=${errors}
        value=${variant.barcode}
        maxlength="255"
        inputmode="numeric"
        autocomplete="off"
        onInput=${fieldSetter('barcode')}
      />
    </div>
  `
}

/** How the stock of a variant is counted. @param {Props & { i: number }} props */
export const Rules = ({ draft, i, change, errors }) => {
  const variant = draft.variants[i]
  return html`
    <label class="row choice">
      <input
        type="checkbox"
        class="checkbox"
        checked=${variant.tracked && (variant.stock !== '' || Boolean(variant.id))}
        onChange=${(/** @type {FieldEvent} */ event) =>
          change(
            setVariant(draft, i, {
              tracked: event.target.checked,
              stock: event.target.checked ? variant.stock || '0' : '',
            }),
          )}
      />
      <span class="grow">${t('counted')}</span>
    </label>
    ${variant.tracked && html`
      <label class="row choice">
        <input
          type="checkbox"
          class="checkbox"
          checked=${variant.backorder}
          onChange=${(/** @type {FieldEvent} */ event) =>
            change(setVariant(draft, i, { backorder: event.target.checked }))}
        />
        <span class="grow">${t('backorder')}</span>
      </label>
      <${Field}
        name=${fieldOf(draft, i, 'lowStock')}
        label=${t('lowStock')}
        errors=${errors}
        value=${variant.lowStock}
        inputmode="numeric"
        autocomplete="off"
        onInput=${(/** @type {FieldEvent} */ event) =>
          change(setVariant(draft, i, { lowStock: event.target.value.trim() }))}
      />
    `}
  `
}
