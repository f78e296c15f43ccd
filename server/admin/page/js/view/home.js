// What is to be done today, each number leading to its list.

import { html } from '../html.js'
import { age, digits, langOf, money, number, sum, today } from '../i18n.js'
import { count, counts, countsProblem, refreshCounts } from '../live.js'
import { isWide } from '../media.js'
import { useGet } from '../resource.js'
import { to } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/home.js'
import { t as orders } from '../strings/orders.js'
import { icon } from '../part/icon.js'
import { amount, place, thumb } from '../part/order_row.js'
import { allowed, Empty, Failed, Skeleton } from '../part/states.js'
import { word } from '../part/status.js'

/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */

export const view = () => allowed('orders.read', () => html`<${Home} />`)

const tiles = ['toPack', 'toHandOver', 'problems', 'returning', 'toRefund']

function Home() {
  const { data, problem, reload } = useGet('orders', { view: 'toConfirm', limit: 5 })
  const { data: oldest } = useGet('orders', { view: 'toConfirm', limit: 1, sort: 'asc' })
  if ((problem && !data) || (countsProblem.value && !counts.value.all)) {
    return html`<${Failed} problem=${problem ?? countsProblem.value} retry=${() => { reload(); refreshCounts() }} />`
  }
  const isKnown = counts.value.all !== undefined
  if (!isKnown) return html`<div class="homew"><h1 tabindex="-1">${today()}</h1><${Skeleton}><div class="tiles"><span
    class="card tile main bone-tile"></span>
    ${tiles.map(() => html`<span class="card tile bone-tile"></span>`)}</div><//></div>`
  return html`<div class="homew"><div class="head first"><h1 tabindex="-1">${today()}</h1></div>
    ${count('all') === 0 ? html`<${Empty} icon="store" title=${t('welcome')} text=${t('welcomeText')} />` : html`<div class="tiles">
      <${Main} oldest=${oldest?.nodes[0]} />${tiles.map((one) => html`<${Tile} view=${one} />`)}</div>`}
    <div class="cols"><${NewOrders} rows=${data?.nodes} /><div class="stack">
      ${can('cash.read') && html`<${Cash} />`}${can('settings.read') && html`<${Health} />`}</div></div></div>`
}

function Main(/** @type {{ oldest?: OrderRow }} */ { oldest }) {
  const n = count('toConfirm')
  const href = n > 0 && can('orders.write') ? to('call') : to('orders', '', { view: 'toConfirm' })
  return html`<a class=${n > 0 ? 'card tile main' : 'card tile main calm'} href=${href}>
    <span><span class="sm">${orders('toConfirm')}</span><span class="row wraps base"><b>${number(n)}</b>
      <span class="sm">${n === 0 ? t('allDone') : oldest && t('oldest', { age: age(oldest.placedAt) })}</span></span></span>
    ${n > 0 && html`<span class="btn">${icon('phone')}${t('confirmNow')}</span>`}</a>`
}

function Tile(/** @type {{ view: string }} */ { view }) {
  const n = count(view)
  const bad = view === 'problems' && n > 0
  return html`<a class=${n === 0 ? 'card tile zero' : 'card tile'} href=${to('orders', '', { view })}>
    <span class="sm q">${orders(/** @type {any} */ (view))}</span><b class=${bad ? 't-bad' : ''}>${number(n)}</b></a>`
}

function NewOrders(/** @type {{ rows?: OrderRow[] }} */ { rows = [] }) {
  if (rows.length === 0) return null
  return html`<section class="card list new-orders"><div class="sec row sp"><h2>${t('newOrders')}</h2>
      <a class="t-acc sm b" href=${to('orders', '', { view: 'all' })}>${t('allOrders')}</a></div>
    ${rows.map((row) => html`<a class="line row" href=${to('orders', row._id, { view: 'toConfirm' })}>${thumb(row.firstItem, row.units, 's')}
      <span class="grow cut"><span class="b" lang=${langOf(row.customer.name)}>${row.customer.name}</span>${isWide.value ? ' ' : html`<br />`}
        <span class="sm q">#${digits(row.orderNumber)} · ${age(row.placedAt)} · <span lang=${langOf(row.city)}>${place(row)}</span></span></span>
      <span class="b nw">${amount(row)}</span></a>`)}</section>`
}

function Cash() {
  const { data, problem, reload } = useGet('cash')
  if (problem && !data) return html`<section class="card"><${Failed} problem=${problem} retry=${reload} /></section>`
  if (!data) return null
  /** @type {any[]} */
  const held = data.couriers.filter((/** @type {any} */ one) => one.holding > 0 || one.underWay > 0)
  const payable = sum(held.map((one) => one.payable))
  return html`<section class="card"><div class="sec row sp"><h2>${t('cashTitle')}</h2>${payable && payable.amount > 0 && html`<b class="nw">
    ${t('payable', { amount: money(payable) })}</b>`}</div>
    ${held.length === 0 ? html`<p class="sec q">${t('noCash')}</p>` : html`<table><thead><tr><th>${t('courier')}</th><th class="num">
      ${t('underWay')}</th>
      <th class="num">${t('held')}</th><th class="num">${t('toPay')}</th></tr></thead><tbody>${held.map((one) => html`<tr><td>
        ${word(one.provider)}</td>
      <td class="num q">${money(one.expected)}</td><td class="num">${money(one.held)}</td><td class="num b">${money(one.payable)}</td>
        </tr>`)}</tbody></table>`}</section>`
}

/** What the shop's health is made of, with the list that has the details. @type {[string, string][]} */
const findings = [
  ['needReview', 'payments'], ['unclearRefunds', 'payments'], ['failedStarts', 'payments'], ['overdue', 'payments'], ['flags', 'problems'],
  ['unanswered', 'problems'], ['stray', 'problems'], ['unmatched', ''], ['failed', ''],
]

function Health() {
  const { data } = useGet('health')
  if (!data) return null
  const found = findings.map(([name, view]) => ({ name, view, n: Array.isArray(data[name]) ? data[name].length : data[name] }))
    .filter((one) => one.n > 0)
  return html`<section class="card list"><div class="sec"><h2>${t('health')}</h2></div>
    ${found.map(({ name, view, n }) => {
      const text = t(/** @type {any} */ (name), { count: n })
      const inside = html`<span class="t-warn">${icon('triangle-alert')}</span><span class="grow">${text}</span>`
      const href = view === 'payments' ? to('payments') : to('orders', '', { view })
      return view && (view !== 'payments' || can('payments.read')) ? html`<a class="fold" href=${href}>${inside}<span class="t-acc b sm">
        ${t('check')}</span></a>`
        : html`<div class="fold">${inside}</div>`
    })}
    ${found.length === 0 && html`<div class="fold"><span class="t-good">${icon('circle-check')}</span><span class="grow">${t('healthy')}</span>
      </div>`}</section>`
}
