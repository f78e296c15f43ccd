// The fields of an order: buyer, address, goods, delivery and what is rarely needed.

import { html, useEffect, useSignal } from '../html.js'
import { get } from '../api.js'
import { langOf, majorUnits, money, name, number, plainDigits, signOf } from '../i18n.js'
import { can } from '../session.js'
import { t } from '../strings/order_form.js'
import { Field } from './form.js'
import { icon } from './icon.js'
import { thumb } from './order_row.js'
import { small } from './picture.js'
import { canScan, Scan } from './scan.js'
import { Stepper } from './restock.js'

/** @typedef {import('./order_draft.js').Draft} Draft */
/** @typedef {import('../api.js').Schemas['ProductRecord']} ProductRecord */
/** @typedef {(change: Partial<Draft>) => void} Change */

/**
 * @param {{ name: keyof Draft, draft: Draft, change: Change, errors: any } & Record<string, any>}
 *   props
 */
const Text = ({ name: field, draft, change, errors, ...rest }) => html`
  <${Field}
    name=${field}
    value=${draft[field]}
    errors=${errors}
    label=${t.dynamic(
      field === 'phoneNumber' ? 'phone' : field === 'couponCode' ? 'coupon' : field,
    )}
    autocomplete="off"
    onInput=${(/** @type {FieldEvent} */ event) => change({ [field]: event.target.value })}
    ...${rest}
  />
`

/**
 * @param {{ draft: Draft, change: Change, errors: any, seed: number, hint?: (field: any) => any,
 *   children?: any }} props seed: another one shows the fields again; hint: what a message says
 *   about a field
 */
export const BuyerFields = ({ draft, change, errors, seed, hint = () => undefined, children }) => {
  const props = { draft, change, errors }
  return html`
    <section class="card section stack" key=${'buyer' + seed}>
      <h2>${t('buyer')}</h2>
      <div class="pair">
        <${Text}
          ...${props}
          name="phoneNumber"
          type="tel"
          inputmode="tel"
          hint=${hint('phoneNumber')}
        />
        <${Text} ...${props} name="name" hint=${hint('name')} />
      </div>
      ${children}
    </section>
    <section class="card section stack" key=${'address' + seed}>
      <h2>${t('address')}</h2>
      <${Text} ...${props} name="line1" hint=${hint('line1')} />
      <div class="pair">
        <${Text} ...${props} name="area" hint=${hint('area')} />
        <${Text} ...${props} name="city" hint=${hint('city')} />
      </div>
    </section>
  `
}

/**
 * @typedef {{
 *   quantity: number
 *   text: string
 *   title?: string | null
 *   productId?: string | null
 *   variantId?: string | null
 * }} Wanted
 *   what a message names and no product is found for alone
 */

const fault = (/** @type {string} */ id, /** @type {string | undefined} */ text) =>
  text && html`
    <p class="error full" id=${id + '-error'}>
      ${icon('circle-alert', 'mini')}
      <span>${text}</span>
    </p>
  `

/** What marks an input that has an error. */
const faulty = (/** @type {string} */ id, /** @type {any} */ errors) =>
  errors[id] ? { 'aria-invalid': 'true', 'aria-describedby': id + '-error' } : {}

/**
 * @param {{ draft: Draft, change: Change, errors: any, wanted?: Wanted[], onWanted?: (wanted:
 *   Wanted[]) => void, children?: any }} props onWanted: receives what is still wanted
 */
export function Goods({ draft, change, errors, wanted = [], onWanted, children }) {
  const chosen = useSignal(/** @type {Wanted | null} */ (null))
  const current =
    wanted.length === 1 ? wanted[0] : wanted.find((candidate) => candidate === chosen.value)
  const setPrice = (/** @type {number} */ i, /** @type {string} */ price) =>
    change({
      items: draft.items.map((line, at) => (at === i ? { ...line, price } : line)),
    })
  const set = (/** @type {number} */ i, /** @type {number} */ quantity) =>
    change({
      items:
        quantity === 0
          ? draft.items.filter((_, at) => at !== i)
          : draft.items.map((line, at) => (at === i ? { ...line, quantity } : line)),
    })
  const add = (
    /** @type {ProductRecord} */ product,
    /** @type {ProductRecord['variants'][number]} */ variant,
  ) => {
    const at = draft.items.findIndex((line) => line.variantId === variant._id)
    const quantity = current?.quantity ?? 1
    if (at >= 0) set(at, draft.items[at].quantity + quantity)
    else change({ items: [...draft.items, lineOf(product, variant, quantity)] })
    onWanted?.(wanted.filter((candidate) => candidate !== current))
  }
  return html`
    <section class="card section stack" id="goods" tabindex="-1">
      <h2>${t('goods')}</h2>
      ${children}
      ${draft.items.map((item, i, _, id = 'price-' + item.variantId) => html`
        <div class="row goods-line" key=${item.variantId}>
          ${thumb(item, 1, 'mini')}
          <span class="grow">
            <b lang=${langOf(name(item.title))}>${name(item.title)}</b>
            <br />
            <span class="small quiet">
              ${item.variantTitle && item.variantTitle + ' · '}
              ${money(item.unitPrice)}
            </span>
          </span>
          ${can('orders.discount') && html`
            <div class=${errors[id] ? 'input price bad' : 'input price'}>
              <span class="quiet">${signOf(item.unitPrice.currency)}</span>
              <input
                id=${id}
                ...${faulty(id, errors)}
                inputmode="decimal"
                autocomplete="off"
                value=${item.price ?? ''}
                placeholder=${majorUnits(item.unitPrice)}
                aria-label=${t('priceOf', { title: name(item.title) })}
                onInput=${(/** @type {FieldEvent} */ event) =>
                  setPrice(i, event.target.value.trim())}
              />
            </div>
          `}
          <${Stepper}
            value=${item.quantity}
            min=${1}
            label=${t('quantity', { title: name(item.title) })}
            change=${(/** @type {number} */ n) => set(i, n)}
          />
          <button
            type="button"
            class="icon-button"
            aria-label=${t('remove', { title: name(item.title) })}
            onClick=${() => set(i, 0)}
          >
            ${icon('trash')}
          </button>
          ${fault(id, errors[id])}
        </div>
      `)}
      ${wanted.length > 0 && html`
        <fieldset class="checks" id="wanted">
          <legend class="label">${t('wanted')}</legend>
          <div class="row wraps">
            ${wanted.map((candidate) => html`
              <button
                type="button"
                class=${candidate === current ? 'chip on' : 'chip'}
                aria-pressed=${candidate === current}
                onClick=${() => {
                  chosen.value = candidate
                }}
              >
                ${number(candidate.quantity)} ×<span lang=${langOf(candidate.text)}>
                  ${candidate.text || t('noWords')}
                </span>
              </button>
            `)}
          </div>
        </fieldset>
      `}
      <${Search} add=${add} words=${current?.text ?? ''} />
    </section>
  `
}

/** @typedef {ProductRecord['variants'][number]} Variant */

/** Returns a line of an order. */
export const lineOf = (
  /** @type {ProductRecord} */ product,
  /** @type {Variant} */ variant,
  /** @type {number} */ quantity,
) => ({
  variantId: variant._id,
  quantity,
  title: product.title,
  variantTitle: product.variants.length > 1 ? variant.title : null,
  imageUrl: small(variant.image ?? product.images[0]),
  unitPrice: variant.price,
})

/**
 * Finds products by words, those with the words in their title first: others have them in a
 * description only.
 */
export async function findProducts(
  /** @type {string} */ text,
  /** @type {AbortSignal | undefined} */ abort = undefined,
) {
  /** @type {ProductRecord[]} */
  const found = (
    await get(
      'products',
      { search: plainDigits(text), status: ['active'], limit: 12 },
      { signal: abort },
    )
  ).nodes
  const words = text.toLowerCase().split(/\s+/)
  const rest = (/** @type {ProductRecord} */ { title }) =>
    words.filter((word) => !title.toLowerCase().includes(word)).length
  return found.sort((a, b) => rest(a) - rest(b)).slice(0, 6)
}

/**
 * @param {{ add: (product: ProductRecord, variant: ProductRecord['variants'][number]) => void,
 *   words: string }} props words: to begin with
 */
function Search({ add, words: first }) {
  const text = useSignal(first)
  useEffect(() => {
    text.value = first
  }, [first])
  const found = useSignal(/** @type {ProductRecord[] | null} */ (null))
  const words = text.value.trim()
  const scanning = useSignal(false)
  useEffect(() => {
    found.value = null
    if (words.length < 2) return
    const abort = new AbortController()
    const timer = setTimeout(
      () =>
        findProducts(words, abort.signal).then(
          (list) => {
            found.value = list
          },
          () => {},
        ),
      200,
    )
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [words])
  const choose = (/** @type {ProductRecord} */ product, /** @type {any} */ variant) => {
    add(product, variant)
    text.value = ''
    document.getElementById('product')?.focus()
  }
  /** A barcode that one variant has adds it; another one is searched. */
  const scanned = async (/** @type {string} */ code) => {
    scanning.value = false
    const list = await findProducts(code).catch(() => [])
    const hits = list.flatMap((product) =>
      product.variants
        .filter((variant) => variant.barcode === code || variant.sku === code)
        .map((variant) => ({ product, variant })),
    )
    if (hits.length === 1 && hits[0].variant.available) add(hits[0].product, hits[0].variant)
    else text.value = code
  }
  return html`
    <div class="field">
      <label for="product">${t('findProduct')}</label>
      <div class="row">
        <div class="input grow">
          ${icon('search')}
          <input
            id="product"
            type="search"
            autocomplete="off"
            value=${text.value}
            onInput=${(/** @type {FieldEvent} */ event) => {
              text.value = event.target.value
            }}
            onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
              if (event.key !== 'Enter') return
              event.preventDefault() // and does not place the order
              const product = found.value?.[0]
              if (product)
                choose(
                  product,
                  product.variants.find((variant) => variant.available) ?? product.variants[0],
                )
            }}
          />
        </div>
        ${canScan && html`
          <button
            type="button"
            class="button square"
            aria-label=${t('scan')}
            aria-haspopup="dialog"
            onClick=${() => {
              scanning.value = true
            }}
          >
            ${icon('scan-barcode')}
          </button>
        `}
      </div>
    </div>
    ${scanning.value && html`
      <${Scan}
        found=${scanned}
        close=${() => {
          scanning.value = false
        }}
      />
    `}
    <div role="status">
      ${found.value?.length === 0 && html`
        <p class="small quiet">${t('noProduct', { text: words })}</p>
      `}
    </div>
    ${found.value && found.value.length > 0 && html`
      <ul class="options" id="products">
        ${found.value.flatMap((product) =>
          product.variants.map((variant) => html`
            <li>
              <button
                type="button"
                class="option"
                disabled=${!variant.available}
                onClick=${() => choose(product, variant)}
              >
                ${thumb({ title: product.title, imageUrl: small(product.images[0]) }, 1, 'mini')}
                <span class="grow cut">
                  <span lang=${langOf(name(product.title))}>${name(product.title)}</span>
                  ${product.variants.length > 1 && html`
                    <br />
                    <span class="small quiet">${variant.title}</span>
                  `}
                </span>
                <span class="right small">
                  <b>${money(variant.price)}</b>
                  <br />
                  <span class="quiet">
                    ${!variant.available
                      ? t('noneLeft')
                      : variant.availableQuantity !== null &&
                        t('left', { count: variant.availableQuantity })}
                  </span>
                </span>
              </button>
            </li>
          `),
        )}
      </ul>
    `}
  `
}

/** @param {{ options: any[], draft: Draft, chosen?: string, change: Change, errors: any }} props */
export const Delivery = ({ options, draft, chosen, change, errors }) =>
  (options.length > 0 || draft.deliveryCharge) && html`
    <section class="card section">
      <fieldset class="stack">
        <legend class="label">${t('delivery')}</legend>
        ${options.map((option) => html`
          <label class="row choice" key=${option._id}>
            <input
              type="radio"
              class="checkbox"
              name="delivery"
              value=${option._id}
              checked=${!draft.deliveryCharge && (draft.deliveryChargeId || chosen) === option._id}
              onChange=${() =>
                change({
                  deliveryChargeId: option._id,
                  deliveryName: option.name,
                  deliveryCharge: '',
                })}
            />
            <span class="grow">${name(option.name)}</span>
            <b>${money(option.charge)}</b>
          </label>
        `)}
        ${can('orders.discount') && html`
          <div class="row choice own-charge">
            <label class="grow" for="deliveryCharge">${t('ownCharge')}</label>
            <div class=${errors.deliveryCharge ? 'input price bad' : 'input price'}>
              <input
                id="deliveryCharge"
                ...${faulty('deliveryCharge', errors)}
                inputmode="decimal"
                autocomplete="off"
                value=${draft.deliveryCharge}
                onInput=${(/** @type {FieldEvent} */ event) =>
                  change({ deliveryCharge: event.target.value.trim() })}
              />
            </div>
          </div>
          ${fault('deliveryCharge', errors.deliveryCharge)}
        `}
      </fieldset>
    </section>
  `

/**
 * What most orders do without.
 * @param {{ draft: Draft, change: Change, errors: any, seed: number, goods: boolean }} props
 */
export const MoreFields = ({ draft, change, errors, seed, goods }) => {
  const props = { draft, change, errors }
  const isUsed = Boolean(
    draft.couponCode || draft.discount || draft.note || draft.email || draft.postcode,
  )
  return html`
    <details
      class="card"
      key=${'more' + seed}
      open=${isUsed || ['couponCode', 'discount', 'reason', 'note'].some((field) => errors[field])}
    >
      <summary class="fold">
        <span class="grow">${t('more')}</span>
        ${icon('chevron-down', 'mini')}
      </summary>
      <div class="section stack">
        ${goods && html`
          <${Text} ...${props} name="couponCode" autocapitalize="characters" />
          ${can('orders.discount') && html`
            <div class="pair">
              <${Text} ...${props} name="discount" inputmode="decimal" />
              ${(draft.discount || errors.reason) && html`<${Text} ...${props} name="reason" />`}
            </div>
          `}
        `}
        <${Text} ...${props} name="note" hint=${t('noteHint')} />
        <div class="pair">
          <${Text} ...${props} name="email" type="email" />
          <${Text} ...${props} name="postcode" inputmode="numeric" />
        </div>
      </div>
    </details>
  `
}

/**
 * The sums of a quote or an order, in one line each. before is an earlier total.
 * @param {{ quote: any, label: string, advance?: number, before?: import('../i18n.js').Money }}
 *   props
 */
export const Sums = ({ quote, label, before, advance = 0 }) => html`
  <p class="row spread sums">
    <span class="small quiet">
      ×${number(
        quote.items.reduce(
          (/** @type {number} */ n, /** @type {any} */ item) => n + item.quantity,
          0,
        ),
      )} · ${money(quote.subtotal)}
      ${quote.discount.amount > 0 && html` − ${money(quote.discount)}`} + ${money(
        quote.deliveryCharge,
      )}
    </span>
    <span>
      <span class="quiet">${label}</span> ${before && before.amount !== quote.total.amount && html`
        <s class="quiet">
          <span class="visually-hidden">${t('before')} </span>
          ${money(before)}
        </s>
      `} <b class="total">${money({ ...quote.total, amount: quote.total.amount - advance })}</b>
    </span>
  </p>
`
