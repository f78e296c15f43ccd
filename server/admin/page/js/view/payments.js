// Online payments: those that somebody must decide, those to be refunded, and the rest.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { age, dateTime, digits, langOf, money, plainDigits } from '../i18n.js'
import { refreshCounts } from '../live.js'
import { changed, useGet } from '../resource.js'
import { open, route, to, withQuery } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/payments.js'
import { CardList } from '../part/card_list.js'
import { countMark } from '../part/count.js'
import { Dialog } from '../part/dialog.js'
import { formError, Submit, useForm } from '../part/form.js'
import { icon } from '../part/icon.js'
import { useListKeys } from '../part/list_keys.js'
import { Refund } from '../part/refund.js'
import { allowed } from '../part/states.js'
import { bare, word } from '../part/status.js'
import { copy, Details, showToast } from '../part/toast.js'

/** @typedef {import('../api.js').Schemas['AttemptRecord']} Attempt */
/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */
/**
 * @typedef {{ kind: 'accept' | 'reject' | 'refund' | 'mark', attempt: Attempt, id: string }}
 *   Decision
 */

const methods = ['gateway_a', 'gateway_b']
const lists = ['needs_review', 'refund_due', 'succeeded', 'refunded', 'failed', 'all']

export const view = () => allowed('payments.read', () => html`<${Payments} />`)

function Payments() {
  useListKeys('.payments a.reach')
  const { query } = route.value
  const status = query.get('status') ?? lists[0]
  const search = query.get('search') ?? ''
  const method = methods.find((method) => method === query.get('method'))
  // What waits is worked off from the oldest on; of the rest the newest is of interest.
  const sorts = status === lists[0] || status === lists[1] ? ['asc', 'desc'] : ['desc', 'asc']
  const sort = sorts.find((sort) => sort === query.get('sort')) ?? sorts[0]
  const words = t.dynamic
  const loaded = useGet('payments', {
    status: status === 'all' ? null : status,
    method,
    search: plainDigits(search),
    sort,
    page: query.get('page'),
  })
  const opened = useSignal(/** @type {Decision | null} */ (null))
  const decide = (
    /** @type {Decision['kind']} */ kind,
    /** @type {Attempt} */ attempt,
    id = attempt._id,
  ) => {
    opened.value = { kind, attempt, id }
  }
  const totals = [
    useGet('payments', { status: lists[0], limit: 1 }),
    useGet('payments', { status: lists[1], limit: 1 }),
  ].map((list) => list.data?.meta.totalCount ?? 0) // of what waits
  // The orders that a decision is about: whose they are, and what they cost.
  const about = status === 'needs_review' ? 'problems' : status === 'refund_due' ? 'toRefund' : ''
  const { data: orders } = useGet(about && can('orders.read') ? 'orders' : null, {
    view: about,
    limit: 100,
  })
  const orderOf = (/** @type {Attempt} */ attempt) =>
    orders?.nodes.find((/** @type {OrderRow} */ row) => row._id === attempt.orderId)
  const { data } = loaded
  return html`
    <${CardList}
      view="payments"
      t=${t}
      lists=${lists}
      status=${status}
      loaded=${loaded}
      isFiltered=${Boolean(method || search)}
      icon="wallet"
      mark=${(/** @type {string} */ list) => {
        const n = totals[lists.indexOf(list)] ?? 0
        return n > 0 && countMark(n, list === lists[0] ? 'bad' : '', 'paymentsOf')
      }}
      tools=${html`
        <div class="chips">
          <label class=${method ? 'chip on' : 'chip'}>
            ${icon('wallet', 'mini')}
            <span class="visually-hidden">${t('method')}</span>
            <select
              id="method"
              onChange=${(/** @type {FieldEvent} */ event) =>
                open(withQuery({ method: event.target.value, page: null }))}
            >
              <option value="">${t('method_any')}</option>
              ${methods.map((value) => html`
                <option value=${value} selected=${value === method}>${word(value)}</option>
              `)}
            </select>
          </label>
          <label class="chip">
            ${icon('arrow-down-up', 'mini')}
            <span class="visually-hidden">${t('sort')}</span>
            <select
              id="sort"
              key=${status}
              onChange=${(/** @type {FieldEvent} */ event) =>
                open(withQuery({ sort: event.target.value, page: null }))}
            >
              ${sorts.map((value) => html`
                <option value=${value} selected=${value === sort}>${words('sort_' + value)}</option>
              `)}
            </select>
          </label>
        </div>
        ${data?.nodes.length > 0 && html`
          <p class="quiet small padded counted" role="status">
            ${data.meta.bounded ? t('foundMany') : t('found', { count: data.meta.totalCount })}
          </p>
        `}
      `}
      cards=${(/** @type {Attempt[]} */ all) => html`
        <ul class="stack narrow payments">
          ${all.map((attempt) => html`
            <${Payment}
              key=${attempt._id}
              attempt=${attempt}
              order=${orderOf(attempt)}
              decide=${decide}
            />
          `)}
        </ul>
      `}
    />
    ${opened.value && html`
      <${Decide}
        ...${opened.value}
        close=${() => {
          opened.value = null
        }}
      />
    `}
  `
}

/** Refunds that the gateway has not completed yet. */
const onTheWay = (/** @type {Attempt} */ { refunds }) =>
  refunds.filter(({ status }) => status === 'requested' || status === 'processing')

/** Why somebody must decide a payment, with both amounts if they differ. */
function why(/** @type {Attempt} */ { reason, amount }) {
  const captured = /captured (\S+), not \S+$/.exec(reason ?? '')?.[1]
  if (captured) return t('whyAmount', { captured: digits(captured), amount: money(amount) })
  const words = Object.entries({
    whyCurrency: /currency/,
    whySecond: /second payment|more than one payment/,
    whyOther: /another payment|another store/,
    whyRisk: /risk/,
  })
  return t.dynamic(words.find(([, pattern]) => pattern.test(reason ?? ''))?.[0] ?? 'whyUnknown')
}

/**
 * @param {{ attempt: Attempt, order?: OrderRow, decide: (kind: Decision['kind'], attempt: Attempt,
 *   id?: string) => void }} props
 */
function Payment({ attempt, order, decide }) {
  const unclear = attempt.refunds.filter((refund) => refund.status === 'unclear')
  return html`
    <li class="card">
      <div class="section">
        <div class="row spread">
          <a class="bold reach" href=${to('order', attempt.orderId)}>
            ${t('order', { number: digits(attempt.orderNumber) })}
          </a>
          ${bare('try_' + attempt.status)}
        </div>
        ${order && html`<div lang=${langOf(order.customer.name)}>${order.customer.name}</div>`}
        <div class="row spread ends">
          <div class="pay">${money(attempt.amount)}</div>
          <div class="right small quiet">
            ${word(attempt.method)} · ${age(attempt.createdAt)}
            ${attempt.refundedAmount.amount > 0 && html`
              <br />
              ${t('already', { amount: money(attempt.refundedAmount) })}
            `}
            ${onTheWay(attempt).map((refund) => html`
              <br />
              <span class="tone-info">
                ${t('onItsWay', { amount: money(refund.amount), time: dateTime(refund.createdAt) })}
              </span>
            `)}
          </div>
        </div>
        ${(attempt.transactionId || attempt.externalId) && html`
          <p class="small quiet row wraps">
            ${t('gatewayId')}
            <span class="mono">${attempt.transactionId ?? attempt.externalId}</span>
            <button
              class="button mini"
              onClick=${() => copy(attempt.transactionId ?? attempt.externalId ?? '')}
            >
              ${icon('copy', 'mini')}
              ${t('copy')}
            </button>
          </p>
        `}
        ${order && html`
          <dl class="facts small">
            <dt class="quiet">${t('orderTotal')}</dt>
            <dd>${money(order.total)}</dd>
            <dt class="quiet">${t('payment')}</dt>
            <dd class=${order.total.amount === attempt.amount.amount ? '' : 'tone-bad bold'}>
              ${money(attempt.amount)}
            </dd>
          </dl>
        `}
        ${attempt.status === 'needs_review' && html`<p class="small tone-warn">${why(attempt)}</p>`}
        <${Details} words=${attempt.reason} />
      </div>
      ${can('payments.write') && html`
        ${attempt.status === 'needs_review' && html`
          <div class="section">
            <p class="small quiet">${t('checkFirst')}</p>
            <div class="actions">
              <button class="button" onClick=${() => decide('accept', attempt)}>
                ${icon('check')}
                ${t('accept')}
              </button>
              <button class="button" onClick=${() => decide('reject', attempt)}>
                ${icon('x')}
                ${t('reject')}
              </button>
            </div>
          </div>
        `}
        ${unclear.map((refund) => html`
          <div class="section">
            <p class="small quiet">${money(refund.amount)}: ${t('checkFirst')}</p>
            <div class="actions">
              <button class="button" onClick=${() => decide('accept', attempt, refund._id)}>
                ${t('refundAccept')}
              </button>
              <button class="button" onClick=${() => decide('reject', attempt, refund._id)}>
                ${t('refundReject')}
              </button>
            </div>
          </div>
        `)}
        ${attempt.refundable.amount > 0 && html`
          <div class="section">
            <div class="actions">
              <button
                class=${attempt.status === 'refund_due' ? 'button soft' : 'button'}
                onClick=${() => decide('refund', attempt)}
              >
                ${icon('undo-2')}
                ${attempt.status === 'refund_due'
                  ? t('refund', { amount: money(attempt.refundable) })
                  : t('refundPart')}
              </button>
              <button class="button" onClick=${() => decide('mark', attempt)}>${t('mark')}</button>
            </div>
          </div>
        `}
      `}
    </li>
  `
}

/** @param {Decision & { close: () => void }} props */
function Decide({ kind, attempt, id, close }) {
  const number = digits(attempt.orderNumber)
  const { form, errors, busy, onSubmit } = useForm([], async (_, keyOf) => {
    try {
      const body = { accept: kind === 'accept' }
      await act(`payments/${id}/resolve`, body, { label: '#' + number, key: keyOf(body) })
      showToast(t('done', { number }))
      close()
    } finally {
      changed()
      refreshCounts()
    }
  })
  if (kind === 'refund' || kind === 'mark') {
    const isMark = kind === 'mark'
    return html`
      <${Refund}
        title=${isMark ? t('askMark', { number }) : t('askRefund', { number })}
        text=${isMark ? t('askMarkText') : t('askRefundText')}
        path=${`payments/${id}/${isMark ? 'mark-refunded' : 'refund'}`}
        label=${'#' + number}
        most=${attempt.refundable}
        whole=${attempt.status === 'refund_due'}
        close=${close}
      />
    `
  }
  const isAccept = kind === 'accept'
  return html`
    <${Dialog}
      title=${t('askAccept', { amount: money(attempt.amount) })}
      text=${isAccept ? t('acceptText') : t('rejectText')}
      close=${close}
    >
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Submit} busy=${busy.value}>${isAccept ? t('accept') : t('reject')}<//>
      </form>
    <//>
  `
}
