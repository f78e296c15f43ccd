// The list of products: by status, with search and filters, and what is done with many of them.

import { html, useLayoutEffect, useSignal } from '../html.js'
import { shortcuts } from '../keys.js'
import { isWide } from '../media.js'
import { useGet } from '../resource.js'
import { open, route, to, withQuery } from '../router.js'
import { can } from '../session.js'
import { t as file } from '../strings/import.js'
import { t } from '../strings/products.js'
import { useChoice } from '../part/choice.js'
import { icon } from '../part/icon.js'
import { rowKeys } from '../part/list_keys.js'
import { Pages } from '../part/pages.js'
import { SelectionBar, SelectionTop } from '../part/product_bulk.js'
import {
  apiQuery,
  clearFilters,
  FilterChips,
  Filters,
  isFiltered,
  SearchField,
  selectionOf,
  SortChip,
  useCollections,
  views,
} from '../part/product_filters.js'
import { ProductFiles } from '../part/product_files.js'
import { Quick } from '../part/product_quick.js'
import { foundText, ProductCard, ProductTableRow } from '../part/product_row.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'

/** @typedef {import('../part/product_change.js').Product} Product */

/** How many products one action may be about. */
const mostAtOnce = 2000

export const view = () => allowed('products.read', () => html`<${Products} />`)

function Products() {
  const { query } = route.value
  const shown = views.find((view) => view === query.get('view')) ?? 'all'
  const { data, problem, loading, reload } = useGet('products', apiQuery(query))
  const collections = useCollections()
  const filtering = useSignal(false)
  const files = useSignal(false)
  const quick = useSignal(/** @type {Product | null} */ (null))
  const scope = String(query)
  /** @type {Product[]} */
  const rows = data?.nodes ?? []
  const { chosen, everything, choosing, at, picked, choose, end, ...choice } = useChoice(
    rows,
    scope,
  )
  const mayChange = can('products.write')
  const isWhole = data && picked.length === rows.length
  const tooMany = isWhole && (data.meta.bounded || data.meta.totalCount > mostAtOnce)
  const total = isWhole && !tooMany ? data.meta.totalCount : 0
  const selection = {
    rows: picked,
    everything: everything.value ? { filter: selectionOf(query), count: total } : null,
  }
  const href = (/** @type {Product} */ product) => to('product', product._id)
  useLayoutEffect(() => {
    return shortcuts({
      ...rowKeys({ rows, at, name: 'data-product', choose: mayChange ? choose : null, href, open }),
      ...(mayChange ? { n: () => open(to('product', 'new')) } : {}),
      ...(chosen.value.length > 0 || choosing.value ? { Escape: end } : {}),
    })
  }, [rows, chosen.value, choosing.value])
  const isChoosing = mayChange && (choosing.value || (isWide.value && picked.length > 0))
  const title = t.dynamic(shown)
  return html`
    <section class="list-side products">
      ${choosing.value && !isWide.value
        ? html`<${SelectionTop} picked=${selection} rows=${rows} end=${end} all=${choice.all} />`
        : html`
            <div class=${isWide.value ? 'row spread page-title' : ''}>
              <h1 class=${isWide.value ? '' : 'visually-hidden'} tabindex="-1">${t('title')}</h1>
              ${isWide.value && html`
                <div class="row">
                  <${SearchField} />
                  ${mayChange && html`
                    <a class="button primary" href=${to('product', 'new')}>
                      ${icon('plus')}
                      ${t('new')}
                    </a>
                  `}
                </div>
              `}
            </div>
            ${!isWide.value && html`<${SearchField} />`}
            <nav class="views" aria-label=${t('views')}>
              ${views.map((view) => html`
                <a
                  href=${withQuery({ view: view === 'all' ? null : view, page: null })}
                  aria-current=${view === shown ? 'page' : undefined}
                >
                  ${t.dynamic(view)}
                </a>
              `)}
            </nav>
            <div class="chips">
              <button
                class="chip"
                onClick=${() => {
                  filtering.value = true
                }}
              >
                ${icon('sliders-horizontal', 'mini')}
                ${t('filter')}
              </button>
              <${FilterChips} collections=${collections} />
              <${SortChip} />
              ${!isWide.value && rows.length > 0 && mayChange && html`
                <button
                  class="chip"
                  id="select"
                  onClick=${() => {
                    choosing.value = true
                  }}
                >
                  ${icon('list-checks', 'mini')}
                  ${t('select')}
                </button>
              `}
              <button
                class="chip"
                id="files"
                aria-haspopup="dialog"
                onClick=${() => {
                  files.value = true
                }}
              >
                ${icon('file-up', 'mini')}
                ${file('files')}
              </button>
              ${data && html`
                <span class="quiet small found" role="status">${foundText(data.meta)}</span>
              `}
            </div>
          `}
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} title=${t('notLoaded')} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows()}<//>`
          : rows.length === 0
            ? none()
            : html`
                <div aria-busy=${loading}>
                  ${isWide.value ? table() : cards()}
                  <${Pages} meta=${data.meta} label=${title} />
                </div>
              `}
      ${isChoosing
        ? html`
            <${SelectionBar}
              picked=${selection}
              total=${total}
              most=${tooMany ? mostAtOnce : 0}
              collections=${collections}
              end=${end}
              everything=${() => {
                everything.value = true
              }}
            />
          `
        : !isWide.value &&
          mayChange && html`
            <div class="action-bar above">
              <a class="button primary big" id="new" href=${to('product', 'new')}>
                ${icon('plus')}
                ${t('new')}
              </a>
            </div>
          `}
      ${filtering.value && html`
        <${Filters}
          collections=${collections}
          close=${() => {
            filtering.value = false
          }}
        />
      `}
      ${files.value && html`
        <${ProductFiles} close=${() => {
          files.value = false
        }} />
      `}
      ${quick.value && html`
        <${Quick}
          key=${quick.value._id}
          product=${quick.value}
          close=${() => {
            quick.value = null
          }}
        />
      `}
    </section>
  `

  function none() {
    if (isFiltered(query)) {
      return html`
        <${Empty} icon="search" title=${t('noResults')} text=${t('noResultsText')}>
          <button class="button" onClick=${clearFilters}>${t('clear')}</button>
        <//>
      `
    }
    return html`
      <${Empty}
        icon="package"
        title=${t.dynamic('none_' + shown)}
        text=${t.dynamic('text_' + shown)}
      >
        ${mayChange && shown === 'all' && html`
          <a class="button" href=${to('import')}>${icon('file-up')}${file('title')}</a>
        `}
      <//>
    `
  }
  function cards() {
    return html`
      <ul class="card list">
        ${rows.map((product, i) => html`
          <${ProductCard}
            key=${product._id}
            product=${product}
            view=${shown}
            href=${href(product)}
            choosing=${choosing.value}
            chosen=${chosen.value.includes(product._id)}
            choose=${() => choose(i)}
            press=${mayChange ? choice.press(i) : {}}
            quick=${() => {
              quick.value = product
            }}
            current=${i === at.value}
          />
        `)}
      </ul>
    `
  }
  function table() {
    return html`
      <div class="card wrap" tabindex="0" role="region" aria-label=${title}>
        <table class="table">
          <thead>
            <tr>
              <th class="pick-cell">
                <label>
                  <input
                    type="checkbox"
                    class="checkbox"
                    checked=${picked.length === rows.length}
                    aria-label=${t('selectAll')}
                    onChange=${choice.toggleAll}
                  />
                </label>
              </th>
              <td></td>
              <th>${t('product')}</th>
              <th>${t('status')}</th>
              <th class="numeric">${t('stock')}</th>
              <th class="numeric">${t('price')}</th>
              <td></td>
            </tr>
          </thead>
          <tbody>
            ${rows.map((product, i) => html`
              <${ProductTableRow}
                key=${product._id}
                product=${product}
                view=${shown}
                href=${href(product)}
                chosen=${chosen.value.includes(product._id)}
                choose=${(/** @type {boolean} */ range) => choose(i, range)}
                quick=${() => {
                  quick.value = product
                }}
                current=${i === at.value}
              />
            `)}
          </tbody>
        </table>
      </div>
    `
  }
}
