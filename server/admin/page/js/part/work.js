// Work on many orders, one after the other: each is a request of its own with its own idempotency key,
// so that a repeated one happens once. Couriers are called four at a time.

import { html, signal } from '../html.js'
import { act, Problem } from '../api.js'
import { digits, langOf } from '../i18n.js'
import { refreshCounts } from '../live.js'
import { changed } from '../resource.js'
import { guard, to } from '../router.js'
import { explain, t as frame } from '../strings/frame.js'
import { t } from '../strings/orders.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { openPrint } from './printing.js'

/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */
/** @typedef {{ row: OrderRow, key: string, status: 'waiting' | 'done' | 'failed', problem?: Problem }} Item */
/** @typedef {{ title: string, items: Item[], running: boolean, stopped: boolean, request: Request, next?: any }} Work */
/** @typedef {{ path: (row: OrderRow) => string, body?: any, parallel?: number }} Request */

/** The work that is under way or whose results are shown. */
export const work = signal(/** @type {Work | null} */ (null))

const update = (/** @type {Partial<Work>} */ change) => {
  if (work.value) work.value = { ...work.value, ...change }
}

/** Starts work on orders. next is shown when it is done. */
export async function start(
  /** @type {string} */ title, /** @type {OrderRow[]} */ rows, /** @type {Request} */ request, /** @type {any} */ next = null,
) {
  work.value = {
    title, request, next, running: true, stopped: false,
    items: rows.map((row) => ({ row, key: crypto.randomUUID(), status: 'waiting' })),
  }
  await run()
}

async function run() {
  const allowLeave = guard(() => (work.value?.running ? t('leaveOpen') : null))
  const { request } = /** @type {Work} */ (work.value)
  const next = () => (work.value?.stopped ? undefined : work.value?.items.find((one) => one.status === 'waiting' && !taken.has(one.key)))
  const taken = new Set()
  async function worker() {
    for (let item = next(); item; item = next()) {
      const { key, row } = item
      taken.add(key)
      /** @type {Partial<Item>} */
      let result = { status: 'done', problem: undefined }
      try {
        await act(request.path(row), request.body ?? {}, { key, label: '#' + digits(row.orderNumber) })
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        result = { status: 'failed', problem: error }
      }
      update({ items: /** @type {Work} */ (work.value).items.map((one) => (one.key === key ? { ...one, ...result } : one)) })
    }
  }
  await Promise.all(Array.from({ length: request.parallel ?? 1 }, worker))
  update({ running: false })
  allowLeave()
  changed()
  refreshCounts()
}

function retry() {
  // A request whose result is unknown is repeated with its key: it happens once.
  const items = /** @type {Work} */ (work.value).items.map((one) => (one.status !== 'failed' ? one : {
    ...one, status: /** @type {const} */ ('waiting'), key: one.problem?.status === 0 ? one.key : crypto.randomUUID(),
  }))
  update({ items, running: true, stopped: false })
  run()
}

/** The progress and the results. */
export function WorkDialog() {
  const shown = work.value
  if (!shown) return null
  const { items, running, title } = shown
  const done = items.filter((one) => one.status === 'done')
  const failed = items.filter((one) => one.status === 'failed')
  const close = () => { if (!running) work.value = null }
  return html`<${Dialog} title=${title} close=${close} id="work">
    <div class="stack" aria-live="polite"><div class="row sp"><b>${running ? t('running', { done: done.length + failed.length, all: items.length })
      : t('finished', { count: done.length })}</b>${failed.length > 0 && html`<span class="t-bad b">
        ${t('failed', { count: failed.length })}</span>`}</div>
    <progress class="jobbar" max=${items.length} value=${done.length + failed.length} aria-label=${title}></progress>
    ${running && html`<p class="sm q">${t('leaveOpen')}</p>`}
    ${failed.length > 0 && html`<ul class="card list">${failed.map(({ row, problem }) => html`<li class="sec">
      <a href=${to('orders', row._id)} onClick=${close}><b>#${digits(row.orderNumber)}</b> <span lang=${langOf(row.customer.name)}>
        ${row.customer.name}</span></a>
      <p class="err">${icon('circle-alert', 's')}<span>${problem && explain(problem)}</span></p></li>`)}</ul>`}</div>
    <div class="row wraps">${running ? html`<button class="btn big" onClick=${() => update({ stopped: true })}>${t('stopRest')}</button>` : html`
      ${failed.length > 0 && html`<button class="btn big" onClick=${retry}>
        ${icon('rotate-cw')}${t('retryFailed', { count: failed.length })}</button>`}
      ${done.length > 0 && shown.next?.labels && html`<button class="btn pri big" id="print-labels" onClick=${() => {
        close()
        openPrint(done.map(({ row }) => row._id), 'label')
      }}>${icon('printer')}${t('printLabels', { count: done.length })}</button>`}
      ${done.length > 0 && shown.next ? html`<a class=${shown.next.labels ? 'btn big' : 'btn pri big'} href=${shown.next.href} onClick=${close}>
        ${shown.next.text}</a>`
        : html`<button class="btn pri big" onClick=${close}>${frame('close')}</button>`}`}</div><//>`
}
