// The list of orders: the views of a day's work, filters, search, selection, and on a wide screen
// the open order beside it.

import { html, useEffect, useLayoutEffect, useSignal } from '../html.js'
import { Problem } from '../api.js'
import { dayOfShop, digits, money, sum } from '../i18n.js'
import { shortcuts } from '../keys.js'
import { count, counts, fresh, inSight, refreshCounts } from '../live.js'
import { isLarge, isWide } from '../media.js'
import { useCurrentInSight } from '../place.js'
import { changed, prefetch, useGet } from '../resource.js'
import { close, open, route, to, withQuery } from '../router.js'
import { can, firstList, packs, session } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/orders.js'
import { explain } from '../strings/problem.js'
import { useChoice } from '../part/choice.js'
import { countMark } from '../part/count.js'
import { icon } from '../part/icon.js'
import { rowKeys } from '../part/list_keys.js'
import { useLiveRows } from '../part/live_rows.js'
import { Order } from '../part/order.js'
import { Columns, columns, shownColumns } from '../part/order_columns.js'
import {
  apiQuery,
  clearFilters,
  filterChips,
  isFiltered,
  savedChips,
  selectionOf,
  SortChip,
} from '../part/order_filters.js'
import { fits, isDoubtful } from '../part/order_fits.js'
import { OrderCard, OrderTableRow } from '../part/order_row.js'
import { Pages } from '../part/pages.js'
import { openPrint } from '../part/printing.js'
import { SelectionBar, SelectionTop } from '../part/selection.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'
import { showToast } from '../part/toast.js'
import { actUndoable } from '../part/undo.js'

/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */

/** The views of who packs and does not confirm. */
const ofPacker = ['toPack', 'toHandOver', 'onTheWay', 'problems', 'returning', 'all']

const views = [
  'toConfirm',
  'toPack',
  'toHandOver',
  'onTheWay',
  'problems',
  'returning',
  'toRefund',
  'unpaid',
  'done',
  'closed',
  'all',
]

/** How many orders one action may be about. */
const mostAtOnce = 2000

/** Loads the list of the address before it is known who is signed in: a round trip less. */
export const prepare = () => {
  const { query } = route.peek()
  prefetch('orders', apiQuery(query, query.get('view') ?? 'toConfirm'))
}

export const view = () => allowed('orders.read', () => html`<${Orders} />`)

function Orders() {
  const { id, query } = route.value
  if (id && !isWide.value) return html`<${Order} id=${id} close=${closeOrder} />`
  return html`
    <div class=${id ? 'split' : ''}>
      <${List} open=${id} view=${query.get('view') ?? firstList()} />
      ${id && html`
        <aside class="pane" aria-label=${t('order')}>
          <${Order} key=${id} id=${id} pane close=${closeOrder} />
        </aside>
      `}
    </div>
  `
}

/** Shows the list without the open order. */
const closeOrder = () => close(to('orders', '', queryOf()))
const queryOf = () => {
  /** @type {Record<string, string[]>} */
  const all = {}
  for (const name of new Set(route.value.query.keys())) all[name] = route.value.query.getAll(name)
  return all
}

/** @param {{ view: string, open: string, inert: boolean }} props */
function ViewTabs({ view, open, inert }) {
  const tabs = useCurrentInSight([view, open === ''])
  return html`
    <nav class="views" aria-label=${t('views')} inert=${inert} ref=${tabs}>
      ${(packs() ? ofPacker : views).map((tab) => {
        const n = count(tab)
        const name = t.dynamic(tab)
        const shown = n > 0 && !/^(done|closed|all)$/.test(tab)
        return html`
          <a
            href=${to('orders', '', { view: tab })}
            aria-current=${tab === view ? 'page' : undefined}
          >
            ${name}
            ${shown && countMark(n, tab === 'toConfirm' ? 'hot' : tab === 'problems' ? 'bad' : '')}
          </a>
        `
      })}
    </nav>
  `
}

function List(/** @type {{ open: string, view: string }} */ { open: openID, view }) {
  const { query } = route.value
  const { data, problem, loading, reload } = useGet('orders', apiQuery(query, view))
  const sheet = useSignal(/** @type {'' | 'filters' | 'columns'} */ (''))
  const form = useSignal(/** @type {typeof import('../part/order_filter_form.js') | null} */ (null))
  const openFilters = async () => {
    try {
      form.value = await import('../part/order_filter_form.js')
      sheet.value = 'filters'
    } catch {
      showToast(explain(new Problem(0, {})), { bad: true })
    }
  }
  const scope = view + query
  const { rows, isQuiet } = useLiveRows(data, scope, reload)
  const {
    chosen,
    everything,
    choosing,
    at,
    picked,
    choose,
    end: endChoosing,
    ...choice
  } = useChoice(rows, scope)
  useEffect(() => {
    inSight.ids = rows.map((row) => row._id)
    return () => {
      inSight.ids = []
    }
  }, [rows])
  useEffect(() => {
    // the list may be newer than the counts
    if (data && query.get('page') === null && !isQuiet) fresh.value = 0
    if (data && !isFiltered(query) && data.meta.totalCount !== counts.value[view]) refreshCounts()
  }, [data])
  const isWhole = data && picked.length === rows.length
  const tooMany = isWhole && (data.meta.bounded || data.meta.totalCount > mostAtOnce)
  const total = isWhole && !tooMany ? data.meta.totalCount : 0
  const selection = {
    rows: picked,
    everything: everything.value ? { filter: selectionOf(query, view), count: total } : null,
  }
  const href = (/** @type {OrderRow} */ row) => to('orders', row._id, queryOf())
  const showNew = () => {
    fresh.value = 0
    if (query.get('page')) open(withQuery({ page: null }))
    else reload()
    scrollTo(0, 0)
  }
  useLayoutEffect(() => {
    return shortcuts({
      ...rowKeys({
        rows,
        at,
        name: 'data-order',
        choose,
        href,
        open,
        from: () => (openID ? rows.findIndex((row) => row._id === openID) : at.value),
        moved: (row) => {
          if (openID) open(href(row), { replace: true })
        },
      }),
      ...(openID || picked.length > 0
        ? {}
        : {
            // those of the open order and of the selection are their own
            c: () => {
              if (rows[at.value]) confirm(rows[at.value])
            },
            b: () => {
              if (rows[at.value] && fits.book(rows[at.value]) && can('orders.fulfill'))
                open(to('book', '', { id: rows[at.value]._id }))
            },
            p: () => {
              if (rows[at.value]) openPrint([rows[at.value]._id])
            },
            l: () => {
              if (rows[at.value]) location.href = 'tel:' + rows[at.value].customer.phoneNumber
            },
          }),
      ...(chosen.value.length > 0 || choosing.value
        ? { Escape: endChoosing }
        : openID
          ? { Escape: closeOrder }
          : {}),
    })
  }, [rows, openID, chosen.value, choosing.value])
  const calls = data && rows.length === count('toConfirm') ? rows.filter(isToCall).length : null
  const isSelecting = choosing.value && !isWide.value
  const isChoosing = choosing.value || (isWide.value && picked.length > 0)
  const isTable = isWide.value && (openID === '' || isLarge.value)
  const title = t.dynamic(views.includes(view) ? view : 'all')
  return html`
    <section class="list-side">
      ${isSelecting
        ? html`
            <${SelectionTop}
              picked=${selection}
              rows=${rows}
              end=${endChoosing}
              all=${choice.all}
            />
          `
        : html`
            <h1 class=${isWide.value ? 'page-title' : 'visually-hidden'} tabindex="-1">
              ${isWide.value ? t('title') : t('title') + ': ' + title}
            </h1>
          `}
      <${SearchField} />
      <${ViewTabs} view=${view} open=${openID} inert=${isSelecting} />
      <div class="chips" inert=${isSelecting}>
        ${fresh.value > 0 && /^(toConfirm|all)$/.test(view) && html`
          <button class="chip new" onClick=${showNew}>
            ${icon('arrow-up', 'mini')}
            <span role="status">${t('newOrders', { count: fresh.value })}</span>
          </button>
        `}
        <button class="chip" onClick=${openFilters}>
          ${icon('sliders-horizontal', 'mini')}
          ${t('filter')}
        </button>
        ${savedChips()}
        ${filterChips()}
        <${SortChip} />
        ${isWide.value && !openID && html`
          <button
            class="chip"
            id="columns-button"
            onClick=${() => {
              sheet.value = 'columns'
            }}
          >
            ${icon('columns-3', 'mini')}
            ${t('columns')}
          </button>
        `}
        ${can('orders.write') && html`
          <a class="chip" href=${to('new')}>${icon('plus', 'mini')}${common('newOrder')}</a>
        `}
        ${isWide.value && view === 'toConfirm' && rows.length > 0 && can('orders.write') && html`
          <a class="chip on" href=${to('call')}>${icon('phone', 'mini')}${callText(calls)}</a>
        `}
        ${!isWide.value && rows.length > 0 && html`
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
        ${can('export') && rows.length > 0 && html`
          <button
            class="chip"
            id="export-orders"
            onClick=${() => exportAll(selectionOf(query, view))}
          >
            ${icon('save', 'mini')}
            ${t('export')}
          </button>
        `}
        ${isWide.value && !openID && data && html`
          <span class="quiet small found">${found(data, rows)}</span>
        `}
      </div>
      ${data?.meta.indexing && html`
        <p class="quiet small padded" role="status">
          ${t('indexing', { count: data.meta.indexing.remaining })}
        </p>
      `}
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} title=${t('notLoaded')} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows()}<//>`
          : rows.length === 0
            ? html`<${NoRows} view=${view} />`
            : html`
                <div aria-busy=${loading}>
                  ${isTable ? table() : cards()}
                  <${Pages} meta=${data.meta} label=${title} />
                </div>
              `}
      ${isChoosing
        ? html`
            <${SelectionBar}
              picked=${selection}
              total=${total}
              most=${tooMany ? mostAtOnce : 0}
              everything=${() => {
                everything.value = true
              }}
              end=${endChoosing}
            />
          `
        : !isWide.value && (data || !problem) && html`<${Primary} view=${view} calls=${calls} />`}
      ${sheet.value === 'filters' && form.value && html`
        <${form.value.Filters} close=${() => {
          sheet.value = ''
        }} />
      `}
      ${sheet.value === 'columns' && html`
        <${Columns} close=${() => {
          sheet.value = ''
        }} />
      `}
    </section>
  `

  function cards() {
    return html`
      <ul class="card list">
        ${rows.map((row, i) => html`
          <${OrderCard}
            key=${row._id}
            row=${row}
            view=${view}
            href=${href(row)}
            choosing=${isChoosing}
            chosen=${chosen.value.includes(row._id)}
            choose=${() => choose(i)}
            current=${row._id === openID}
            press=${choice.press(i)}
          />
        `)}
      </ul>
    `
  }
  function table() {
    const all = picked.length === rows.length
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
                    checked=${all}
                    aria-label=${t('selectAll')}
                    onChange=${choice.toggleAll}
                  />
                </label>
              </th>
              <td></td>
              <th>${t('order')}</th>
              <th>${t('buyer')}</th>
              ${!openID &&
                shownColumns.value.map((column) => html`
                  <th key=${column} class=${columns[column].kind ?? ''}>
                    ${columns[column].title()}
                  </th>
                `)}
              ${can('prices.read') && html`<th class="numeric">${t('cash')}</th>`}
              <th>${t(view === 'toConfirm' ? 'signals' : 'status')}</th>
            </tr>
          </thead>
          <tbody>
            ${rows.map((row, i) => html`
              <${OrderTableRow}
                key=${row._id}
                row=${row}
                view=${view}
                href=${href(row)}
                narrow=${openID !== ''}
                chosen=${chosen.value.includes(row._id)}
                choose=${(/** @type {boolean} */ range) => choose(i, range)}
                current=${row._id === openID || (!openID && i === at.value)}
              />
            `)}
          </tbody>
        </table>
      </div>
    `
  }
}

/** Saves the orders of a list as a file. */
async function exportAll(/** @type {any} */ selection) {
  try {
    const { download } = await import('../part/download.js')
    await download('exports/orders', selection, `orders-${dayOfShop()}.csv`)
    showToast(t('exported'))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    showToast(explain(error), { bad: true })
  }
}

/** Confirms one order, from the list. */
async function confirm(/** @type {OrderRow} */ row) {
  if (row.status !== 'pending' || !can('orders.write')) return
  if (isDoubtful(row)) {
    open(to('order', row._id))
    return
  }
  try {
    const number = digits(row.orderNumber)
    const done = await actUndoable(`orders/${row._id}/confirm`, {}, { label: '#' + number })
    done(t('orderDone', { number }))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    showToast(explain(error), { bad: true })
  }
  changed()
  refreshCounts()
}

function found(/** @type {any} */ data, /** @type {OrderRow[]} */ rows) {
  const cash = sum(rows.map((row) => row.cashToCollect))
  const words = data.meta.bounded ? t('foundMany') : t('found', { count: data.meta.totalCount })
  return !data.meta.hasNextPage && data.meta.currentPage === 1 && cash && cash.amount > 0
    ? `${words} · ${money(cash)}`
    : words
}

function SearchField() {
  const { query } = route.value
  return (
    isWide.value && html`
      <form
        class="search"
        role="search"
        onSubmit=${(/** @type {Event & { target: HTMLFormElement }} */ event) => {
          event.preventDefault()
          const search = new FormData(event.target).get('search')
          open(search ? to('orders', '', { view: 'all', search }) : withQuery({ search: null }))
        }}
      >
        ${icon('search')}
        <input
          name="search"
          type="search"
          aria-label=${common('search')}
          placeholder=${common('searchHint')}
          key=${query.get('search')}
          defaultValue=${query.get('search') ?? ''}
        />
        <kbd aria-hidden="true">/</kbd>
      </form>
    `
  )
}

function NoRows(/** @type {{ view: string }} */ { view }) {
  if (isFiltered(route.value.query)) {
    return html`
      <${Empty} icon="search" title=${t('noResults')} text=${t('noResultsText')}>
        <button class="button" onClick=${clearFilters}>${t('clear')}</button>
      <//>
    `
  }
  const words = (/** @type {string} */ prefix) =>
    t.dynamic(prefix + (views.includes(view) ? view : 'all'))
  return html`
    <${Empty}
      icon=${view === 'toConfirm' ? 'coffee' : 'inbox'}
      title=${words('none_')}
      text=${words('text_')}
    >
      ${view === 'toConfirm' && count('toPack') > 0 && html`
        <a class="button" href=${to('orders', '', { view: 'toPack' })}>
          ${t('goOn', { count: count('toPack') })}
          ${icon('arrow-right')}
        </a>
      `}
    <//>
  `
}

/** Whether a buyer is to be called now: not later, and by nobody else. */
const isToCall = (/** @type {OrderRow} */ { calls, claimedBy }) =>
  (calls.dueAt === null || Date.parse(calls.dueAt) <= Date.now()) &&
  (claimedBy === null || claimedBy._id === session.value?.staffMember._id)

/** calls: how many, null if the list does not show all of them. */
const callText = (/** @type {number | null} */ calls) =>
  calls ? t('callAll', { count: calls }) : t('callBuyers')

/** The one thing to do next with a list, in reach of the thumb. */
function Primary(/** @type {{ view: string, calls: number | null }} */ { view, calls }) {
  if (view === 'toConfirm' && count('toConfirm') > 0 && can('orders.write')) {
    return html`
      <div class="action-bar above">
        <a class="button primary big" href=${to('call')}>${icon('phone')}${callText(calls)}</a>
      </div>
    `
  }
  if (view !== 'toPack' || count('toPack') === 0 || !can('orders.fulfill')) return null
  return html`
    <div class="action-bar above">
      <a class="button primary big" href=${to('book')}>
        ${icon('truck')}
        ${t('bookAll', { count: count('toPack') })}
      </a>
    </div>
  `
}
