// The checkout. Each change that could affect the total is sent to the server for a quote, which is
// shown; placing the order sends the total that the buyer has seen.

import { Problem, patch } from '../api.js'
import * as basket from '../basket.js'
import { h, replace } from '../dom.js'
import { explain, langOf, money, name, t } from '../language.js'
import { basketLines } from '../part/basket_drawer.js'
import { figures, orderLines } from '../part/figures.js'
import { choice, field, message, onSubmit, read, showMessage } from '../part/form.js'
import { empty, notice } from '../part/states.js'
import { placeOrder } from '../place_order.js'
import { quoteOrder } from '../quote.js'
import { go, link } from '../router.js'
import * as session from '../session.js'
import { tenant } from '../shop.js'
import { load, save } from '../store.js'

const typingPause = 400 // milliseconds without a key before a quote is requested

export async function checkout(_, signal) {
  const title = t('checkout')
  if (basket.isEmpty()) {
    return { title, content: h('div', null, h('h1', null, title), empty(t('basketEmpty'), '', link({ view: 'products' }, { class: 'button' }, t('shopNow')))) }
  }
  const shop = await tenant()
  const summary = h('div', { class: 'summary-content' })
  const deliveries = h('div')
  const total = h('span')
  const draft = load('checkout', draftOf(session.user()), sessionStorage)
  const form = checkoutForm(shop, draft, deliveries)
  const coupon = couponForm(draft.couponCode, (code) => {
    draft.couponCode = code
    saveDraft()
    requote()
  })

  const state = { quote: null, problem: null, request: null, options: shop.deliveryCharges, delivery: null } // of the latest quote
  await fetchQuote()
  draw()

  let timer
  form.addEventListener('input', ({ target }) => {
    if (target.name === 'deliveryChargeId') draft.chosen = target.value
    saveDraft()
    clearTimeout(timer)
    timer = setTimeout(requote, target.type === 'radio' ? 0 : typingPause)
  })
  onSubmit(form, place)
  basket.onChange(() => (basket.isEmpty() ? !form.ariaBusy && go('/?view=checkout', { replace: true }) : requote()), { signal })

  return {
    title,
    content: h('div', { class: 'checkout' },
      h('h1', null, title),
      form,
      h('section', { class: 'summary', 'aria-labelledby': 'summary-title' },
        h('h2', { id: 'summary-title' }, t('summary')),
        summary, coupon.node,
        message(form.id),
        h('button', { class: 'button button-wide', type: 'submit', form: form.id, id: 'place' }, t('placeOrder'), total))),
  }

  function saveDraft() {
    Object.assign(draft, read(form))
    save('checkout', draft, sessionStorage)
  }

  // currentOrder returns the order as filled in. A complete address is included, and the server chooses
  // the delivery charges for it; before that the first charge determines the cost of delivery.
  function currentOrder() {
    const { customer, shippingAddress, paymentMethod, note } = read(form)
    const whole = shippingAddress?.line1 && shippingAddress.city
    return {
      items: basket.items(), customer, shippingAddress: whole ? shippingAddress : undefined,
      deliveryChargeId: draft.chosen ?? (whole ? undefined : shop.deliveryCharges[0]?._id),
      couponCode: draft.couponCode || undefined, paymentMethod, note,
    }
  }

  // fetchQuote requests a quote. It returns false if a later request replaced it.
  async function fetchQuote() {
    state.request?.abort()
    state.request = new AbortController()
    let couponProblem
    try {
      const answer = await quoteOrder(currentOrder(), { signal: AbortSignal.any([signal, state.request.signal]) })
      couponProblem = answer.couponProblem
      Object.assign(state, { quote: answer.quote, problem: null, options: answer.quote.deliveryOptions, delivery: answer.quote.delivery?._id })
    } catch (problem) {
      if (problem.name === 'AbortError') return false
      if (!(problem instanceof Problem)) throw problem
      couponProblem = problem.couponProblem
      Object.assign(state, { quote: null, problem, options: problem.details.deliveryCharges ?? state.options })
    }
    if (couponProblem) delete draft.couponCode
    if (!state.options.some((option) => option._id === draft.chosen)) delete draft.chosen
    coupon.show(state.quote?.coupon, couponProblem)
    return true
  }

  async function requote() {
    clearTimeout(timer)
    if (basket.isEmpty()) return // the order has just been placed
    summary.setAttribute('aria-busy', 'true')
    if (!(await fetchQuote())) return
    summary.removeAttribute('aria-busy')
    draw()
  }

  function draw() {
    const { quote, problem } = state
    const lines = problem?.errors.some((error) => error.field.startsWith('items'))
    replace(summary,
      problem && notice('bad', lines ? t('fixBasket') : explain(problem)),
      lines || !quote ? basketLines(null, problem) : orderLines(quote.items),
      quote && figures(quote))
    const chosen = state.delivery
    replace(deliveries, state.options.length > 0 && choice(t('delivery'), 'deliveryChargeId', state.options.map((option) => ({
      value: option._id, label: name(option.name), text: name(option.estimate), checked: option._id === chosen,
      aside: quote && option._id === chosen ? (quote.deliveryCharge.amount ? money(quote.deliveryCharge) : t('free')) : money(option.charge),
    }))))
    replace(total, quote ? ' · ' + money(quote.total) : '')
  }

  async function place() {
    if (!state.quote) await requote()
    if (!state.quote) throw state.problem
    // The total that the buyer has seen, even if a newer quote is pending: the server compares them.
    const body = { ...currentOrder(), expectedTotal: state.quote.total.amount }
    let order
    try {
      order = await placeOrder(body)
    } catch (problem) {
      await handleProblem(problem)
      return
    }
    if (form.elements.remember?.checked) await saveAddress(body.shippingAddress)
    save('checkout', null, sessionStorage)
    showOrder(order)
  }

  async function handleProblem(problem) {
    switch (problem.code) {
      case 'price_changed':
      case 'delivery_charge_required': // the address changed since the quote
      case 'out_of_stock':
        await requote() // shows the new amounts, or the lines that are out of stock
        showMessage(form, state.quote ? t('totalChanged', { total: money(state.quote.total) }) : t('notOrdered'))
        return
      case 'network':
      case 'unavailable':
        showMessage(form, t('outcomeUnknown'))
        return
      case 'token_expired':
      case 'token_invalid':
        showMessage(form, t('signedOutNotice'))
        return
    }
    if (String(problem.code).startsWith('coupon_')) await requote() // shows the reason at the coupon
    throw problem
  }
}

// showOrder opens the order, or the gateway's page. The order replaces the checkout in the history, so
// that going back from the gateway leads to it.
function showOrder(order) {
  const next = `/?order=${order._id}&placed=1`
  if (!order.payment.redirectUrl) return go(next, { replace: true })
  history.replaceState(null, '', next)
  location.assign(order.payment.redirectUrl)
}

// The data of the account, by the names of the form.
function draftOf(user) {
  if (!user) return {}
  const { name, phoneNumber, email, addresses } = user
  return { customer: { name, phoneNumber: phoneNumber ?? '', email: email ?? '' }, shippingAddress: addresses?.[0] ?? {} }
}

async function saveAddress(address) {
  // The order is placed even if this fails.
  await patch('/auth/profile', { address }).then(session.update, () => {})
}

function checkoutForm(shop, draft, deliveries) {
  const { customer = {}, shippingAddress = {} } = draft
  const user = session.user()
  const cities = [...new Set(shop.deliveryCharges.flatMap((charge) => charge.areas))].sort()
  return h('form', { class: 'checkout-form', id: 'checkout-form' },
    h('section', null,
      h('h2', null, t('yourDetails')),
      h('p', { class: 'quiet' }, user ? t('signedInAs', { name: user.name }) : [t('guestHint'), ' ', link({ view: 'account', next: 'checkout' }, null, t('signIn'))]),
      h('div', { class: 'fields' },
        field(t('fullName'), 'customer.name', { autocomplete: 'name', required: true, value: customer.name }),
        field(t('phone'), 'customer.phoneNumber', { type: 'tel', autocomplete: 'tel', required: true, value: customer.phoneNumber }, t('phoneHint')),
        field(t('email'), 'customer.email', { type: 'email', autocomplete: 'email', value: customer.email }))),
    h('section', null,
      h('h2', null, t('address')),
      h('div', { class: 'fields fields-address' },
        field(t('line1'), 'shippingAddress.line1', { autocomplete: 'address-line1', required: true, value: shippingAddress.line1 }),
        field(t('area'), 'shippingAddress.area', { autocomplete: 'address-level3', value: shippingAddress.area }),
        field(t('city'), 'shippingAddress.city', { autocomplete: 'address-level2', required: true, list: 'cities', value: shippingAddress.city }),
        field(t('postcode'), 'shippingAddress.postcode', { autocomplete: 'postal-code', value: shippingAddress.postcode })),
      h('datalist', { id: 'cities' }, cities.map((city) => h('option', { value: city }))),
      user && h('label', { class: 'filter-check' }, h('input', { type: 'checkbox', id: 'remember', value: '' }), t('rememberAddress'))),
    deliveries,
    choice(t('paymentMethod'), 'paymentMethod', shop.paymentMethods.map((method) => ({
      value: method, label: t('method_' + method), text: t('methodText_' + method), checked: method === (draft.paymentMethod ?? shop.paymentMethods[0]),
    }))),
    field(t('note'), 'note', { type: 'textarea', rows: 2, value: draft.note }))
}

// couponForm is the input for a code, and its result.
function couponForm(start, apply) {
  const node = h('form', { class: 'coupon' },
    field(t('coupon'), 'couponCode', { autocomplete: 'off', autocapitalize: 'characters', value: start }),
    h('button', { class: 'button button-quiet', type: 'submit', id: 'apply' }, t('apply')),
    h('p', { class: 'coupon-result', role: 'status' }))
  node.addEventListener('submit', (event) => {
    event.preventDefault()
    apply(node.elements.couponCode.value.trim())
  })
  return {
    node,
    show(coupon, problem) {
      const result = node.querySelector('.coupon-result')
      result.classList.toggle('error', Boolean(problem))
      if (problem) {
        replace(result, explain(problem))
        return
      }
      replace(result, coupon ? h('span', null, t('couponApplied', { code: coupon.code }), ' ') : '',
        coupon && h('button', {
          class: 'text-button', type: 'button', id: 'remove-coupon',
          onclick: () => {
            node.elements.couponCode.value = ''
            apply('')
          },
        }, t('removeCoupon')))
    },
  }
}
