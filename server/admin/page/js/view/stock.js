// Stock: what is low or sold out first. Counts are typed one after the other and saved together.

import { html, useEffect, useLayoutEffect, useRef, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { focusFault, leaveField } from '../focus.js'
import { dateTime, langOf, name, number } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { guard, open, route, to, withQuery } from '../router.js'
import { can } from '../session.js'
import { explain } from '../strings/problem.js'
import { t } from '../strings/stock.js'
import { Dialog } from '../part/dialog.js'
import { icon } from '../part/icon.js'
import { thumb } from '../part/order_row.js'
import { Pages } from '../part/pages.js'
import { countOf } from '../part/product_change.js'
import { SearchField } from '../part/product_filters.js'
import { Count } from '../part/product_variants.js'
import { canScan, Scan } from '../part/scan.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'
import { showToast } from '../part/toast.js'

const faulty = '.stock-row [aria-invalid=true]'

/** @typedef {import('../api.js').Schemas['ListedStock']} Level */
/**
 * @typedef {Record<string, { level: Level, text: string }>} Counts what was typed, by variant, and
 *   the stock at that time
 */

const views = ['low', 'out', 'all']
const mostAtOnce = 500

export const view = () => allowed('products.read', () => html`<${Stock} />`)

function Stock() {
  const { query } = route.value
  const shown = views.find((view) => view === query.get('view')) ?? 'low'
  const search = query.get('search') ?? ''
  const { data, problem, loading, reload } = useGet('stock', {
    status: search ? 'all' : shown === 'low' ? undefined : shown,
    search,
    page: query.get('page') ?? undefined,
  })
  const counts = useSignal(/** @type {Counts} */ ({}))
  const errors = useSignal(/** @type {Record<string, string>} */ ({}))
  const busy = useSignal(false)
  const scanning = useSignal(false)
  const scanned = useRef('') // the code whose variant is to be counted
  const history = useSignal(/** @type {Level | null} */ (null))
  /** @type {Level[]} */
  const rows = data?.nodes ?? []
  const mayCount = can('stock.write')
  const counted = Object.values(counts.value)
  useLayoutEffect(() => guard(() => (counted.length > 0 ? t('unsaved') : null)), [counted.length])
  const set = (/** @type {Level} */ level, /** @type {string} */ text) => {
    const { [level.variantId]: before, ...rest } = counts.value
    const from = before?.level ?? level
    const isSame = countOf(text) === from.stock
    if (counted.length >= mostAtOnce && !before) return
    counts.value = isSame ? rest : { ...rest, [level.variantId]: { level: from, text } }
    if (errors.value[level.variantId]) errors.value = { ...errors.value, [level.variantId]: '' }
  }
  const isScanned = Boolean(search) && scanned.current === search && rows.length === 1 && !loading
  useEffect(() => {
    if (isScanned)
      /** @type {HTMLElement | null} */ (
        document.querySelector('.stock-row input:enabled')
      )?.focus()
  }, [isScanned, search])
  const next = (/** @type {number} */ i) => {
    if (isScanned) return (scanning.value = true)
    const all = [...document.querySelectorAll('.stock-row input')]
    const input = /** @type {HTMLElement | undefined} */ (all[i + 1])
    if (input) input.focus()
    else leaveField()
  }
  async function save(/** @type {Event} */ event) {
    event.preventDefault()
    if (busy.value || counted.length === 0) return
    const faults = Object.fromEntries(
      counted
        .filter(({ text }) => !Number.isInteger(countOf(text)))
        .map(({ level }) => [level.variantId, t('noCount')]),
    )
    errors.value = faults
    if (Object.keys(faults).length > 0) return focusFault(undefined, faulty)
    busy.value = true
    try {
      const items = counted.map(({ level, text }) => ({
        variantId: level.variantId,
        set: countOf(text),
        from: level.stock,
      }))
      await act('bulk/stock', { items }, { label: t('title') })
      counts.value = {}
      changed()
      showToast(t('saved', { count: items.length }))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      /** @type {Record<string, string>} */
      const found = {}
      for (const fault of error.errors) {
        const at = Number(/items\[(\d+)\]/.exec(fault.field)?.[1] ?? -1)
        found[counted[at]?.level.variantId ?? ''] = explain(fault)
      }
      errors.value = error.errors.length > 0 ? found : { '': explain(error) }
      focusFault(undefined, faulty)
    } finally {
      busy.value = false
    }
  }
  // An error of a variant that is on another page stands in the bar.
  const barError = Object.entries(errors.value).find(
    ([id, text]) => text && !rows.some((row) => row.variantId === id),
  )
  const hidden =
    barError &&
    (counts.value[barError[0]]
      ? `${titleOf(counts.value[barError[0]].level)}: ${barError[1]}`
      : barError[1])
  return html`
    <section class="list-side products stock">
      <h1 class="page-title" tabindex="-1">${t('title')}</h1>
      <div class="row find-in">
        <div class="grow">
          <${SearchField} />
        </div>
        ${canScan && html`
          <button
            class="button square"
            id="scan-it"
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
      <nav class="views" aria-label=${t('views')}>
        ${views.map((view) => html`
          <a
            href=${withQuery({ view: view === 'low' ? null : view, search: null, page: null })}
            aria-current=${view === shown && !search ? 'page' : undefined}
          >
            ${t.dynamic(view)}
          </a>
        `)}
      </nav>
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} title=${t('notLoaded')} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows()}<//>`
          : rows.length === 0
            ? none()
            : html`
                <form id="counts" class="narrow" onSubmit=${save} aria-busy=${loading} novalidate>
                  <ul class="card list">${rows.map(row)}</ul>
                  <${Pages} meta=${data.meta} label=${t('title')} />
                </form>
              `}
      ${counted.length > 0 && html`
        <div class="action-bar tall above-tabs">
          <p class=${hidden ? 'error' : 'small quiet'} role="status">${hidden ?? t('sold')}</p>
          <div class="row">
            <button class="button primary big" id="save" aria-busy=${busy.value} onClick=${save}>
              ${icon(busy.value ? 'loader' : 'check', busy.value ? 'spin' : '')}
              ${t('save', { count: counted.length })}
            </button>
            <button
              class="button second"
              onClick=${() => {
                counts.value = {}
                errors.value = {}
              }}
            >
              ${t('discard')}
            </button>
          </div>
        </div>
      `}
      ${scanning.value && html`
        <${Scan}
          close=${() => {
            scanning.value = false
          }}
          found=${(/** @type {string} */ code) => {
            scanning.value = false
            scanned.current = code
            open(withQuery({ search: code, page: null }), { replace: true })
          }}
        />
      `}
      ${history.value && html`
        <${History}
          level=${history.value}
          close=${() => {
            history.value = null
          }}
        />
      `}
    </section>
  `

  function none() {
    if (search) {
      return html`
        <${Empty}
          icon="search"
          title=${t('noResults', { text: search })}
          text=${t('noResultsText')}
        >
          <a class="button" href=${withQuery({ search: null, page: null })}>${t('clear')}</a>
        <//>
      `
    }
    return html`
      <${Empty}
        icon=${shown === 'all' ? 'boxes' : 'circle-check'}
        title=${t.dynamic('none_' + shown)}
        text=${t.dynamic('text_' + shown)}
      />
    `
  }
  function row(/** @type {Level} */ level, /** @type {number} */ i) {
    const title = titleOf(level),
      entered = counts.value[level.variantId],
      error = errors.value[level.variantId]
    const tone =
      level.stock <= 0 ? 'tone-bad' : level.stock <= level.lowStock ? 'tone-warn' : 'quiet'
    return html`
      <li
        class=${entered ? 'stock-row section changed' : 'stock-row section'}
        key=${level.variantId}
      >
        ${thumb({ title, imageUrl: level.imageUrl }, 1, 'mini')}
        <button
          type="button"
          class="grow"
          aria-haspopup="dialog"
          onClick=${() => {
            history.value = level
          }}
        >
          <b lang=${langOf(title)}>${title}</b>
          <br />
          <span class="small">
            <span class=${tone}>
              ${!level.tracked
                ? ''
                : entered
                  ? t('was', { count: entered.level.stock })
                  : level.stock <= 0
                    ? t('out')
                    : t('warnAt', { count: level.lowStock })}
            </span>
            ${level.sku && html`<span class="quiet mono"> ${level.sku}</span>`}
          </span>
        </button>
        ${level.tracked
          ? html`
              <${Count}
                id=${'count-' + level.variantId}
                label=${t('stockOf', { title })}
                value=${entered?.text ?? String(level.stock)}
                error=${error}
                disabled=${!mayCount}
                change=${(/** @type {string} */ text) => set(level, text)}
                onEnter=${() => next(i)}
              />
            `
          : html`<span class="small quiet">${t('notCounted')}</span>`}
        ${error && html`
          <p class="error full">
            ${icon('circle-alert', 'mini')}
            <span>${error}</span>
          </p>
        `}
      </li>
    `
  }
}

/** The title of a variant, with its values: a product's title can be in two languages. */
const titleOf = (/** @type {Level} */ { title }) => {
  const [, product, values] = /^(.* — .*) \(([^()]*)\)$/.exec(title) ?? []
  return product ? `${name(product)} (${values})` : name(title)
}

const reason = (/** @type {import('../api.js').Schemas['StockMovement']} */ movement) =>
  t.dynamic('move_' + movement.reason)

/** @param {{ level: Level, close: () => void }} props */
function History({ level, close }) {
  const { data, problem, reload } = useGet(`stock/${encodeURIComponent(level.variantId)}/history`)
  const title = titleOf(level)
  return html`
    <${Dialog} title=${title} text=${t('history')} close=${close} id="history">
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(3)}<//>`
          : data.movements.nodes.length === 0
            ? html`<p class="quiet">${t('noHistory')}</p>`
            : html`
                <ul class="list">
                  ${data.movements.nodes.map(
                    (/** @type {import('../api.js').Schemas['StockMovement']} */ movement) => html`
                      <li class="line">
                        <span class="grow">
                          ${movement.invoiceUid
                            ? html`
                                <a
                                  class="link"
                                  href=${to('order', movement.invoiceUid)}
                                  onClick=${close}
                                >
                                  ${reason(movement)}
                                </a>
                              `
                            : reason(movement)}
                          <br />
                          <span class="small quiet">
                            ${dateTime(movement.at)}
                            ${movement.note && html` · <q>${movement.note}</q>
                            `}
                          </span>
                        </span>
                        <span class="right">
                          <b>
                            ${movement.delta > 0 ? '+' : '−'}
                            ${number(Math.abs(movement.delta))}
                          </b>
                          <br />
                          <span class="small quiet">${t('left', { count: movement.balance })}</span>
                        </span>
                      </li>
                    `,
                  )}
                </ul>
              `}
      <a class="button big" href=${to('product', level.productId)} onClick=${close}>
        ${icon('pencil')}
        ${t('open')}
      </a>
    <//>
  `
}
