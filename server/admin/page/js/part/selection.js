// A selection of orders: how many there are and what can be done with them.

import { html, useSignal } from '../html.js'
import { digits, money, sum } from '../i18n.js'
import { to } from '../router.js'
import { can } from '../session.js'
import { t as frame } from '../strings/frame.js'
import { t } from '../strings/orders.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { openPrint } from './printing.js'
import { start } from './work.js'

/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */

/** Whether the server would probably accept it: it checks each order again. @type {Record<string, (row: OrderRow) => boolean>} */
export const fits = {
  confirm: (row) => row.status === 'pending' && row.paymentMethod === 'cod',
  book: (row) => /^(confirmed|processing)$/.test(row.status) && row.fulfillmentStatus === 'unfulfilled' && (!row.shipment ||
    row.shipment.status === 'cancelled'),
  track: (row) => row.shipment !== null && !/^(delivered|returned|cancelled|exchanged)$/.test(row.shipment.status),
  cancel: (row) => /^(pending|pending_payment|confirmed|processing)$/.test(row.status),
}

const cashOf = (/** @type {OrderRow[]} */ rows) => sum(rows.map((row) => row.cashToCollect))

/** The bar that takes the place of the top bar. @param {{ picked: OrderRow[], rows: OrderRow[], end: () => void, all: () => void }} props */
export const SelectionTop = ({ picked, rows, end, all }) => {
  const cash = cashOf(picked)
  return html`<header class="top plain over"><button class="ib" aria-label=${t('endSelection')} onClick=${end}>${icon('x')}</button>
    <div class="title"><h1 tabindex="-1" aria-live="polite">${t('selected', { count: picked.length })}</h1>
      ${cash && html`<div class="sm q">${t('toCollect', { amount: money(cash) })}</div>`}</div>
    ${picked.length < rows.length && html`<button class="btn mini" onClick=${all}>${t('allOf', { count: rows.length })}</button>`}</header>`
}

/** @param {{ picked: OrderRow[], view: string, end: () => void }} props */
export function SelectionBar({ picked, view, end }) {
  const cancelling = useSignal(false)
  const of = (/** @type {string} */ action) => picked.filter(fits[action])
  const confirmable = of('confirm'), bookable = of('book'), trackable = of('track'), cancellable = of('cancel')
  const main = confirmable.length > 0 && can('orders.write') ? 'confirm' : bookable.length > 0 &&
    can('orders.fulfill') ? 'book' : trackable.length > 0 ? 'track' : ''
  const counted = { confirm: confirmable.length, book: bookable.length, track: trackable.length }[main] ?? 0
  const cash = cashOf(picked)
  const words = (/** @type {string} */ key) => t(/** @type {any} */ (key))
  function run(/** @type {string} */ action) {
    if (action === 'confirm') {
      start(t('confirmCount', { count: confirmable.length }), confirmable, { path: (row) => `orders/${row._id}/confirm` },
        can('orders.fulfill') &&
          { href: to('book', '', { id: confirmable.map((row) => row._id) }), text: t('bookCount', { count: confirmable.length }) })
    } else if (action === 'track') {
      start(t('trackCount', { count: trackable.length }), trackable, { path: (row) => `orders/${row._id}/track`, parallel: 4 })
    }
    end()
  }
  const hint = picked.length === 0 ? null
    : main === 'confirm' && bookable.length === 0 ? t('appliesNone', { action: t('book'), all: picked.length, reason: t('reasonBook') })
      : main === '' ? t('appliesNone', { action: t('confirm'), all: picked.length, reason: t('reasonConfirm') })
      : counted < picked.length ? t('appliesSome', { action: words(main), count: counted, all: picked.length }) : null
  return html`<div class="act tall selection">
    ${hint && html`<p class="ban info r">${icon('info')}<span>${hint}</span></p>`}
    <div class="row"><span class="grow wide-only"><b>${t('selected', { count: picked.length })}</b>${cash && html`<span
      class="q"> · ${t('toCollect', { amount: money(cash) })}</span>`}</span>
      ${main === 'book' ? html`<a class="btn pri big" href=${to('book', '', { id: bookable.map((row) => row._id) })}>
        ${icon('truck')}${t('bookCount', { count: counted })}</a>`
        : main ? html`<button class="btn pri big" onClick=${() => run(main)}>${icon(main === 'confirm' ? 'check' : 'rotate-cw')}
            ${t(/** @type {any} */ (main + 'Count'), { count: counted })}</button>`
          : html`<button class="btn big off" disabled>${t('selected', { count: picked.length })}</button>`}
      ${main === 'confirm' && bookable.length > 0 && can('orders.fulfill') && html`<a class="btn sq"
        aria-label=${t('bookCount', { count: bookable.length })}
        href=${to('book', '', { id: bookable.map((row) => row._id) })}>${icon('truck')}</a>`}
      ${picked.length > 0 && html`<button class="btn sq" aria-label=${t('printCount', { count: picked.length })} aria-haspopup="dialog"
        onClick=${() => openPrint(picked.map((row) => row._id))}>${icon('printer')}</button>`}
      ${cancellable.length > 0 && can('orders.write') && html`<button class="btn sq bad" aria-label=${t('cancelCount', { count: cancellable.length })}
        onClick=${() => { cancelling.value = true }}>${icon('ban')}</button>`}
      <button class="btn wide-only" onClick=${end}>${frame('close')}</button></div>
    ${cancelling.value && html`<${CancelMany} rows=${cancellable} close=${() => { cancelling.value = false }} end=${end} />`}</div>`
}

/** The reason, and what cancelling does. @param {{ rows: OrderRow[], close: () => void, end: () => void }} props */
function CancelMany({ rows, close, end }) {
  const reason = useSignal('')
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault()
    close()
    end()
    start(t('cancelCount', { count: rows.length }), rows, { path: (row) => `orders/${row._id}/cancel`, body: { reason: reason.value } })
  }
  return html`<${Dialog} close=${close} title=${t('cancelTitle', { count: rows.length, number: digits(rows[0].orderNumber) })}
    text=${t('cancelText')}>
    <ul class="sm">${rows.slice(0, 8).map((row) => html`<li>#${digits(row.orderNumber)} ${row.customer.name} · ${money(row.total)}</li>`)}
      ${rows.length > 8 && html`<li class="q">${t('more', { n: rows.length - 8 })}</li>`}</ul>
    <form class="stack" onSubmit=${submit}><div class="f"><label for="reason">${t('reason')}</label><div class="in"><input id="reason" maxlength="500"
      onInput=${(/** @type {any} */ event) => { reason.value = event.target.value }} /></div><p class="hint">${t('reasonHint')}</p></div>
      <button class="btn big bad">${t('cancelCount', { count: rows.length })}</button></form><//>`
}
