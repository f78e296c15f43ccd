// The fields of a product's form: what every product has first, the rest folded.

import { html } from '../html.js'
import { leaveField } from '../focus.js'
import { langOf, name, number } from '../i18n.js'
import { can } from '../session.js'
import { t as list } from '../strings/products.js'
import { t } from '../strings/product.js'
import { textOf } from './description.js'
import { Field } from './form.js'
import { icon } from './icon.js'
import { amountOf, shownAmount } from './product_change.js'
import { shownQuantityPrices } from './product_draft.js'
import { useCollections, views } from './product_filters.js'
import {
  Count,
  Details,
  Money,
  Options,
  QuantityPrices,
  Rules,
  setVariant,
  typedStock,
} from './product_variants.js'
import { RichText } from './rich_text.js'
import { Area, Chips } from './setting_card.js'

/** @typedef {import('./product_draft.js').Draft} Draft */
/** @typedef {import('./product_draft.js').Variant} Variant */
/**
 * @typedef {{ draft: Draft, change: (to: Partial<Draft>) => void, errors: Record<string, string> }}
 *   Props
 */

/** Goes to the next field with Enter, as the keyboard of a phone offers it. */
const next = (/** @type {string} */ id) => (/** @type {KeyboardEvent} */ event) => {
  if (event.key !== 'Enter' || event.isComposing) return
  event.preventDefault()
  document.getElementById(id)?.focus()
}

const percentOf = (/** @type {number} */ part, /** @type {number} */ whole) =>
  number(Math.round((part / whole) * 100))

/** What the price means for buyers and for the shop. */
function priceHints(/** @type {Variant} */ { price, compareAt, cost }) {
  const now = amountOf(price),
    before = amountOf(compareAt),
    paid = can('costs.read') ? amountOf(cost) : null
  const hints = []
  if (now && before)
    hints.push(before > now ? t('off', { percent: percentOf(before - now, before) }) : t('notOff'))
  if (now && paid) {
    hints.push(
      now >= paid
        ? t('margin', { amount: shownAmount(now - paid), percent: percentOf(now - paid, now) })
        : t('loss', { amount: shownAmount(paid - now) }),
    )
  }
  return (
    hints.length > 0 && html`
      <p class="hint row spread wraps under-pair">
        ${hints.map((hint) => html`<span>${hint}</span>`)}
      </p>
    `
  )
}

/** Title, price, stock and status. @param {Props & { isNew: boolean }} props */
export function Basics({ draft, change, errors, isNew }) {
  const [variant, ...others] = draft.variants
  const isOne = others.length === 0
  const stockError = errors.stock
  return html`
    <${Field}
      name="title"
      label=${t('title')}
      errors=${errors}
      value=${draft.title}
      maxlength="255"
      autocomplete="off"
      enterkeyhint="next"
      lang=${langOf(draft.title)}
      onInput=${(/** @type {FieldEvent} */ event) => change({ title: event.target.value })}
      onKeyDown=${next(isOne ? 'price' : 'title')}
    />
    ${isOne && html`
      <div class="two top-aligned">
        <${Money}
          draft=${draft}
          i=${0}
          change=${change}
          errors=${errors}
          field="price"
          enterkeyhint="next"
          onKeyDown=${next('stock')}
        />
        <${Money}
          draft=${draft}
          i=${0}
          change=${change}
          errors=${errors}
          field="compareAt"
          enterkeyhint="next"
          onKeyDown=${next('stock')}
        />
      </div>
      ${priceHints(variant)}
    `}
    <div class="two top-aligned">
      ${isOne && html`
        <div class="field">
          <label for="stock">${t('inStock')}</label>
          <${Count}
            id="stock"
            label=${t('inStock')}
            value=${variant.stock}
            error=${stockError}
            describedby="stock-hint"
            disabled=${!can('stock.write')}
            change=${(/** @type {string} */ stock) =>
              change(setVariant(draft, 0, typedStock(stock)))}
            onEnter=${leaveField}
          />
          ${stockError
            ? html`
                <p class="error" id="stock-hint">
                  ${icon('circle-alert', 'mini')}
                  <span>${stockError}</span>
                </p>
              `
            : !variant.id && html`<p class="hint" id="stock-hint">${t('stockHint')}</p>`}
        </div>
      `}
      ${!isNew && html`
        <div class="field">
          <label for="status">${list('status')}</label>
          <div class="input">
            <select
              id="status"
              onChange=${(/** @type {{ target: { value: Draft['status'] } }} */ { target }) =>
                change({ status: target.value })}
            >
              ${views
                .slice(1)
                .map((view) => html`
                  <option value=${view} selected=${view === draft.status}>
                    ${list.dynamic(view)}
                  </option>
                `)}
            </select>
          </div>
        </div>
      `}
    </div>
  `
}

/** @param {{ id: string, title: string, summary: any, open: boolean, children?: any }} props */
const Fold = ({ id, title, summary, open, children }) => html`
  <details id=${id} open=${open}>
    <summary class="fold">
      <span class="grow">${title}</span>
      <span class="small quiet cut summary">${summary}</span>
      ${icon('chevron-down', 'mini')}
    </summary>
    <div class="section stack">${children}</div>
  </details>
`

const wordCount = (/** @type {string} */ text) =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/** What is needed less often. @param {Props & { isNew: boolean }} props */
export function Folds({ draft, change, errors, isNew }) {
  const collections = useCollections()
  const [variant, ...others] = draft.variants
  const has = (/** @type {string[]} */ ...fields) => fields.some((field) => errors[field])
  const words = wordCount(textOf(draft.description))
  const details = [
    variant.sku,
    variant.weight && t('grams', { count: Number(variant.weight) || 0 }),
  ]
    .filter(Boolean)
    .join(' · ')
  const chosen = collections
    .filter((collection) => draft.collections.includes(collection._id))
    .map((collection) => name(collection.title))
  const fieldSetter = (/** @type {keyof Draft} */ field) => (/** @type {FieldEvent} */ event) =>
    change({ [field]: event.target.value })
  return html`
    <div class="card list folds">
      <${Fold}
        id="fold-description"
        title=${t('description')}
        summary=${words > 0 ? t('words', { count: words }) : t('none')}
        open=${has('descriptionHtml')}
      >
        <${RichText}
          name="descriptionHtml"
          label=${t('description')}
          value=${draft.description}
          errors=${errors}
          disabled=${!can('products.write')}
          onChange=${(/** @type {string} */ description) => change({ description })}
        />
      <//>
      <${Fold}
        id="fold-options"
        title=${t('options')}
        open=${Object.keys(errors).some((field) => field.startsWith('options['))}
        summary=${draft.options
          .filter(({ values }) => values.length > 0)
          .map((option) => `${option.name}: ${number(option.values.length)}`)
          .join(', ') || t('none')}
      >
        <${Options} draft=${draft} change=${change} errors=${errors} />
      <//>
      <${Fold}
        id="fold-quantity-prices"
        title=${t('quantityPrices')}
        summary=${shownQuantityPrices(draft) || t('none')}
        open=${Object.keys(errors).some((field) => field.startsWith('quantityPrices['))}
      >
        <${QuantityPrices} draft=${draft} change=${change} errors=${errors} />
      <//>
      ${others.length === 0 && html`
        <${Fold}
          id="fold-details"
          title=${t('details')}
          summary=${details || t('none')}
          open=${has('cost', 'weightGrams', 'sku', 'barcode')}
        >
          <${Details} draft=${draft} i=${0} change=${change} errors=${errors} />
        <//>
        <${Fold}
          id="fold-rules"
          title=${t('rules')}
          open=${has('lowStock')}
          summary=${variant.tracked && (variant.stock !== '' || variant.id)
            ? `${t('lowStock')} ${number(Number(variant.lowStock) || 0)}`
            : t('notCounted')}
        >
          <${Rules} draft=${draft} i=${0} change=${change} errors=${errors} />
        <//>
      `}
      <${Fold}
        id="fold-organize"
        title=${t('organize')}
        summary=${[...chosen, ...draft.tags].join(', ') || t('none')}
        open=${has('tags', 'collections')}
      >
        ${collections.length > 0 && html`
          <fieldset class="checks">
            <legend class="label">${t('collections')}</legend>
            <div class="row wraps">
              ${collections.map((collection) => html`
                <label class="chip">
                  <input
                    type="checkbox"
                    checked=${draft.collections.includes(collection._id)}
                    onChange=${(/** @type {FieldEvent} */ event) =>
                      change({
                        collections: event.target.checked
                          ? [...draft.collections, collection._id]
                          : draft.collections.filter((id) => id !== collection._id),
                      })}
                  />
                  <span lang=${langOf(name(collection.title))}>${name(collection.title)}</span>
                </label>
              `)}
            </div>
          </fieldset>
        `}
        <${Chips}
          id="tags"
          label=${t('tags')}
          values=${draft.tags}
          hint=${t('tagsHint')}
          error=${errors.tags}
          onChange=${(/** @type {string[]} */ tags) => change({ tags })}
        />
      <//>
      <${Fold}
        id="fold-search"
        title=${t('searchEngines')}
        summary=${draft.seoTitle || draft.seoDescription
          ? draft.seoTitle || draft.seoDescription
          : t('automatic')}
        open=${has('handle', 'seo.title', 'seo.description')}
      >
        <${Field}
          name="seo.title"
          label=${t('seoTitle')}
          hint=${t('seoTitleHint')}
          errors=${errors}
          value=${draft.seoTitle}
          maxlength="255"
          autocomplete="off"
          onInput=${fieldSetter('seoTitle')}
        />
        <${Area}
          name="seo.description"
          label=${t('seoDescription')}
          hint=${t('seoHint')}
          value=${draft.seoDescription}
          errors=${errors}
          onInput=${fieldSetter('seoDescription')}
        />
        <${Field}
          name="handle"
          label=${t('handle')}
          hint=${t(isNew ? 'newHandleHint' : 'handleHint')}
          errors=${errors}
          value=${draft.handle}
          maxlength="255"
          autocomplete="off"
          autocapitalize="none"
          spellcheck=${false}
          onInput=${fieldSetter('handle')}
        />
      <//>
    </div>
  `
}
