// What an order shows: its money and what to do now first, then the buyer, the goods, shipments,
// payments and the history. What can be done follows from the server's actions.

import { html, useEffect, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { ago, dateTime, digits, langOf, money, name, phone } from '../i18n.js'
import { shortcuts } from '../keys.js'
import { refreshCounts } from '../live.js'
import { isWide } from '../media.js'
import { changed } from '../resource.js'
import { open, to } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/order.js'
import { t as orders } from '../strings/orders.js'
import { explain } from '../strings/problem.js'
import { addressLines, hasShortAddress, mapOf, ShortAddress, Warnings, whatsapp } from './buyer.js'
import { icon } from './icon.js'
import { Later } from './later.js'
import { Details, OldAddress } from './order_details.js'
import { OpenAdvance } from './order_advance.js'
import { Tags } from './order_notes.js'
import { canBeInPart, isInPart } from './order_part.js'
import { thumb } from './order_row.js'
import { openPrint } from './printing.js'
import { pill, recordSignal, word } from './status.js'
import { copy, showToast } from './toast.js'
import { actUndoable } from './undo.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */

const loadAction = () => import('../part/order_action.js')
const loadContact = () => import('../part/contact.js')
const loadEarned = () => import('../part/order_earned.js')

/** The one thing to do next: [action or '', words]. @returns {[string, string] | null} */
function nextStep(/** @type {StaffOrder} */ order) {
  const { actions: a, fulfillmentStatus: sent, paymentStatus, status, shipments } = order
  if (paymentStatus === 'needs_review')
    return [can('payments.read') ? 'resolve' : '', t('next_review')]
  if (a.confirm.allowed && status === 'pending') return ['confirm', t('next_confirm')]
  if (status === 'pending_payment') return ['remind', t('next_pay')]
  if (a.refund.allowed) return ['refund', t('next_refund')]
  if (sent === 'returning') return ['return', t('next_returning')]
  if (a.book.allowed && sent === 'unfulfilled') return ['book', t('next_book')]
  if (
    shipments.some(
      (shipment) => shipment.status === 'created' || shipment.status === 'pickup_requested',
    )
  ) {
    return [
      order.printed.some((print) => print.kind === 'label') ? '' : 'printLabel',
      t('next_handOver'),
    ]
  }
  if (sent === 'in_progress') return ['', t('next_deliver')]
  if (sent === 'partially_delivered' && a.restock.allowed) return ['restock', t('next_partly')]
  return null
}

const icons = {
  confirm: 'check',
  book: 'truck',
  deliver: 'package-check',
  return: 'undo-2',
  refund: 'banknote',
  refundPart: 'banknote',
  cancel: 'ban',
  enter: 'keyboard',
  resolve: 'wallet',
  advance: 'banknote',
  remind: 'clock',
  printLabel: 'printer',
  restock: 'package-check',
  lookUpBuyer: 'truck',
}

const isUndoable = (/** @type {string} */ path) => /^(confirm|cancel|notes)\b/.test(path)

/** Sends a change that cannot be undone, and returns what shows a message about it. */
async function actSaid(
  /** @type {string} */ path,
  /** @type {any} */ body,
  /** @type {any} */ options,
) {
  await act(path, body, options)
  return (/** @type {string} */ text) => showToast(text)
}

/** @param {{ order: StaffOrder }} props */
export function view({ order }) {
  const opened = useSignal('')
  const busy = useSignal('')
  const number = digits(order.orderNumber)
  const step = nextStep(order)
  const words = (/** @type {string} */ key) => t.dynamic(key, { number })

  /**
   * Sends an action, and shows the order as it is then. A form sends a key, and shows why the
   * action failed.
   */
  async function run(
    /** @type {string} */ action,
    path = action,
    body = {},
    { method = 'POST', key = '' } = {},
  ) {
    busy.value = action
    const send = isUndoable(path) ? actUndoable : actSaid
    try {
      const done = await send(`orders/${order._id}/${path}`, body, {
        label: '#' + number,
        method,
        key: key || undefined,
      })
      done(words('done_' + action))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (key) throw error
      const isStale = error.code === 'state_conflict' && !error.details.words
      showToast(isStale ? `${explain(error)} ${t('changed')}` : explain(error), {
        bad: true,
        why: error,
      })
    } finally {
      busy.value = ''
      changed()
      refreshCounts()
    }
  }
  const choose = (/** @type {string} */ action) => {
    if (action === 'confirm' && hasShortAddress(order)) opened.value = 'confirm'
    else if (action === 'confirm') run('confirm')
    else if (action === 'resolve') open(to('payments'))
    else if (action === 'printLabel') openPrint([order._id], 'label')
    else if (action === 'lookUpBuyer') run('lookUpBuyer', 'courier-record')
    else opened.value = action
  }
  useEffect(
    () =>
      shortcuts({
        l: () => {
          location.href = 'tel:' + order.customer.phoneNumber
        },
        c: () => {
          if (order.actions.confirm.allowed) choose('confirm')
        },
        b: () => {
          if (order.actions.book.allowed) opened.value = 'book'
        },
        p: () => openPrint([order._id]),
      }),
    [order],
  )

  useEffect(() => {
    loadAction().catch(() => {})
  }, []) // before it is opened

  const others = /** @type {const} */ ([
    'confirm',
    'book',
    'deliver',
    'restock',
    'return',
    'refund',
    'refundPart',
    'advance',
    'enter',
    'lookUpBuyer',
    'cancel',
  ]).filter(
    (action) =>
      action !== step?.[0] &&
      (action === 'refundPart' ? canRefundPart(order) : order.actions[action].allowed) &&
      (action !== 'restock' || canBeInPart(order)) &&
      (action !== 'lookUpBuyer' || !isFresh(order.courierRecord)),
  )
  const isUnderWay = order.shipments.some(
    (shipment) => !/^(delivered|returned|cancelled|exchanged)$/.test(shipment.status),
  )
  return html`
    <div class="stack order">
      <${Money} order=${order} />
      ${step && html`
        <div class="now">
          ${icon(icons[/** @type {keyof typeof icons} */ (step[0])] ?? 'clock')}
          <div class="grow">
            <b>${step[1]}</b>
            <div class="small">${lastEvent(order)}</div>
          </div>
        </div>
      `}
      <${OpenAdvance} order=${order} run=${run} />
      <${OldAddress} order=${order} run=${run} />
      <${Warnings} order=${order} />
      <${Buyer} order=${order} />
      <${Items} order=${order} choose=${choose} />
      <${Details} order=${order} run=${run} />
    </div>
    ${(step?.[0] || others.length > 0) && html`
      <div class="action-bar">
        ${step?.[0] === 'remind'
          ? html`
              <a
                class="button big"
                target="_blank"
                rel="noopener noreferrer"
                href=${whatsapp(order)}
              >
                ${icon('message-circle')} ${t('remind')}
              </a>
            `
          : step?.[0]
            ? html`
                <button
                  class="button primary big"
                  aria-busy=${busy.value === step[0]}
                  onClick=${() => choose(step[0])}
                >
                  ${icon(
                    busy.value ? 'loader' : icons[/** @type {keyof typeof icons} */ (step[0])],
                    busy.value ? 'spin' : '',
                  )}
                  ${words(step[0])}
                </button>
              `
            : isUnderWay && can('orders.fulfill')
              ? html`
                  <button
                    class="button big"
                    aria-busy=${busy.value === 'track'}
                    onClick=${() => run('track')}
                  >
                    ${icon('rotate-cw', busy.value === 'track' ? 'spin' : '')}
                    ${t('track')}
                  </button>
                `
              : html`
                  <button class="button big" onClick=${() => choose(others[0])}>
                    ${icon(icons[others[0]])} ${words(others[0])}
                  </button>
                `}
        ${others.length > (step?.[0] || isUnderWay ? 0 : 1) && html`
          <button
            class="button square"
            aria-label=${t('moreActions')}
            aria-haspopup="dialog"
            onClick=${() => {
              opened.value = 'more'
            }}
          >
            ${icon('ellipsis')}
          </button>
        `}
      </div>
    `}
    ${opened.value === 'confirm' && html`
      <${ShortAddress}
        order=${order}
        confirm=${() => run('confirm')}
        close=${() => {
          opened.value = ''
        }}
      />
    `}
    ${opened.value && opened.value !== 'confirm' && html`
      <${Later}
        load=${loadAction}
        key=${opened.value}
        action=${opened.value}
        order=${order}
        others=${others}
        icons=${icons}
        choose=${choose}
        run=${run}
        close=${() => {
          opened.value = ''
        }}
      />
    `}
  `
}

/** What happened last, in our words. */
function lastEvent(/** @type {StaffOrder} */ order) {
  if (order.status === 'pending') {
    return order.calls.dueAt
      ? t('callDue', { time: dateTime(order.calls.dueAt) })
      : t('placedAgo', { age: ago(order.placedAt) })
  }
  if (order.actions.refund.allowed)
    return t('refundOf', {
      amount: money({
        ...order.paid,
        amount: order.paid.amount - order.refunded.amount,
      }),
    })
  const attempt = order.payments.at(-1)
  if (
    order.status === 'pending_payment' &&
    attempt &&
    /^(failed|cancelled|expired)$/.test(attempt.status)
  ) {
    const { method, status, createdAt } = attempt
    const words = {
      method: word(method),
      status: word('try_' + status),
      age: ago(createdAt),
    }
    return `${t('lastPayment', words)} ${t('payAgain')}`
  }
  if (isInPart(order) && order.actions.restock.allowed) return t('partlyText')
  const shipment = order.shipments.at(-1)
  return shipment
    ? t('lastEvent', {
        event: `${word(shipment.provider)}: ${word('ship_' + shipment.status)}`,
        age: ago(shipment.updatedAt),
      })
    : t('lastEvent', {
        event: word(order.status),
        age: ago(order.timeline.at(-1)?.at ?? order.placedAt),
      })
}

/** Whether an amount that the shop received can be refunded, in cash or by a gateway. */
const canRefundPart = (/** @type {StaffOrder} */ order) =>
  order.actions.refundPart.allowed ||
  (can('payments.write') &&
    !/^(cancelled|expired|returned)$/.test(order.status) &&
    order.payments.some(({ refundable }) => refundable.amount > 0))

/** Refunds that the gateways have not completed yet. */
const onTheWay = (/** @type {StaffOrder['payments']} */ payments) =>
  payments.flatMap(({ refunds }) =>
    refunds.filter(({ status }) => status === 'requested' || status === 'processing'),
  )

/** What matters of the money: what is to be collected, or was, or the total. */
function headline(/** @type {StaffOrder} */ order) {
  if (order.cashToCollect.amount > 0) return { label: t('toCollect'), amount: order.cashToCollect }
  if (order.paid.amount === 0) return { label: t('total'), amount: order.total }
  return {
    label: order.payment.method === 'cod' ? t('received') : t('paid'),
    amount: order.paid,
    of: order.paid.amount !== order.total.amount,
  }
}

function Money(/** @type {{ order: StaffOrder }} */ { order }) {
  return html`
    <section class="card section money">
      <div class="row wraps">
        ${(order.status !== 'processing' || order.fulfillmentStatus === 'unfulfilled') &&
          pill(order.status)}
        ${pill('pay_' + order.paymentStatus, word(order.payment.method))}
        ${order.fulfillmentStatus !== 'unfulfilled' &&
          order.fulfillmentStatus !== order.status &&
          pill('ship_' + order.fulfillmentStatus)}
      </div>
      ${order.test && html`<p class="small tone-info">${t('test')}</p>`}
      ${can('prices.read') && html`<${Amounts} order=${order} />`}
      <${Tags} order=${order} />
    </section>
  `
}

function Amounts(/** @type {{ order: StaffOrder }} */ { order }) {
  const advances = order.advances ?? []
  const { label, amount, of } = headline(order)
  const { due, refunded, cashToCollect } = order
  const sent = onTheWay(order.payments)
  const owed = -due.amount - sent.reduce((all, refund) => all + refund.amount.amount, 0)
  return html`
    <div class="row spread ends">
      <div>
        <div class="small quiet">${label}</div>
        <div class="pay">${money(amount)}</div>
        ${of && html`
          <div class="small quiet">${t('ofTotal', { amount: money(order.total) })}</div>
        `}
      </div>
      <div class="right small quiet">
        ${advances.length > 0
          ? html`
              ${t('total')} ${money(order.total)}
              ${advances.map((advance) => html`
                <br />− ${money(advance.amount)}
                ${word('by_' + advance.method)}
              `)}
            `
          : html`
              ${t('items')} ${money(order.subtotal)}
              <br />
              ${t('delivery')} ${money(order.deliveryCharge)}
              ${order.rounding.amount > 0 && html`
                <br />
                ${t('rounding')} −${money(order.rounding)}
              `}
            `}
        ${refunded.amount > 0 && html`
          <br />
          ${t('refunded', { amount: money(refunded) })}
        `}
      </div>
    </div>
    ${sent.map((refund) => html`
      <p class="small tone-info">
        ${t('onItsWay', { amount: money(refund.amount), time: dateTime(refund.createdAt) })}
      </p>
    `)}
    ${due.amount > 0 && order.paid.amount > 0 && cashToCollect.amount === 0 && html`
      <p class="small tone-warn">${t('open', { amount: money(due) })}</p>
    `}
    ${owed > 0 && html`
      <p class="small tone-warn">${t('owed', { amount: money({ ...due, amount: owed }) })}</p>
    `}
  `
}

const isFresh = (/** @type {StaffOrder['courierRecord']} */ record) =>
  record !== null && Date.now() - Date.parse(record.at) < 24 * 60 * 60 * 1000

/** What a courier knows of the buyer. Unknown is neither good nor bad. */
function courierSignal(/** @type {StaffOrder['courierRecord']} */ record) {
  if (!record) return null
  const { delivered, shipments, reports } = record
  const provider = word(record.provider)
  if (delivered === null)
    return { tone: 'quiet', icon: 'truck', text: t('courier_unknown', { provider }) }
  const text = t('courier_known', {
    provider,
    percent: digits(Math.round(delivered)),
    shipments: digits(shipments ?? ''),
  })
  return {
    tone: delivered < 60 || reports > 0 ? 'warn' : 'quiet',
    icon: 'truck',
    text: reports > 0 ? text + ', ' + t('courier_reports', { reports }) : text,
  }
}

function Buyer(/** @type {{ order: StaffOrder }} */ { order }) {
  const editing = useSignal(false)
  const { customer, shippingAddress: a } = order
  const record = recordSignal(order.record)
  const { lines, town } = addressLines(a)
  const whole = [customer.name, customer.phoneNumber, lines, town].filter(Boolean).join('\n')
  return html`
    <section class="card list buyer-card">
      <div class="section">
        <h2 class="buyer" lang=${langOf(customer.name)}>${customer.name}</h2>
        <a class="phone-link" href=${'tel:' + customer.phoneNumber}>
          ${phone(customer.phoneNumber)}
        </a>
        ${customer.email && html`<div class="small quiet">${customer.email}</div>`}
        <div class="signals">
          ${[record, courierSignal(order.courierRecord)].map(
            (signal) =>
              signal && html`
                <span class="tone-${signal.tone}">${icon(signal.icon, 'mini')}${signal.text}</span>
              `,
          )}
        </div>
        <div class="actions no-print">
          <a class="button" href=${'tel:' + customer.phoneNumber}>
            ${icon('phone')}
            ${t('call')}
          </a
          >
          <a class="button" target="_blank" rel="noopener noreferrer" href=${whatsapp(order)}>
            ${icon('message-circle')} ${t('whatsapp')}
          </a>
          <button class="button" onClick=${() => copy(whole)}>
            ${icon('copy')} ${t('copyAddress')}
          </button>
        </div>
      </div>
      <details open=${isWide.value ||
        (order.fulfillmentStatus === 'unfulfilled' && !/^(cancelled|expired)$/.test(order.status))}>
        <summary class="fold">
          ${icon('map-pin')}
          <span class="grow">${t('address')}</span>
          <span class="small quiet cut town" lang=${langOf(town)}>${town}</span>
          ${icon('chevron-down', 'mini')}
        </summary>
        <div class="section flush row top-aligned">
          <address class="grow" lang=${langOf(lines || a.city)}>
            ${lines} ${lines && html`<br />`} ${town}
          </address>
          ${order.actions.edit.allowed && html`
            <a class="button mini no-print" href=${to('edit', order._id, { field: 'line1' })}>
              ${t('edit')}
            </a>
          `}
          <a
            class="button mini no-print"
            target="_blank"
            rel="noopener noreferrer"
            href=${mapOf([a.line1, a.area, a.city].filter(Boolean).join(', '))}
          >
            ${t('map')}
          </a>
        </div>
        ${can('customers.write') && html`
          <div class="section no-print">
            <button
              class="button mini"
              id="contact-button"
              aria-haspopup="dialog"
              onClick=${() => {
                editing.value = true
              }}
            >
              ${icon('user', 'mini')} ${t('aboutBuyer')}
            </button>
          </div>
        `}
      </details>
      ${editing.value && html`
        <${Later}
          load=${loadContact}
          phoneNumber=${customer.phoneNumber}
          close=${() => {
            editing.value = false
          }}
        />
      `}
      ${order.note && html`
        <div class="section row top-aligned">
          <span class="tone-info">${icon('message-square-text')}</span>
          <q class="grow" lang=${langOf(order.note)}>${order.note}</q>
        </div>
      `}
    </section>
  `
}

const listUnits = (/** @type {StaffOrder['damaged']} */ items) =>
  items.map((item) => digits(item.quantity) + ' × ' + name(item.title)).join(', ')

/** What the order was reduced by since, and what was paid for it. */
function Changes(
  /** @type {{ order: StaffOrder, choose: (action: string) => void }} */ { order, choose },
) {
  const { credits, due, paid, refunded } = order
  const isClosed = /^(cancelled|expired|returned)$/.test(order.status)
  return html`
    ${!isClosed &&
      credits.map((credit) => html`
        <dt class="quiet">
          ${credit.title !== null && credit.quantity > 0
            ? `${digits(credit.quantity)} × ${name(credit.title)}, `
            : ''}
          ${t.dynamic('credit_' + credit.reason)}
          ${credit._id && order.actions.removeCredit.allowed && html`
            ${' '}
            <button
              class="button mini no-print"
              aria-haspopup="dialog"
              onClick=${() => choose('removeCredit ' + credit._id)}
            >
              ${t('removeAdvance')}
            </button>
          `}
        </dt>
        <dd>−${money(credit.amount)}</dd>
      `)}
    ${paid.amount > 0 && html`
      <dt class="quiet">${order.payment.method === 'cod' ? t('received') : t('paid')}</dt>
      <dd>${money(paid)}</dd>
    `}
    ${refunded.amount > 0 && html`
      <dt class="quiet">${t('sentBack')}</dt>
      <dd>−${money(refunded)}</dd>
    `}
    ${due.amount !== 0 && (paid.amount > 0 || credits.length > 0) && html`
      <dt class="bold">${due.amount > 0 ? t('stillOpen') : t('toRefund')}</dt>
      <dd class="bold">${money({ ...due, amount: Math.abs(due.amount) })}</dd>
    `}
  `
}

/** What the goods cost, and what else belongs to the total. */
const Sums = (
  /** @type {{ order: StaffOrder, choose: (action: string) => void }} */ { order, choose },
) => {
  const onItems = order.discounts.filter(({ kind }) => kind !== 'free_delivery')
  const waived = order.discounts.find(({ kind }) => kind === 'free_delivery')
  const rest = {
    ...order.discount,
    amount: onItems.reduce(
      (left, { amount }) => left - amount.amount,
      order.discount.amount - order.quantityDiscount.amount,
    ),
  }
  return html`
    <dl class="facts small">
      ${order.quantityDiscount.amount > 0 && html`
        <dt class="quiet">${t('quantityDiscount')}</dt>
        <dd>−${money(order.quantityDiscount)}</dd>
      `}
      ${onItems.map(({ _id, title, amount }) => html`
        <dt class="quiet" key=${_id} lang=${langOf(name(title))}>${name(title)}</dt>
        <dd>−${money(amount)}</dd>
      `)}
      ${rest.amount > 0 && html`
        <dt class="quiet">
          ${order.coupon ? t('coupon', { code: order.coupon.code }) : t('discount')}
        </dt>
        <dd>−${money(rest)}</dd>
      `}
      <dt class="quiet">
        ${order.delivery ? name(order.delivery.name) : t('delivery')}
        ${waived && ` (${name(waived.title)})`}
      </dt>
      <dd>${money(order.deliveryCharge)}</dd>
      ${order.rounding.amount > 0 && html`
        <dt class="quiet">${t('rounding')}</dt>
        <dd>−${money(order.rounding)}</dd>
      `}
      <dt class="grand-total">${t('total')}</dt>
      <dd class="grand-total">${money(order.total)}</dd>
      <${Changes} order=${order} choose=${choose} />
    </dl>
  `
}

function Items(
  /** @type {{ order: StaffOrder, choose: (action: string) => void }} */ { order, choose },
) {
  const units = order.items.reduce((all, item) => all + item.quantity, 0)
  const shown = can('prices.read')
  return html`
    <section class="card list">
      <details open>
        <summary class="fold">
          ${icon('package')}
          <h2 class="grow">${t('items')}</h2>
          <span class="small quiet">
            ${shown
              ? t('unitsOf', { count: units, amount: money(order.total) })
              : t('pieces', { count: units })}
          </span>
          ${icon('chevron-down', 'mini')}
        </summary>
        <div class="section flush">
          ${order.items.map((item) => html`
            <div class="line">
              ${thumb(item, item.quantity)}
              <div class="grow">
                <div class="bold" lang=${langOf(name(item.title))}>${name(item.title)}</div>
                <div class="small quiet">
                  ${[item.variantTitle, item.sku].filter(Boolean).join(' · ')}
                  ${item.variantTitle || item.sku ? ' · ' : ''}
                  ${digits(item.quantity)}
                  ${shown && ' × ' + money(item.unitPrice)}
                </div>
              </div>
              ${shown && html`<span>${money(item.total)}</span>`}
            </div>
          `)}
          ${shown && html`<${Sums} order=${order} choose=${choose} />`}
          ${order.actions.edit.allowed && html`
            <a
              class="button mini no-print"
              id="edit-goods"
              aria-label=${`${t('edit')}: ${t('items')}`}
              href=${to('edit', order._id, { field: 'goods' })}
            >
              ${t('edit')}
            </a>
          `}
          ${order.damaged && order.damaged.length > 0 && html`
            <p class="small tone-warn row top-aligned">
              ${icon('package-x', 'mini')}
              <span>
                ${t('damaged', {
                  list: listUnits(order.damaged),
                })}
              </span>
            </p>
          `}
          ${order.restocked?.length > 0 && html`
            <p class="small quiet row top-aligned">
              ${icon('undo-2', 'mini')}
              <span>
                ${t('restocked', {
                  list: listUnits(order.restocked),
                })}
              </span>
            </p>
          `}
          ${order.earned && html`
            <${Later} load=${loadEarned} earned=${order.earned} payment=${order.payment} />
          `}
        </div>
      </details>
    </section>
  `
}
