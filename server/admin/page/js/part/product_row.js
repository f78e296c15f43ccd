// A product in a list: a card on a phone, a row of a table on a desk, where price and stock are
// typed in their cells.

import { html, useSignal } from '../html.js'
import { langOf, money, name, number } from '../i18n.js'
import { changed } from '../resource.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/products.js'
import { icon } from './icon.js'
import { small } from './picture.js'
import { adjustStock, amountOf, attempt, countOf, setPrices } from './product_change.js'
import { showToast } from './toast.js'

/** @typedef {import('./product_change.js').Product} Product */

const tones = { active: 'done', draft: 'wait', archived: 'off' }

export const statusMark = (/** @type {Product['status']} */ status, kind = 'status') => html`
  <span class="${kind} ${tones[status]}">${t(status)}</span>
`

/** The picture of a product. */
export const picture = (/** @type {Product} */ product, kind = '') => html`
  <span class="thumbnail ${kind}">
    ${product.images[0]
      ? html`<img src=${small(product.images[0])} alt="" loading="lazy" />`
      : icon('package')}
  </span>
`

/** Returns how much there is, in words, and whether that is a reason to act. */
export function stockOf(/** @type {Product} */ { stock, variants }) {
  const counted = variants.filter((variant) => variant.stock !== null)
  const out = counted.filter((variant) => Number(variant.stock) <= 0)
  const low = counted.filter(
    (variant) => Number(variant.stock) > 0 && Number(variant.stock) <= variant.lowStock,
  )
  if (counted.length === 0) return { tone: 'quiet', text: t('notCounted') }
  if (out.length === variants.length) return { tone: 'tone-bad', text: t('soldOut') }
  if (out.length > 0)
    return { tone: 'tone-warn', text: t('someOut', { count: out.length, all: variants.length }) }
  return low.length === 0
    ? { tone: 'quiet', text: t('inStock', { count: stock }) }
    : low.length === counted.length
      ? { tone: 'tone-warn', text: t('left', { count: stock }) }
      : { tone: 'tone-warn', text: t('someLow', { count: stock, low: low.length }) }
}

/** The price, or the lowest of several. */
export const priceOf = (/** @type {Product} */ { price, priceRange }) =>
  priceRange.max.amount > price.amount ? t('priceFrom', { price: money(price) }) : money(price)

const signals = (/** @type {Product} */ product, /** @type {string} */ shown) => html`
  ${product.status !== shown && statusMark(product.status)}
  ${product.images.length === 0 && html`
    <span class="tone-warn">${icon('camera', 'mini')}${t('noPhoto')}</span>
  `}
`

/**
 * @param {{ product: Product, href: string, view: string, choosing: boolean, chosen: boolean,
 *   choose: () => void, press: any, quick: () => void, current: boolean }} props
 */
export function ProductCard({
  product,
  href,
  view,
  choosing,
  chosen,
  choose,
  press,
  quick,
  current,
}) {
  const title = name(product.title)
  const stock = stockOf(product)
  const inside = html`
    <span class="row spread">
      <span class="bold cut" lang=${langOf(title)}>${title}</span>
      <span class="bold nowrap">${priceOf(product)}</span>
    </span>
    <span class="small cut">
      <span class=${stock.tone}>${stock.text}</span>
      ${product.variants.length > 1 && html`
        <span class="quiet"> · ${t('variants', { count: product.variants.length })}</span>
      `}
    </span>
    <span class="signals">${signals(product, view === 'all' ? 'active' : view)}</span>
  `
  if (choosing) {
    return html`
      <li>
        <label class=${chosen ? 'list-item selected' : 'list-item'}>
          <span class=${chosen ? 'tick on' : 'tick'}>${icon('check', 'large')}</span>
          <input
            class="visually-hidden"
            type="checkbox"
            checked=${chosen}
            aria-label=${t('selectOne', { title })}
            onChange=${choose}
          />
          ${inside}
        </label>
      </li>
    `
  }
  return html`
    <li class=${current ? 'with-more open' : 'with-more'} ...${press}>
      <a class="list-item" href=${href} data-product=${product._id}>${picture(product)}${inside}</a>
      ${can('products.write') && html`
        <button
          class="icon-button"
          aria-haspopup="dialog"
          aria-label=${t('quick', { title })}
          onClick=${quick}
        >
          ${icon('ellipsis-vertical')}
        </button>
      `}
    </li>
  `
}

/**
 * A value in a cell that is saved when it is left or Enter is pressed, and not with Escape.
 * @param {{ value: string, label: string, kind: string, mode: string, check: (text: string) =>
 *   string, save: (text: string) => Promise<boolean> }} props
 */
function Cell({ value, label, kind, mode, check, save }) {
  const busy = useSignal(false)
  const error = useSignal('')
  async function leave(/** @type {HTMLInputElement} */ input) {
    const text = input.value.trim()
    error.value = text === value ? '' : check(text)
    if (text === value || error.value || busy.value) return
    busy.value = true
    if (!(await save(text))) input.value = value
    busy.value = false
  }
  return html`
    <span class=${error.value ? 'cell-input bad' : 'cell-input'}>
      <input
        class=${kind}
        key=${value}
        defaultValue=${value}
        aria-label=${label}
        inputmode=${mode}
        autocomplete="off"
        aria-invalid=${error.value ? 'true' : undefined}
        title=${error.value || undefined}
        aria-busy=${busy.value}
        disabled=${busy.value}
        onFocus=${(/** @type {FieldEvent} */ event) => event.target.select()}
        onBlur=${(/** @type {FieldEvent} */ event) => leave(event.target)}
        onKeyDown=${(/** @type {FieldEvent & KeyboardEvent} */ event) => {
          if (event.key === 'Enter') event.target.blur()
          if (event.key !== 'Escape') return
          event.stopPropagation()
          event.target.value = value
          event.target.blur()
        }}
      />
      ${error.value && html`<span class="error" role="alert">${error.value}</span>`}
    </span>
  `
}

const isCount = (/** @type {string} */ text) =>
  Number.isInteger(countOf(text)) ? '' : t('noCount')

/**
 * @param {{ product: Product, href: string, view: string, chosen: boolean, choose: (range: boolean)
 *   => void, quick: () => void, current: boolean }} props
 */
export function ProductTableRow({ product, href, view, chosen, choose, quick, current }) {
  const title = name(product.title)
  const stock = stockOf(product)
  const [variant, ...others] = product.variants
  const isOne = others.length === 0
  const done = (/** @type {Promise<boolean>} */ saving) =>
    saving.then((ok) => {
      if (ok) showToast(common('saved'))
      changed()
      return ok
    })
  return html`
    <tr class=${(current ? 'open ' : '') + (chosen ? 'selected ' : '')} data-product=${product._id}>
      <td class="pick-cell">
        <label>
          <input
            type="checkbox"
            class="checkbox"
            checked=${chosen}
            aria-label=${t('selectOne', { title })}
            onClick=${(/** @type {MouseEvent} */ event) => choose(event.shiftKey)}
          />
        </label>
      </td>
      <td class="thumbnail-cell">${picture(product, 'mini')}</td>
      <td class="wide-cell titles">
        <a class="cell" href=${href}>
          <span class="bold cut" lang=${langOf(title)}>${title}</span>
          <br />
          <span class="small quiet cut">
            ${isOne ? (variant?.sku ?? '') : t('variants', { count: product.variants.length })}
          </span>
        </a>
      </td>
      <td>
        <span class="signals">
          ${statusMark(product.status)}
          ${signals(product, product.status)}
        </span>
      </td>
      <td class="numeric">
        ${isOne && variant.stock !== null && can('stock.write')
          ? html`
              <${Cell}
                value=${number(variant.stock)}
                kind=${'short ' + stock.tone}
                mode="numeric"
                label=${t('stockOf', { title })}
                check=${isCount}
                save=${(/** @type {string} */ text) =>
                  done(
                    attempt(() =>
                      adjustStock(variant, Number(countOf(text)) - Number(variant.stock), title),
                    ),
                  )}
              />
            `
          : html`
              <button class="cell-button" onClick=${quick} aria-haspopup="dialog">
                <span class=${stock.tone}>${stock.text}</span>
              </button>
            `}
      </td>
      <td class="numeric">
        ${isOne && can('products.write')
          ? html`
              <${Cell}
                value=${money(variant.price)}
                kind="price"
                mode="decimal"
                label=${t('priceOf', { title })}
                check=${(/** @type {string} */ text) =>
                  Number(amountOf(text)) >= 0 && amountOf(text) !== null ? '' : t('noAmount')}
                save=${(/** @type {string} */ text) =>
                  done(
                    attempt(() => setPrices(product, { [variant._id]: Number(amountOf(text)) })),
                  )}
              />
            `
          : html`
              <button class="cell-button" onClick=${quick} aria-haspopup="dialog">
                ${priceOf(product)}
              </button>
            `}
      </td>
      <td class="more-cell">
        ${can('products.write') && html`
          <button
            class="icon-button"
            aria-haspopup="dialog"
            aria-label=${t('quick', { title })}
            onClick=${quick}
          >
            ${icon('ellipsis-vertical')}
          </button>
        `}
      </td>
    </tr>
  `
}

/** The number found, in words. */
export const foundText = (/** @type {any} */ meta) =>
  meta.bounded ? t('foundMany') : t('found', { count: meta.totalCount })
