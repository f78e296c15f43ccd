// What is to be done today, each number leading to its list.

import { html, useEffect, useRef } from '../html.js'
import { age, digits, langOf, language, money, number, shopDay, sum, today } from '../i18n.js'
import { count, counts, countsProblem, refreshCounts } from '../live.js'
import { isWide } from '../media.js'
import { useGet } from '../resource.js'
import { to } from '../router.js'
import { can, firstList, packs } from '../session.js'
import { t } from '../strings/home.js'
import { t as plans } from '../strings/plan.js'
import { t as orders } from '../strings/orders.js'
import { icon } from '../part/icon.js'
import { amount, place, thumb } from '../part/order_row.js'
import { Setup } from '../part/setup.js'
import { allowed, Empty, Failed, Skeleton } from '../part/states.js'
import { word } from '../part/status.js'

/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */
/** @typedef {import('../api.js').Schemas['ShopSummary']} Summary */

export const view = () => allowed('orders.read', () => html`<${Home} />`)

const allTiles = ['toPack', 'toHandOver', 'problems', 'returning', 'toRefund']
const ofPacker = ['toHandOver', 'problems', 'returning']

function Home() {
  const first = firstList()
  const tiles = packs() ? ofPacker : allTiles
  const { data, problem, reload } = useGet('orders', { view: first, limit: 5 })
  const { data: summary, problem: summaryProblem, reload: reloadSummary } = useGet('summary')
  const { data: oldest, reload: reloadOldest } = useGet('orders', {
    view: first,
    limit: 1,
    sort: 'asc',
  })
  const isKnown = counts.value.all !== undefined
  const seen = useRef(/** @type {string | null} */ (null))
  useEffect(() => {
    // loaded with the page, and again when the counts are others
    const now = [count(first), count('all')].join()
    if (seen.current !== null && seen.current !== now)
      for (const load of [reload, reloadSummary, reloadOldest]) load()
    seen.current = isKnown ? now : null
  }, [counts.value])
  const counting = summary?.cash === null
  useEffect(() => {
    // the background counts the cash
    if (!counting) return
    const timer = setInterval(reloadSummary, 3000)
    return () => clearInterval(timer)
  }, [counting])
  if ((problem && !data) || (countsProblem.value && !isKnown)) {
    return html`
      <${Failed}
        problem=${problem ?? countsProblem.value}
        retry=${() => {
          reload()
          refreshCounts()
        }}
      />
    `
  }
  /** @type {Summary['todo'] | undefined} */
  const todo = summary?.todo
  if (!isKnown)
    return html`
      <div class="home-wide">
        <h1 tabindex="-1">${today()}</h1>
        <${Skeleton}>
          <div class="tiles">
            <span class="card tile main placeholder-tile"></span>
            ${tiles.map(() => html`<span class="card tile placeholder-tile"></span>`)}
          </div>
        <//>
      </div>
    `
  const isNew = count('all') === 0
  const steps = summary?.setup ?? []
  const setup = html`<${Setup} tasks=${steps} isNew=${isNew} onHidden=${reloadSummary} />`
  return html`
    <div class="home-wide">
      <div class="head first">
        <h1 tabindex="-1">${today()}</h1>
      </div>
      ${isNew
        ? summary &&
          steps.length === 0 && html`
            <${Empty} icon="store" title=${t('welcome')} text=${t('welcomeText')} />
          `
        : html`
            <div class="tiles">
              <${Main} oldest=${oldest?.nodes[0]} calls=${todo?.callsDue ?? 0} />
              ${tiles.map((tile) => html`
                <${Tile}
                  view=${tile}
                  fact=${tile === 'returning' &&
                    (todo?.returnedToday ?? 0) > 0 &&
                    t('returnedToday', { count: todo?.returnedToday })}
                />
              `)}
            </div>
          `}
      ${todo && html`<${Watch} todo=${todo} />`}
      ${(summary?.plan.length ?? 0) > 0 && html`<${Limits} uses=${summary?.plan} />`}
      ${isNew && !summary
        ? null
        : isNew && steps.length > 0
          ? setup
          : html`
              <div class="cols">
                <div class="stack">
                  <${NewOrders} rows=${data?.nodes} />
                  ${summaryProblem && !summary && html`
                    <${Failed} problem=${summaryProblem} retry=${reloadSummary} />
                  `}
                  ${summary && can('cash.read') && html`<${Cash} couriers=${summary.cash} />`}
                </div>
                <div class="stack">
                  ${summary?.today && html`
                    <${Sales} today=${summary.today} days=${summary.last14} />
                  `}
                  ${summary && can('settings.read') && html`
                    <${Health} findings=${summary.health} />
                  `}
                  ${steps.length > 0 && setup}
                </div>
              </div>
            `}
    </div>
  `
}

/** The limits of the plan that are nearly, or wholly, used. @param {{ uses: any }} props */
const Limits = ({ uses }) => {
  const isFull = uses.some((/** @type {any} */ use) => use.used >= use.max)
  const named = isFull ? uses.filter((/** @type {any} */ use) => use.used >= use.max) : uses
  const limits = named.map((/** @type {any} */ use) => plans.dynamic('limit_' + use.limit))
  return html`
    <a
      class=${isFull ? 'banner bad rounded watch' : 'banner rounded watch'}
      id="plan-limits"
      href=${to('settings', 'plan', { from: 'home' })}
    >
      ${icon('circle-alert')}
      <span class="grow">
        ${plans(isFull ? 'fullText' : 'nearText', { limits: limits.join(', ') })}
      </span>
      ${icon('chevron-right', 'mini')}
    </a>
  `
}

/**
 * What waits beside the lists: late orders, buyers who have left, and goods to buy.
 * @param {{ todo: Summary['todo'] }} props
 */
const Watch = ({ todo }) => html`
  ${(todo.late ?? 0) > 0 && html`
    <a
      class="banner rounded watch"
      id="late"
      href=${to('orders', '', { view: 'toPack', order: 'oldest' })}
    >
      ${icon('clock')}
      <span class="grow">${t('late', { count: todo.late })}</span>
      ${icon('chevron-right', 'mini')}
    </a>
  `}
  ${(todo.incomplete ?? 0) > 0 && html`
    <a class="banner rounded watch" id="incomplete" href=${to('incomplete')}>
      ${icon('phone-missed')}
      <span class="grow">${t('incomplete', { count: todo.incomplete })}</span>
      ${icon('chevron-right', 'mini')}
    </a>
  `}
  ${((todo.outOfStock ?? 0) > 0 || (todo.lowStock ?? 0) > 0) && can('products.read') && html`
    <a class="banner rounded watch" id="stock-low" href=${to('stock')}>
      ${icon('boxes')}
      <span class="grow">
        ${[
          (todo.outOfStock ?? 0) > 0 && t('outOfStock', { count: todo.outOfStock }),
          (todo.lowStock ?? 0) > 0 && t('lowStock', { count: todo.lowStock }),
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
      ${icon('chevron-right', 'mini')}
    </a>
  `}
`

function Main(/** @type {{ oldest?: OrderRow, calls: number }} */ { oldest, calls }) {
  const first = firstList()
  const n = count(first)
  const calling = n > 0 && can('orders.write')
  const href = calling ? to('call') : to('orders', '', { view: first })
  return html`
    <a class=${n > 0 ? 'card tile main' : 'card tile main calm'} href=${href}>
      <span>
        <span class="small">${orders.dynamic(first)}</span>
        <span class="row wraps base">
          <b>${number(n)}</b>
          <span class="small">
            ${n === 0
              ? packs()
                ? orders('none_toPack')
                : t('allDone')
              : calls > 0 && calling
                ? t('callsDue', { count: calls })
                : oldest && t('oldest', { age: age(oldest.placedAt) })}
          </span>
        </span>
      </span>
      ${calling && html`<span class="button">${icon('phone')}${t('confirmNow')}</span>`}
      ${n > 0 && packs() && html`<span class="button">${icon('package')}${t('packNow')}</span>`}
    </a>
  `
}

function Tile(/** @type {{ view: string, fact?: string | false }} */ { view, fact }) {
  const n = count(view)
  const bad = view === 'problems' && n > 0
  return html`
    <a class=${n === 0 ? 'card tile zero' : 'card tile'} href=${to('orders', '', { view })}>
      <span class="small quiet">${orders.dynamic(view)}</span>
      <span class="row wraps base">
        <b class=${bad ? 'tone-bad' : ''}>${number(n)}</b>
        ${fact && html`<span class="small quiet">${fact}</span>`}
      </span>
    </a>
  `
}

function NewOrders(/** @type {{ rows?: OrderRow[] }} */ { rows }) {
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current ||= rows !== undefined
  }, [rows])
  if (!rows || rows.length === 0) return null
  return html`
    <section class="card list new-orders">
      <div class="section row spread">
        <h2>${packs() ? orders('toPack') : t('newOrders')}</h2>
        <a class="tone-accent small bold" href=${to('orders', '', { view: 'all' })}>
          ${t('allOrders')}
        </a>
      </div>
      ${rows.map((row) => html`
        <${NewOrder} key=${row._id} row=${row} enters=${isShown.current} />
      `)}
    </section>
  `
}

/**
 * An order, which slides in if the list was shown before it came.
 * @param {{ row: OrderRow, enters: boolean }} props
 */
function NewOrder({ row, enters }) {
  const first = useRef(enters)
  return html`
    <a
      class=${first.current ? 'line row enters' : 'line row'}
      href=${to('orders', row._id, { view: firstList() })}
    >
      ${thumb(row.firstItem, row.units, 'mini')}
      <span class="grow cut">
        <span class="bold" lang=${langOf(row.customer.name)}>${row.customer.name}</span>
        ${isWide.value ? ' ' : html`<br />`}
        <span class="small quiet">
          #${digits(row.orderNumber)} · ${age(row.placedAt)} · <span lang=${langOf(row.city)}>
            ${place(row)}
          </span>
        </span>
      </span>
      <span class="bold nowrap">${amount(row)}</span>
    </a>
  `
}

/**
 * Cash that couriers have collected and not paid out.
 * @param {{ couriers: Summary['cash'] }} props
 */
function Cash({ couriers }) {
  const payable = sum((couriers ?? []).map((courier) => courier.payable))
  return html`
    <section class="card" id="cash">
      <div class="section row spread wraps">
        <h2>${t('cashTitle')}</h2>
        ${payable && payable.amount > 0 && html`
          <b class="nowrap">${t('payable', { amount: money(payable) })}</b>
        `}
      </div>
      ${!couriers?.length
        ? html`
            <p class="section quiet" role="status">${t(couriers ? 'noCash' : 'countingCash')}</p>
          `
        : html`
            <div class="wrap" tabindex="0" role="region" aria-label=${t('cashTitle')}>
              <table>
                <thead>
                  <tr>
                    <th>${t('courier')}</th>
                    <th class="numeric">${t('held')}</th>
                    <th class="numeric">${t('oldestHeld')}</th>
                    <th class="numeric">${t('toPay')}</th>
                  </tr>
                </thead>
                <tbody>
                  ${couriers.map((courier) => html`
                    <tr>
                      <td>${word(courier.courier)}</td>
                      <td class="numeric quiet">${money(courier.held)}</td>
                      <td class="numeric">
                        ${courier.oldestDays === null
                          ? '–'
                          : t('daysOld', { count: courier.oldestDays })}
                      </td>
                      <td class="numeric bold">${money(courier.payable)}</td>
                    </tr>
                  `)}
                </tbody>
              </table>
            </div>
          `}
    </section>
  `
}

/** Where what needs attention can be mended. @type {Record<string, string>} */
const places = {
  webhooks_unmatched: 'developers',
  webhooks_failed: 'developers',
  webhooks_stored: 'developers',
  webhooks_refused: 'developers',
  webhook_endpoints_disabled: 'hooks',
  api_keys_ending: 'keys',
  plugin_settings_missing: 'settings',
  payments_need_review: 'payments',
  payments_refund_due: 'payments',
  refunds_unclear: 'payments',
  payments_not_started: 'payments',
  payment_checks_overdue: 'payments',
  orders_flagged: 'problems',
  bookings_unanswered: 'problems',
  shipments_stray: 'problems',
}

/** What one must be allowed to do there. @type {Record<string, string>} */
const needs = {
  payments: 'payments.read',
  developers: 'providers.read',
  settings: 'settings.read',
  keys: 'keys.write',
  hooks: 'keys.write',
}

/** Whether a number above says the same. */
const isInTile = (/** @type {string} */ code) =>
  (places[code] === 'problems' && count('problems') > 0) ||
  (code === 'payments_refund_due' && count('toRefund') > 0)

/** @param {{ findings: Summary['health'] }} props */
function Health({ findings: all }) {
  const findings = all.filter(({ code }) => !isInTile(code))
  if (all.length > 0 && findings.length === 0) return null
  return html`
    <section class="card list" id="health">
      <div class="section">
        <h2>${t('health')}</h2>
      </div>
      ${findings.map(({ code, count: n, orders: ids }) => {
        const text = t.dynamic('finding_' + code, { count: n })
        const inside = html`
          <span class="tone-warn">${icon('triangle-alert')}</span>
          <span class="grow">${text}</span>
        `
        const view = places[code]
        const needed = needs[view] ?? 'orders.read'
        const href =
          view === 'developers'
            ? to('developers', 'received')
            : view === 'keys'
              ? to('developers')
              : view === 'hooks'
                ? to('developers', 'webhooks')
                : ids.length === 1
                  ? to('order', ids[0])
                  : view === 'payments' || view === 'settings'
                    ? to(view)
                    : to('orders', '', { view })
        return view && can(needed)
          ? html`
              <a class="fold" href=${href}>
                ${inside}
                <span class="tone-accent bold small">${t('check')}</span>
              </a>
            `
          : html`<div class="fold">${inside}</div>`
      })}
      ${findings.length === 0 && html`
        <div class="fold">
          <span class="tone-good">${icon('circle-check')}</span>
          <span class="grow">${t('healthy')}</span>
        </div>
      `}
    </section>
  `
}

/** Today's sales beside the same weekday a week ago, and the days before.
 * @param {{ today: NonNullable<Summary['today']>, days: Summary['last14'] }} props */
function Sales({ today: now, days }) {
  const most = Math.max(...days.map((day) => day.sales.amount), 1)
  const change = now.vsLastWeek
  return html`
    <section class="card" id="sales">
      <div class="section">
        <h2>${t('salesToday')}</h2>
        <div class="row spread ends wraps">
          <span>
            <b class="pay">${money(now.sales)}</b> <span class="quiet">
              ${t('ordersCount', { count: now.orders })}
            </span>
          </span>
          <span class="small right">
            ${change !== null && html`
              <b class=${change < 0 ? 'tone-warn' : 'tone-good'}>
                ${(change < 0 ? '−' : '+') +
                  digits(Math.round(Math.abs(change) / 10)) +
                  (language.value === 'bn' ? '%' : ' %')}
              </b> `}
            <span class="quiet">${t('weekAgo', { amount: money(now.lastWeek) })}</span>
          </span>
        </div>
        <div class="bars" aria-hidden="true">
          ${days.map((day, i) => html`
            <span
              class=${i === days.length - 1 ? 'on' : ''}
              title=${`${shopDay(day.day)}: ${money(day.sales)}`}
            >
              <i style=${{ height: (100 * day.sales.amount) / most + '%' }}></i>
            </span>
          `)}
        </div>
        <div class="row spread tiny quiet" aria-hidden="true">
          <span>${shopDay(days[0].day)}</span>
          <span>${t('today')}</span>
        </div>
      </div>
      <details>
        <summary class="fold small">
          <span class="grow">${t('days', { count: days.length })}</span>
          ${icon('chevron-down', 'mini')}
        </summary>
        <table>
          <thead>
            <tr>
              <th>${t('day')}</th>
              <th class="numeric">${t('orders')}</th>
              <th class="numeric">${t('sales')}</th>
            </tr>
          </thead>
          <tbody>
            ${[...days].reverse().map((day) => html`
              <tr>
                <td>${shopDay(day.day)}</td>
                <td class="numeric">${number(day.orders)}</td>
                <td class="numeric">${money(day.sales)}</td>
              </tr>
            `)}
          </tbody>
        </table>
      </details>
    </section>
  `
}
