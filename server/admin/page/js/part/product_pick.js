// A dialog that chooses products: by a search, or of the newest.

import { html, useEffect, useSignal } from '../html.js'
import { get, Problem } from '../api.js'
import { langOf, name } from '../i18n.js'
import { t } from '../strings/collections.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { picture, priceOf } from './product_row.js'
import { skeletonRows, Failed, Skeleton } from './states.js'

/** @typedef {import('./product_change.js').Product} Product */

/** The products that were loaded, whose titles are shown. @type {Map<string, Product>} */
export const loadedProducts = new Map()

export const titleOf = (/** @type {string} */ id) =>
  name(loadedProducts.get(id)?.title) || t('gone')

/**
 * most: how many can be chosen; fullText is shown then.
 * @param {{ products: string[], toggle: (id: string) => void, close: () => void, text?: string,
 *   most?: number, fullText?: string }} props
 */
export function AddProducts({
  products,
  toggle,
  close,
  text: about = t('addText'),
  most = 2000,
  fullText = t('full'),
}) {
  const text = useSignal('')
  const found = useSignal(/** @type {Product[] | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  const turn = useSignal(0)
  const words = text.value.trim()
  useEffect(() => {
    const abort = new AbortController()
    const timer = setTimeout(
      () => {
        const order = words ? {} : { sortBy: 'createdAt', sort: 'desc' }
        get('products', { search: words, limit: 20, ...order }, { signal: abort.signal }).then(
          ({ nodes }) => {
            for (const product of nodes) loadedProducts.set(product._id, product)
            found.value = nodes
            problem.value = null
          },
          (error) => {
            if (abort.signal.aborted) return
            if (!(error instanceof Problem)) throw error
            problem.value = error
          },
        )
      },
      words ? 250 : 0,
    )
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [words, turn.value])
  const isFull = products.length >= most
  return html`
    <${Dialog} title=${t('add')} text=${about} close=${close} id="add">
      <div class="search">
        ${icon('search')}
        <input
          id="find-product"
          type="search"
          aria-label=${t('find')}
          placeholder=${t('find')}
          value=${text.value}
          autocomplete="off"
          autofocus
          onInput=${(/** @type {FieldEvent} */ event) => {
            text.value = event.target.value
          }}
        />
      </div>
      ${isFull && html`<p class="hint">${fullText}</p>`}
      <div class="found-products">
        ${problem.value
          ? html`
              <${Failed}
                problem=${problem.value}
                retry=${() => {
                  turn.value++
                }}
              />
            `
          : !found.value
            ? html`<${Skeleton}>${skeletonRows(3)}<//>`
            : found.value.length === 0
              ? html`
                  <p class="quiet">${words ? t('nothing', { text: words }) : t('noProducts')}</p>
                `
              : html`
                  <ul class="options">
                    ${found.value.map((product) => {
                      const isIn = products.includes(product._id)
                      return html`
                        <li key=${product._id}>
                          <label class="option">
                            <input
                              type="checkbox"
                              class="checkbox"
                              checked=${isIn}
                              disabled=${isFull && !isIn}
                              data-add=${product._id}
                              onChange=${() => toggle(product._id)}
                            />
                            ${picture(product, 'mini')}
                            <span class="grow">
                              <span lang=${langOf(name(product.title))}>
                                ${name(product.title)}
                              </span>
                              <br />
                              <span class="small quiet">${priceOf(product)}</span>
                            </span>
                          </label>
                        </li>
                      `
                    })}
                  </ul>
                `}
      </div>
      <button type="button" class="button primary big" onClick=${close}>
        ${t('goOn', { count: products.length })}
      </button>
    <//>
  `
}
