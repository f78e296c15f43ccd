// A selection of orders: how many there are and what can be done with them.

import { html, useLayoutEffect, useSignal } from '../html.js'
import { Problem } from '../api.js'
import { money, sum } from '../i18n.js'
import { shortcuts } from '../keys.js'
import { open, route, to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/orders.js'
import { t as jobs } from '../strings/job.js'
import { explain } from '../strings/problem.js'
import { icon } from './icon.js'
import { start } from './job.js'
import { Later } from './later.js'
import { fits, isDoubtful } from './order_fits.js'
import { openPrint } from './printing.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */

const loadBulk = () => import('./bulk.js')

const cashOf = (/** @type {OrderRow[]} */ rows) => sum(rows.map((row) => row.cashToCollect))

/** What is selected: orders of the page, or all that the list has, by its filter.
 * @typedef {{ rows: OrderRow[], everything: { filter: any, count: number } | null }} Picked */

/** Returns the filters of the list's address, for the address of another view. */
const filtersOf = (/** @type {URLSearchParams} */ query) =>
  Object.fromEntries(
    [...new Set(query.keys())]
      .filter((name) => name !== 'page' && name !== 'order')
      .map((name) => [name, query.getAll(name)]),
  )

/**
 * The bar that takes the place of the top bar.
 * @param {{ picked: Picked, rows: OrderRow[], end: () => void, all: () => void }} props
 */
export const SelectionTop = ({ picked, rows, end, all }) => {
  const cash = !picked.everything && can('prices.read') && cashOf(picked.rows)
  return html`
    <header class="top plain over">
      <button class="icon-button" aria-label=${t('endSelection')} onClick=${end}>
        ${icon('x')}
      </button>
      <div class="title">
        <h1 tabindex="-1" aria-live="polite">
          ${t('selected', { count: picked.everything?.count ?? picked.rows.length })}
        </h1>
        ${cash && html`<div class="small quiet">${t('toCollect', { amount: money(cash) })}</div>`}
      </div>
      ${picked.rows.length < rows.length && html`
        <button class="button mini" onClick=${all}>${t('allOf', { count: rows.length })}</button>
      `}
    </header>
  `
}

/**
 * most: how many orders one action can be about if the list has more, otherwise 0.
 * @param {{ picked: Picked, total: number, most: number, everything: () => void, end: () => void }}
 *   props
 */
export function SelectionBar({ picked, total, most, everything, end }) {
  const dialog = useSignal('')
  const { rows } = picked
  const ids = rows.map((row) => row._id)
  const count = picked.everything?.count ?? rows.length
  const of = (/** @type {string} */ action) =>
    rows.filter((row) => fits[action](row) && !(action === 'confirm' && isDoubtful(row)))
  const doubtful = rows.filter((row) => fits.confirm(row) && isDoubtful(row))
  const confirmable = of('confirm'),
    bookable = of('book'),
    trackable = of('track')
  const main =
    confirmable.length > 0 && can('orders.write')
      ? 'confirm'
      : bookable.length > 0 && can('orders.fulfill')
        ? 'book'
        : trackable.length > 0 && can('orders.fulfill')
          ? 'track'
          : ''
  const counted = picked.everything
    ? count
    : ({ confirm: confirmable.length, book: bookable.length, track: trackable.length }[main] ?? 0)
  const cash = !picked.everything && can('prices.read') && cashOf(rows)
  const words = t.dynamic
  const bookAddress = to(
    'book',
    '',
    picked.everything
      ? { view: 'toConfirm', ...filtersOf(route.value.query) }
      : { id: bookable.map((row) => row._id) },
  )
  function run(/** @type {string} */ action) {
    if (picked.everything)
      dialog.value = action // a preview: not all of them are in sight
    else {
      const some = of(action)
      end()
      start(action, { ids: some.map((row) => row._id) }, some.length)
    }
  }
  /** Saves the orders as a file. */
  async function save() {
    dialog.value = ''
    try {
      const { download } = await import('../part/download.js')
      await download('exports/orders', picked.everything?.filter ?? { ids }, 'orders.csv')
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      showToast(explain(error), { bad: true })
    }
  }
  const choose = (/** @type {string} */ action) => {
    if (action === 'book') open(bookAddress)
    else if (action === 'export') save()
    else dialog.value = action
  }
  useLayoutEffect(
    () =>
      shortcuts({
        c: () => {
          if (confirmable.length > 0 && can('orders.write')) run('confirm')
        },
        b: () => {
          if (bookable.length > 0 && can('orders.fulfill')) open(bookAddress)
        },
        p: () => {
          if (!picked.everything) openPrint(ids)
        },
      }),
    [picked],
  )
  const hint =
    rows.length === 0 || picked.everything
      ? null
      : main === 'confirm' && doubtful.length > 0
        ? t('shortLeft', { count: doubtful.length })
        : main === 'confirm' && bookable.length === 0
          ? t('appliesNone', { action: t('book'), all: rows.length, reason: t('reasonBook') })
          : main === ''
            ? t('appliesNone', {
                action: t('confirm'),
                all: rows.length,
                reason: t('reasonConfirm'),
              })
            : counted < rows.length
              ? t('appliesSome', { action: words(main), count: counted, all: rows.length })
              : null
  const mayAct = can('orders.write') || can('orders.fulfill') || can('export')
  return html`
    <div class="action-bar tall selection">
      ${hint && html`
        <p class="banner info rounded">
          ${icon('info')}
          <span>${hint}</span>
        </p>
      `}
      ${!picked.everything && rows.length > 0 && total > rows.length && mayAct && html`
        <p class="banner info rounded">
          <span class="grow">${t('onThisPage', { count: rows.length })}</span>
          <button class="button mini" id="everything" onClick=${everything}>
            ${t('everything', { count: total })}
          </button>
        </p>
      `}
      ${!picked.everything && most > 0 && mayAct && html`
        <p class="banner info rounded" id="too-many">
          ${icon('info')}
          <span>${t('tooMany', { count: rows.length, most })}</span>
        </p>
      `}
      <div class="row">
        <span class="grow wide-only">
          <b>${t('selected', { count })}</b>
          ${cash && html`
            <span class="quiet">${'\u00a0· '}${t('toCollect', { amount: money(cash) })}</span>
          `}
        </span>
        ${main === 'book'
          ? html`
              <a class="button primary big" href=${bookAddress}>
                ${icon('truck')}
                ${t('bookCount', { count: counted })}
              </a>
            `
          : main
            ? html`
                <button class="button primary big" onClick=${() => run(main)}>
                  ${icon(main === 'confirm' ? 'check' : 'rotate-cw')}
                  ${t.dynamic(main + 'Count', { count: counted })}
                </button>
              `
            : html`<button class="button big off" disabled>${t('selected', { count })}</button>`}
        ${main === 'confirm' && bookable.length > 0 && can('orders.fulfill') && html`
          <a
            class="button square"
            aria-label=${t('bookCount', { count: bookable.length })}
            href=${bookAddress}
          >
            ${icon('truck')}
          </a>
        `}
        ${rows.length > 0 && !picked.everything && html`
          <button
            class="button square"
            aria-label=${t('printCount', { count: rows.length })}
            aria-haspopup="dialog"
            onClick=${() => openPrint(ids)}
          >
            ${icon('printer')}
          </button>
        `}
        ${rows.length > 0 && mayAct && html`
          <button
            class="button square"
            id="bulk-more"
            aria-label=${jobs('more', { count })}
            aria-haspopup="dialog"
            onClick=${() => {
              dialog.value = 'menu'
            }}
          >
            ${icon('ellipsis')}
          </button>
        `}
        <button class="button wide-only" onClick=${end}>${common('close')}</button>
      </div>
      ${dialog.value && html`
        <${Later}
          load=${loadBulk}
          key=${dialog.value}
          action=${dialog.value}
          count=${count}
          choose=${choose}
          end=${end}
          close=${() => {
            dialog.value = ''
          }}
          rows=${picked.everything ? null : rows}
          selection=${picked.everything ? { filter: picked.everything.filter } : { ids }}
        />
      `}
    </div>
  `
}
