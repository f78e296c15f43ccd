// One order, as shown after placing it, on return from a gateway and when tracking it. With the
// access token of its customer or the order token it is complete and can be paid.

import { get, post } from '../api.js'
import { announce, h } from '../dom.js'
import { date, dateTime, digits, explain, langOf, money, name, apiText, t } from '../language.js'
import { figures, orderLines } from '../part/figures.js'
import { choice, field, message, onSubmit, showMessage } from '../part/form.js'
import { sharing } from '../part/sharing.js'
import { notice } from '../part/states.js'
import { address, go, link, refresh } from '../router.js'
import * as session from '../session.js'
import { tenant } from '../shop.js'
import { change, isOpen } from '../unpaid.js'
import { track } from './pages.js'

const pollEvery = 2000 // milliseconds
const pollAtMost = 10 // times

export async function order(query, signal) {
  const id = query.get('order')
  const orderToken = session.orderToken(id)
  const [it, shop] = await Promise.all([
    get('/orders/' + encodeURIComponent(id), {}, { signal, orderToken }).catch(unlessUnknown),
    tenant(),
  ])
  if (!it) return track(id)
  const proven = Boolean(it.shippingAddress.line1) // others see the city only
  const title = t('order', { number: it.orderNumber })
  if (query.get('payment') === 'pending' && isOpen(it)) poll(it, orderToken, signal)
  return {
    title,
    content: h(
      'div',
      { class: 'order' },
      h(
        'div',
        { class: 'list-head' },
        h('h1', null, title),
        h('p', { class: 'quiet' }, t('placedAt', { time: dateTime(it.placedAt) })),
        h(
          'p',
          { class: 'tags' },
          h('span', { class: 'tag tag-' + it.status }, t('status_' + it.status)),
          paymentTag(it),
        ),
      ),
      outcome(it, query),
      steps(it),
      next(it, shop, proven),
      h(
        'div',
        { class: 'order-columns' },
        h(
          'div',
          null,
          isOpen(it) && proven && payForm(it, shop, orderToken),
          h('section', null, h('h2', null, t('items')), orderLines(it.items), figures(it)),
          !proven &&
            h(
              'p',
              { class: 'quiet on-screen' },
              session.user() ? '' : link({ view: 'account' }, null, t('masked')),
            ),
        ),
        h(
          'div',
          null,
          whereTo(it, proven),
          shipments(it),
          timeline(it),
          tracking(it, shop),
          it.cancellable ? cancelling(it, orderToken) : notCancellable(it, shop, proven),
        ),
      ),
    ),
  }
}

function unlessUnknown(error) {
  if (error.code === 'not_found') return null
  throw error
}

const isClosed = (it) => ['cancelled', 'expired', 'returned'].includes(it.status)

// isCashDue reports whether the buyer pays the order when it arrives.
const isCashDue = (it) =>
  it.payment.method === 'cod' &&
  it.paymentStatus === 'unpaid' &&
  !isClosed(it) &&
  it.total.amount > 0

// paymentTag adds what the order's status leaves open: awaiting payment is a status, and nobody has
// to pay for a closed order.
function paymentTag(it) {
  if (isOpen(it) || (isClosed(it) && it.paymentStatus === 'unpaid')) return null
  return h(
    'span',
    { class: 'tag tag-' + it.paymentStatus },
    t(isCashDue(it) ? 'method_cod' : 'paid_' + it.paymentStatus),
  )
}

// hasAdvance reports whether the shop has received a part beforehand: the courier collects the
// rest.
const hasAdvance = (it) => it.timeline.some((entry) => entry.type === 'advance')

// next states what the buyer has to do, and what the shop does next.
function next(it, shop, proven) {
  const step = {
    pending: 'confirm',
    confirmed: 'prepare',
    processing: { unfulfilled: 'prepare', in_progress: 'deliver' }[it.fulfillmentStatus],
  }[it.status]
  if (!step) return null
  const estimate = shop.deliveryCharges.find((charge) => charge._id === it.delivery?._id)?.estimate
  return h(
    'section',
    { class: 'next', 'aria-labelledby': 'next-title' },
    isCashDue(it) &&
      h(
        'p',
        { class: 'next-cash' },
        t(hasAdvance(it) ? 'haveRest' : 'haveReady', { total: money(it.total) }),
      ),
    h('h2', { id: 'next-title' }, t('next')),
    h(
      'p',
      null,
      t(step === 'confirm' && proven ? 'next_confirm_call' : 'next_' + step, {
        phone: digits(it.customer.phoneNumber),
      }),
    ),
    it.delivery &&
      h(
        'p',
        null,
        `${t('delivery')}: ${name(it.delivery.name)}`,
        estimate && ` · ${name(estimate)}`,
      ),
  )
}

// outcome returns a notice of what has just happened. The address can be forged, so the order's own
// status takes precedence.
function outcome(it, query) {
  const claimed = query.get('payment')
  if (it.paymentStatus === 'paid' && (claimed || query.has('placed')))
    return notice('good', t('payment_success'))
  if (isOpen(it) && ['failed', 'cancelled', 'pending'].includes(claimed)) {
    return notice(claimed === 'failed' ? 'bad' : 'plain', t('payment_' + claimed))
  }
  if (query.has('cancelled') && it.status === 'cancelled') {
    return notice('good', t(it.paymentStatus === 'refund_due' ? 'cancelledRefund' : 'cancelled'))
  }
  if (!query.has('placed')) return null
  if (it.payment.errorCode) return notice('bad', t('gatewayDown'))
  return isOpen(it) || it.status === 'cancelled' ? null : notice('good', t('thankYou'))
}

// poll reloads the order until its payment status changes, at most pollAtMost times.
async function poll(it, orderToken, signal) {
  for (let i = 0; i < pollAtMost; i++) {
    await new Promise((resolve) => setTimeout(resolve, pollEvery))
    if (signal.aborted) return
    const now = await get('/orders/' + it._id, {}, { signal, orderToken }).catch(() => it)
    if (now.paymentStatus !== it.paymentStatus && !signal.aborted) return refresh()
  }
}

// steps shows the progress of an order; nothing for one that is closed.
function steps(it) {
  if (isClosed(it)) return null
  const done =
    it.fulfillmentStatus === 'delivered' || it.status === 'completed'
      ? 3
      : it.fulfillmentStatus === 'in_progress' || it.fulfillmentStatus === 'partially_delivered'
        ? 2
        : it.status === 'confirmed' || it.status === 'processing'
          ? 1
          : 0
  return h(
    'ol',
    { class: 'steps', 'aria-label': t('progress') },
    ['placed', 'confirmed', 'sent', 'delivered'].map((step, i) =>
      h(
        'li',
        { class: i <= done ? 'step step-done' : 'step', 'aria-current': i === done && 'step' },
        t('step_' + step),
      ),
    ),
  )
}

function payForm(it, shop, orderToken) {
  const form = h(
    'form',
    { class: 'pay' },
    choice(
      t('payWith'),
      'paymentMethod',
      shop.paymentMethods.map((method) => ({
        value: method,
        label: t('method_' + method),
        text: t('methodText_' + method),
        checked: method === it.payment.method,
      })),
    ),
    message(),
    h(
      'button',
      { class: 'button', type: 'submit', id: 'pay' },
      t('payNow', { total: money(it.total) }),
    ),
    h(
      'p',
      { class: 'quiet' },
      t('changeOrderText'),
      ' ',
      h(
        'button',
        {
          class: 'text-button',
          type: 'button',
          id: 'change',
          onclick: async () => {
            await change(it)
            go('/?view=checkout')
          },
        },
        t('changeOrder'),
      ),
    ),
  )
  form.addEventListener('change', () => {
    const cash = form.elements.paymentMethod.value === 'cod'
    form.querySelector('#pay').textContent = cash
      ? t('payInCash')
      : t('payNow', { total: money(it.total) })
  })
  onSubmit(form, async ({ paymentMethod }) => {
    if (paymentMethod === 'cod') {
      await post(`/orders/${it._id}/payment-method`, { paymentMethod }, { orderToken })
      announce(t('changedToCash'))
      return refresh()
    }
    // The API returns an open attempt again, so this starts no second one.
    const attempt = await post(`/orders/${it._id}/payments`, { paymentMethod }, { orderToken })
    if (attempt.redirectUrl) location.assign(attempt.redirectUrl)
    else showMessage(form, t('gatewayDown'))
  })
  return form
}

function whereTo(it, proven) {
  const { line1, line2, area, city, postcode } = it.shippingAddress
  const place = [line1, line2, area, [city, postcode].filter(Boolean).join(' ')].filter(Boolean)
  const lines = [it.customer.name, ...place, digits(it.customer.phoneNumber)]
  return h(
    'section',
    null,
    h('h2', null, t('deliverTo')),
    h(
      'address',
      null,
      lines.map((line) => h('span', { lang: proven ? langOf(line) : null }, line)),
    ),
  )
}

const shipments = (it) =>
  it.shipments.length > 0 &&
  h(
    'section',
    null,
    h('h2', null, t('shipment')),
    h(
      'ul',
      { class: 'facts' },
      it.shipments.map((shipment) =>
        h(
          'li',
          null,
          apiText('shipment_' + shipment.status, shipment.status.replaceAll('_', ' ')),
          `, ${date(shipment.updatedAt)}`,
          shipment.trackingCode && `, ${shipment.trackingCode}`,
        ),
      ),
    ),
  )

// Steps between the shop and its gateway; other entries cover them for the buyer.
const behindTheScenes = new Set([
  'attempt_initiated',
  'attempt_pending',
  'attempt_succeeded',
  'payment_pending',
  'payment_unpaid',
])

const advance =
  /^(The shop received |The shop removed an advance of )(.+)( in advance\.| from the order\.)$/

function entryText({ type, message }) {
  const [, before, amount, after] = (type === 'advance' && message.match(advance)) || []
  if (amount)
    return apiText(`${before}{amount}${after}`, message).replace('{amount}', digits(amount))
  return apiText(type === 'shipment_update' ? message : type, message)
}

const timeline = (it) =>
  h(
    'section',
    null,
    h('h2', null, t('whatHappened')),
    h(
      'ol',
      { class: 'timeline' },
      it.timeline
        .filter((entry) => !behindTheScenes.has(entry.type))
        .reverse()
        .map((entry) =>
          h(
            'li',
            null,
            h('span', { lang: langOf(entryText(entry)) }, entryText(entry)),
            h('time', { class: 'quiet', datetime: entry.at }, dateTime(entry.at)),
          ),
        ),
    ),
  )

const tracking = (it, shop) =>
  h(
    'section',
    null,
    h('h2', null, t('trackingCode')),
    h(
      'p',
      null,
      link(
        { order: it._id },
        { class: 'code', translate: 'no' },
        it._id.replace(/(.{4})(?=.)/g, '$1-'),
      ),
    ),
    h('p', { class: 'quiet' }, t('trackingHint')),
    sharing(
      location.origin + address({ order: it._id }),
      t('shareText', { number: it.orderNumber, shop: name(shop.name) }),
    ),
  )

// notCancellable states why an order that is under way cannot be cancelled here.
function notCancellable(it, shop, proven) {
  if (isClosed(it) || it.status === 'completed' || it.fulfillmentStatus === 'delivered') return null
  const { phone } = shop.supportContact
  const reason = !proven
    ? 'cancelElsewhere'
    : it.fulfillmentStatus === 'unfulfilled'
      ? 'cancelByShop'
      : 'cancelSent'
  const call = phone && h('a', { href: 'tel:' + phone }, digits(phone))
  return h('p', { class: 'quiet', id: 'not-cancellable' }, t(reason), ' ', call)
}

// cancelling confirms in a dialog first: it cannot be undone.
function cancelling(it, orderToken) {
  const form = h(
    'form',
    null,
    h('h2', { id: 'cancel-title' }, t('cancelAsk')),
    h('p', null, t('cancelText')),
    field(t('cancelReason'), 'reason', { autocomplete: 'off' }),
    message(),
    h(
      'div',
      { class: 'actions' },
      h(
        'button',
        { class: 'button button-quiet', type: 'button', onclick: () => dialog.close() },
        t('keepOrder'),
      ),
      h(
        'button',
        { class: 'button button-danger', type: 'submit', id: 'cancel-order' },
        t('cancelOrder'),
      ),
    ),
  )
  const dialog = h('dialog', { class: 'modal', 'aria-labelledby': 'cancel-title' }, form)
  onSubmit(form, async ({ reason }) => {
    try {
      await post(`/orders/${it._id}/cancel`, { reason }, { orderToken })
    } catch (problem) {
      showMessage(form, explain(problem))
      return
    }
    dialog.close()
    announce(t('cancelled'))
    // shows the new status, which is at the top
    go(address({ order: it._id, cancelled: 1 }), { replace: true })
  })
  return h(
    'section',
    null,
    h(
      'button',
      {
        class: 'text-button text-danger',
        type: 'button',
        id: 'cancel',
        onclick: () => dialog.showModal(),
      },
      t('cancelOrder'),
    ),
    dialog,
  )
}
