// Price, stock and status of a product without opening it.

import { html, useEffect, useSignal } from '../html.js'
import { act, get, Problem } from '../api.js'
import { focusFault } from '../focus.js'
import { langOf, majorUnits, name } from '../i18n.js'
import { changed } from '../resource.js'
import { open, to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { t } from '../strings/products.js'
import { Dialog } from './dialog.js'
import { Submit } from './form.js'
import { icon } from './icon.js'
import { adjustStock, amountOf, attempt, countOf, setPrices, sign } from './product_change.js'
import { statusMark } from './product_row.js'
import { showToast } from './toast.js'

/** @typedef {import('./product_change.js').Product} Product */
/** @typedef {Record<string, { price: string, stock: string }>} Draft typed values by variant */

const draftOf = (/** @type {Product} */ product) =>
  Object.fromEntries(
    product.variants.map((variant) => [
      variant._id,
      {
        price: majorUnits(variant.price),
        stock: variant.stock === null ? '' : String(variant.stock),
      },
    ]),
  )

/**
 * What can be done with the product beside, by its status.
 * @type {Record<Product['status'], [string, Product['status']][]>}
 */
const steps = {
  active: [
    ['draft', 'draft'],
    ['archive', 'archived'],
  ],
  draft: [
    ['publish', 'active'],
    ['archive', 'archived'],
  ],
  archived: [
    ['publish', 'active'],
    ['draft', 'draft'],
  ],
}

/** @param {{ product: Product, close: () => void }} props product: as the list has it */
export function Quick({ product: listed, close }) {
  const product = useSignal(listed)
  const draft = useSignal(draftOf(listed))
  const errors = useSignal(/** @type {Record<string, string>} */ ({}))
  const busy = useSignal(false)
  useEffect(() => {
    // the list may be minutes old
    get('products/' + listed._id).then(
      (now) => {
        const before = draftOf(product.peek()),
          entered = draft.peek()
        product.value = now
        const fresh = draftOf(now)
        draft.value = Object.fromEntries(
          Object.entries(fresh).map(([id, change]) => [
            id,
            JSON.stringify(entered[id]) === JSON.stringify(before[id]) ? change : entered[id],
          ]),
        )
      },
      () => {},
    )
  }, [])
  const current = product.value
  const title = name(current.title)
  const before = draftOf(current)
  const mayStock = can('stock.write')
  const set = (/** @type {string} */ id, /** @type {any} */ to) => {
    draft.value = { ...draft.value, [id]: { ...draft.value[id], ...to } }
  }
  async function save(/** @type {Event} */ event) {
    event.preventDefault()
    if (busy.value) return
    /** @type {Record<string, string>} */
    const bad = {}
    /** @type {Record<string, number>} */
    const prices = {}
    /** @type {[Product['variants'][number], number][]} */
    const moves = []
    for (const variant of current.variants) {
      const { price, stock } = draft.value[variant._id],
        was = before[variant._id]
      if (price !== was.price) {
        const amount = amountOf(price)
        if (amount === null || Number.isNaN(amount)) bad['price-' + variant._id] = t('noAmount')
        else prices[variant._id] = amount
      }
      if (stock !== was.stock) {
        const count = countOf(stock)
        if (count === null || Number.isNaN(count)) bad['stock-' + variant._id] = t('noCount')
        else moves.push([variant, count - Number(variant.stock)])
      }
    }
    errors.value = bad
    if (Object.keys(bad).length > 0) {
      focusFault(undefined, '#quick [aria-invalid=true]')
      return
    }
    busy.value = true
    try {
      if (Object.keys(prices).length > 0) product.value = await setPrices(current, prices)
      for (const [variant, move] of moves) {
        await adjustStock(variant, move, title)
        product.value = {
          ...product.value,
          variants: product.value.variants.map((other) =>
            other._id !== variant._id ? other : { ...other, stock: Number(variant.stock) + move },
          ),
        }
      }
      changed()
      showToast(common('saved'))
      close()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      changed()
      errors.value = { '': explain(error.errors[0] ?? error) }
    } finally {
      busy.value = false
    }
  }
  const setStatus = async (/** @type {Product['status']} */ status) => {
    close()
    if (
      await attempt(() =>
        act('products/' + current._id, { status }, { method: 'PATCH', label: title }),
      )
    ) {
      showToast(t('statusSaved', { title, status: t(status) }))
    }
    changed()
  }
  const duplicate = async () => {
    close()
    await attempt(async () => {
      const { _id } = await act(`products/${current._id}/duplicate`, {}, { label: title })
      changed()
      showToast(t('duplicated'))
      open(to('product', _id))
    })
  }
  const input = (
    /** @type {string} */ kind,
    /** @type {string} */ id,
    /** @type {string} */ label,
    /** @type {any} */ rest,
  ) => {
    const error = errors.value[kind + '-' + id]
    return html`
      <div class="grow">
        <div class=${error ? 'input bad' : 'input'}>
          ${kind === 'price' && html`<span class="quiet">${sign()}</span>`}
          <input
            name=${kind + '-' + id}
            value=${draft.value[id]?.[/** @type {'price' | 'stock'} */ (kind)] ?? ''}
            aria-label=${label}
            autocomplete="off"
            aria-invalid=${error ? 'true' : undefined}
            onInput=${(/** @type {FieldEvent} */ event) =>
              set(id, { [kind]: event.target.value.trim() })}
            ...${rest}
          />
        </div>
        ${error && html`<p class="error">${error}</p>`}
      </div>
    `
  }
  const isChanged = JSON.stringify(before) !== JSON.stringify(draft.value)
  return html`
    <${Dialog} title=${title} close=${close} id="quick">
      <form class="stack" onSubmit=${save} novalidate>
        <p>${statusMark(current.status)}</p>
        ${errors.value[''] && html`
          <p class="banner bad rounded" role="alert">
            ${icon('circle-alert')}
            <span>${errors.value['']}</span>
          </p>
        `}
        <div class="row small quiet heads">
          <span class="grow">${t('price')}</span>
          <span class="grow">${t('stock')}</span>
        </div>
        ${current.variants.map((variant) => {
          const label = current.variants.length > 1 ? variant.title : title
          return html`
            <div key=${variant._id}>
              ${current.variants.length > 1 && html`
                <p class="small bold" lang=${langOf(label)}>${label}</p>
              `}
              <div class="row top-aligned">
                ${input('price', variant._id, t('priceOf', { title: label }), {
                  inputmode: 'decimal',
                })}
                ${variant.stock === null
                  ? html`<p class="grow small quiet pad-y">${t('notCounted')}</p>`
                  : input('stock', variant._id, t('stockOf', { title: label }), {
                      inputmode: 'numeric',
                      disabled: !mayStock,
                    })}
              </div>
            </div>
          `
        })}
        <${Submit} busy=${busy.value} disabled=${!isChanged}>${common('save')}<//>
      </form>
      <ul class="options">
        <li>
          <a class="option" href=${to('product', current._id)} onClick=${close}>
            ${icon('pencil')}
            <span class="grow">${t('open')}</span>
          </a>
        </li>
        ${steps[current.status].map(([action, status]) => html`
          <li>
            <button class="option" data-action=${action} onClick=${() => setStatus(status)}>
              ${icon({ publish: 'store', archive: 'archive' }[action] ?? 'eye-off')}
              <span class="grow">${t.dynamic('menu_' + action)}</span>
            </button>
          </li>
        `)}
        <li>
          <button class="option" data-action="duplicate" onClick=${duplicate}>
            ${icon('copy')}
            <span class="grow">${t('duplicate')}</span>
          </button>
        </li>
      </ul>
    <//>
  `
}
