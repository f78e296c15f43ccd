// One order, as shown after placing it, on return from a gateway and when tracking it. With the access
// token of its customer or the order token it is complete and can be paid.

import { get, post } from '../api.js'
import { announce, h } from '../dom.js'
import { date, dateTime, explain, langOf, money, apiText, t } from '../language.js'
import { figures, orderLines } from '../part/figures.js'
import { choice, field, message, onSubmit, showMessage } from '../part/form.js'
import { notice } from '../part/states.js'
import { link, refresh } from '../router.js'
import * as session from '../session.js'
import { tenant } from '../shop.js'

const pollEvery = 2000 // milliseconds
const pollAtMost = 10 // times

export async function order(query, signal) {
  const id = query.get('order')
  const orderToken = session.orderToken(id)
  const [it, shop] = await Promise.all([get('/orders/' + encodeURIComponent(id), {}, { signal, orderToken }), tenant()])
  const proven = Boolean(it.shippingAddress.line1) // others see the city only
  const title = t('order', { number: it.orderNumber })
  if (query.get('payment') === 'pending' && isOpen(it)) poll(it, orderToken, signal)
  return {
    title,
    content: h('div', { class: 'order' },
      h('div', { class: 'list-head' },
        h('h1', null, title),
        h('p', { class: 'quiet' }, t('placedAt', { time: dateTime(it.placedAt) })),
        h('p', { class: 'tags' },
          h('span', { class: 'tag tag-' + it.status }, t('status_' + it.status)),
          // Awaiting payment is a status already.
          !isOpen(it) && h('span', { class: 'tag tag-' + it.paymentStatus }, t('paid_' + it.paymentStatus)))),
      outcome(it, query),
      steps(it),
      h('div', { class: 'order-columns' },
        h('div', null,
          isOpen(it) && proven && payForm(it, shop, orderToken),
          h('section', null, h('h2', null, t('items')), orderLines(it.items), figures(it)),
          !proven && h('p', { class: 'quiet' }, session.user() ? '' : link({ view: 'account' }, null, t('masked')))),
        h('div', null, whereTo(it, proven), shipments(it), timeline(it), tracking(it), it.cancellable && cancelling(it, orderToken)))),
  }
}

// isOpen reports whether the order awaits payment, and a new attempt can be started.
const isOpen = (it) => it.status === 'pending_payment' && ['unpaid', 'pending'].includes(it.paymentStatus)

// outcome returns a notice of what has just happened. The address can be forged, so the order's own
// status takes precedence.
function outcome(it, query) {
  const claimed = query.get('payment')
  if (it.paymentStatus === 'paid' && (claimed || query.has('placed'))) return notice('good', t('payment_success'))
  if (isOpen(it) && ['failed', 'cancelled', 'pending'].includes(claimed)) {
    return notice(claimed === 'pending' ? 'plain' : 'bad', t('payment_' + claimed))
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
  if (['cancelled', 'expired', 'returned'].includes(it.status)) return null
  const done = it.fulfillmentStatus === 'delivered' || it.status === 'completed' ? 3
    : it.fulfillmentStatus === 'in_progress' || it.fulfillmentStatus === 'partially_delivered' ? 2
      : it.status === 'confirmed' || it.status === 'processing' ? 1 : 0
  return h('ol', { class: 'steps', 'aria-label': t('progress') }, ['placed', 'confirmed', 'sent', 'delivered'].map((step, i) =>
    h('li', { class: i <= done ? 'step step-done' : 'step', 'aria-current': i === done && 'step' }, t('step_' + step))))
}

function payForm(it, shop, orderToken) {
  const form = h('form', { class: 'pay' },
    choice(t('payWith'), 'paymentMethod', shop.paymentMethods.map((method) => ({
      value: method, label: t('method_' + method), text: t('methodText_' + method), checked: method === it.payment.method,
    }))),
    message(),
    h('button', { class: 'button', type: 'submit', id: 'pay' }, t('payNow', { total: money(it.total) })))
  form.addEventListener('change', () => {
    const cash = form.elements.paymentMethod.value === 'cod'
    form.querySelector('#pay').textContent = cash ? t('payInCash') : t('payNow', { total: money(it.total) })
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
  return h('section', null,
    h('h2', null, t('deliverTo')),
    h('address', null, [it.customer.name, ...place, it.customer.phoneNumber].map((line) => h('span', { lang: proven ? langOf(line) : null }, line))))
}

const shipments = (it) =>
  it.shipments.length > 0 && h('section', null,
    h('h2', null, t('shipment')),
    h('ul', { class: 'facts' }, it.shipments.map((shipment) => h('li', null,
      apiText('shipment_' + shipment.status, shipment.status.replaceAll('_', ' ')),
      `, ${date(shipment.updatedAt)}`,
      shipment.trackingCode && `, ${shipment.trackingCode}`))))

// Steps between the shop and its gateway; other entries cover them for the buyer.
const behindTheScenes = new Set(['attempt_initiated', 'attempt_pending', 'attempt_succeeded', 'payment_pending', 'payment_unpaid'])

const timeline = (it) =>
  h('section', null,
    h('h2', null, t('whatHappened')),
    h('ol', { class: 'timeline' }, it.timeline.filter((entry) => !behindTheScenes.has(entry.type)).reverse().map((entry) => h('li', null,
      h('span', { lang: langOf(apiText(entry.type, entry.message)) }, apiText(entry.type, entry.message)),
      h('time', { class: 'quiet', datetime: entry.at }, dateTime(entry.at))))))

const tracking = (it) =>
  h('section', null,
    h('h2', null, t('trackingCode')),
    h('p', null, link({ order: it._id }, { class: 'code', translate: 'no' }, it._id.replace(/(.{4})(?=.)/g, '$1-'))),
    h('p', { class: 'quiet' }, t('trackingHint')))

// cancelling confirms in a dialog first: it cannot be undone.
function cancelling(it, orderToken) {
  const form = h('form', null,
    h('h2', { id: 'cancel-title' }, t('cancelAsk')),
    h('p', null, t('cancelText')),
    field(t('cancelReason'), 'reason', { autocomplete: 'off' }),
    message(),
    h('div', { class: 'actions' },
      h('button', { class: 'button button-quiet', type: 'button', onclick: () => dialog.close() }, t('keepOrder')),
      h('button', { class: 'button button-danger', type: 'submit', id: 'cancel-order' }, t('cancelOrder'))))
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
    refresh()
  })
  return h('section', null,
    h('button', { class: 'text-button text-danger', type: 'button', id: 'cancel', onclick: () => dialog.showModal() }, t('cancelOrder')),
    dialog)
}
