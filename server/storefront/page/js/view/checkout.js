// The checkout. Each change that could affect the total is sent to the server for a quote, which is
// shown; placing the order sends the total that the buyer has seen.

import { Problem, patch } from '../api.js'
import * as basket from '../basket.js'
import { districts } from '../districts.js'
import { h, replace } from '../dom.js'
import { explain, langOf, money, name, t } from '../language.js'
import { basketLines } from '../part/basket_drawer.js'
import { combobox } from '../part/combobox.js'
import { figures, orderLines } from '../part/figures.js'
import { choice, field, message, onSubmit, read, showMessage } from '../part/form.js'
import { empty, notice } from '../part/states.js'
import { clearAttempt, placeOrder } from '../place_order.js'
import { quoteOrder } from '../quote.js'
import { go, link } from '../router.js'
import * as session from '../session.js'
import { tenant } from '../shop.js'
import { load, save } from '../store.js'
import * as unpaid from '../unpaid.js'

export async function checkout(_, signal) {
  const title = t('checkout')
  const replaced = { order: await unpaid.find(signal) } // by the order that is placed here
  if (basket.isEmpty()) {
    const toProducts = link({ view: 'products' }, { class: 'button' }, t('shopNow'))
    const held = replaced.order && openOrder(replaced.order)
    return {
      title,
      content: h('div', null, h('h1', null, title), held, empty(t('basketEmpty'), '', toProducts)),
    }
  }
  const [shop, places] = await Promise.all([tenant(), districts(signal)])
  const summary = h('div', { class: 'summary-content' })
  const deliveries = h('div')
  const total = h('span')
  const replacing = h('div')
  const draft = load('checkout', draftOf(session.user()), sessionStorage)
  const form = checkoutForm(shop, draft, deliveries, places.find)
  const coupon = couponForm(draft.couponCode, applyCoupon, () => state.refusal && useCoupon(''))

  // Of the latest quote. undecided: the buyer must choose one of the options. refusal: {code,
  // items, problem} of the coupon that was refused.
  const state = {
    quote: null,
    problem: null,
    request: null,
    options: shop.deliveryCharges,
    delivery: null,
    undecided: false,
    refusal: null,
  }
  await fetchQuote()
  draw()

  form.addEventListener('input', ({ target }) => {
    if (target.name === 'deliveryChargeId') draft.chosen = target.value
    saveDraft()
    // The button may be tapped next, with the total of this city.
    if (target.name === 'shippingAddress.city' && places.has(target.value)) requote()
  })
  // not at each key: half a city's name has no delivery charge
  form.addEventListener('change', requote)
  onSubmit(form, place)
  basket.onChange(
    () =>
      basket.isEmpty() ? !form.ariaBusy && go('/?view=checkout', { replace: true }) : requote(),
    { signal },
  )

  return {
    title,
    content: h(
      'div',
      { class: 'checkout' },
      h('h1', null, title),
      form,
      h(
        'section',
        { class: 'summary', 'aria-labelledby': 'summary-title' },
        h('h2', { id: 'summary-title' }, t('summary')),
        replacing,
        summary,
        coupon.node,
        message(form.id),
        h(
          'button',
          { class: 'button button-wide', type: 'submit', form: form.id, id: 'place' },
          t('placeOrder'),
          total,
        ),
      ),
    ),
  }

  function saveDraft() {
    Object.assign(draft, read(form))
    save('checkout', draft, sessionStorage)
  }

  // useCoupon changes the code of the order; '' means none.
  function useCoupon(code) {
    draft.couponCode = code
    state.refusal = null
    coupon.show(null, null)
    saveDraft()
  }

  function applyCoupon(code) {
    useCoupon(code)
    return requote()
  }

  // currentOrder returns the order as filled in. A complete address is included, and the server
  // chooses the delivery charges for it; before that the first charge determines the cost of
  // delivery.
  function currentOrder() {
    const { customer, shippingAddress, paymentMethod, note } = read(form)
    const whole = shippingAddress?.line1 && shippingAddress.city
    return {
      items: basket.items(),
      customer,
      shippingAddress: whole ? shippingAddress : undefined,
      deliveryChargeId: draft.chosen ?? (whole ? undefined : shop.deliveryCharges[0]?._id),
      couponCode: (!isRefused() && draft.couponCode) || undefined,
      paymentMethod,
      note,
      replacesOrderId: replaced.order?._id ?? replaced.none,
    }
  }

  // isRefused reports whether the coupon was refused for what is ordered now. Wrong codes are not
  // sent again: the shop limits them.
  function isRefused() {
    const { refusal } = state
    return (
      refusal !== null &&
      (refusal.problem.code === 'coupon_not_found' || refusal.items === itemsKey())
    )
  }

  // refuse stores why the coupon was refused, which is shown until the code changes.
  function refuse(problem) {
    state.refusal = { problem, items: itemsKey() }
  }

  // keepBoth leaves the unpaid order as it is. An empty ID names none, so that the shop replaces
  // none by itself.
  function keepBoth() {
    clearAttempt()
    unpaid.forget()
    Object.assign(replaced, { order: null, none: '' })
    return requote()
  }

  // fetchQuote requests a quote. It returns false if a later request replaced it.
  async function fetchQuote() {
    state.request?.abort()
    state.request = new AbortController()
    const order = currentOrder()
    let couponProblem
    try {
      const answer = await quoteOrder(order, {
        signal: AbortSignal.any([signal, state.request.signal]),
      })
      const { quote, undecided } = answer
      couponProblem = answer.couponProblem
      Object.assign(state, {
        quote,
        undecided,
        problem: null,
        options: quote.deliveryOptions,
        delivery: undecided ? null : quote.delivery?._id,
      })
    } catch (problem) {
      if (problem.name === 'AbortError') return false
      if (!(problem instanceof Problem)) throw problem
      if (isAboutReplaced(problem)) {
        // it was paid or closed meanwhile
        unpaid.forget()
        replaced.order = null
        return fetchQuote()
      }
      couponProblem = problem.couponProblem
      Object.assign(state, {
        quote: null,
        problem,
        undecided: false,
        options: problem.details.deliveryCharges ?? state.options,
      })
    }
    if (couponProblem) refuse(couponProblem)
    else if (order.couponCode) state.refusal = null
    if (!state.options.some((option) => option._id === draft.chosen)) delete draft.chosen
    coupon.show(state.quote?.coupon, state.refusal?.problem)
    return true
  }

  async function requote() {
    if (basket.isEmpty()) return // the order has just been placed
    summary.setAttribute('aria-busy', 'true')
    if (!(await fetchQuote())) return
    summary.removeAttribute('aria-busy')
    draw()
  }

  function draw() {
    const { quote, problem, undecided } = state
    replace(replacing, replaced.order && replacesNotice(replaced.order, keepBoth))
    const lines = problem?.errors.some((error) => error.field.startsWith('items'))
    replace(
      summary,
      problem && notice('bad', lines ? t('fixBasket') : explain(problem)),
      lines || !quote ? basketLines(null, problem) : orderLines(quote.items),
      quote && figures(quote, { delivery: !undecided }),
      undecided && h('p', { class: 'quiet' }, t('deliveryOpen')),
    )
    const chosen = state.delivery
    const chargeOf = (option) => {
      if (!quote || option._id !== chosen) return money(option.charge)
      return quote.deliveryCharge.amount ? money(quote.deliveryCharge) : t('free')
    }
    replace(
      deliveries,
      undecided && notice('plain', t('chooseDelivery')),
      state.options.length > 0 &&
        choice(
          t('delivery'),
          'deliveryChargeId',
          state.options.map((option) => ({
            value: option._id,
            label: name(option.name),
            text: name(option.estimate),
            checked: option._id === chosen,
            aside: chargeOf(option),
          })),
        ),
    )
    replace(total, quote && !undecided ? ' · ' + money(quote.total) : '')
  }

  async function place() {
    const seen = state.quote?.total.amount
    const code = coupon.code()
    if (code && code !== draft.couponCode) await applyCoupon(code) // typed, and not applied
    if (!state.quote) await requote()
    if (!state.quote) throw state.problem
    if (state.refusal) {
      coupon.focus()
      showMessage(form, t('couponNotApplied'))
      return
    }
    if (state.undecided) {
      deliveries.querySelector('input').focus()
      showMessage(form, t('chooseDelivery'))
      return
    }
    if (seen !== undefined && state.quote.total.amount > seen) {
      // another coupon was applied before
      showMessage(form, t('totalChanged', { total: money(state.quote.total) }))
      return
    }
    // The total that the buyer has seen, even if a newer quote is pending: the server compares
    // them.
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
    if (isAboutReplaced(problem)) {
      clearAttempt()
      await requote()
      showMessage(form, explain(problem))
      return
    }
    switch (problem.code) {
      case 'price_changed':
      case 'delivery_charge_required': // the address changed since the quote
      case 'out_of_stock':
        await requote() // shows the new amounts, or the lines that are out of stock
        showMessage(
          form,
          state.quote ? t('totalChanged', { total: money(state.quote.total) }) : t('notOrdered'),
        )
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
    if (!String(problem.code).startsWith('coupon_')) throw problem
    refuse(problem) // for this buyer, who is not known to a quote
    await requote()
    coupon.focus()
    showMessage(form, t('couponNotApplied'))
  }
}

const itemsKey = () => JSON.stringify(basket.items())

// isAboutReplaced reports whether the order that was to be replaced cannot be replaced.
const isAboutReplaced = (problem) =>
  problem.errors.some((error) => error.field === 'replacesOrderId')

const openOrder = (order) =>
  notice(
    'plain',
    t('openOrderText', { number: order.orderNumber, total: money(order.total) }),
    ' ',
    link({ order: order._id }, { id: 'open-order' }, t('openOrder')),
  )

const replacesNotice = (order, keepBoth) =>
  notice(
    'plain',
    t('replacesOrder', { number: order.orderNumber, total: money(order.total) }),
    ' ',
    link({ order: order._id }, { id: 'open-order' }, t('openOrder')),
    ' · ',
    h(
      'button',
      { class: 'text-button', type: 'button', id: 'keep-both', onclick: keepBoth },
      t('keepBoth'),
    ),
  )

// showOrder opens the order, or the gateway's page. The order replaces the checkout in the history,
// so that going back from the gateway leads to it.
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
  return {
    customer: { name, phoneNumber: phoneNumber ?? '', email: email ?? '' },
    shippingAddress: addresses?.[0] ?? {},
  }
}

async function saveAddress(address) {
  // The order is placed even if this fails.
  await patch('/auth/profile', { address }).then(session.update, () => {})
}

function checkoutForm(shop, draft, deliveries, findDistricts) {
  const { customer = {}, shippingAddress = {} } = draft
  const user = session.user()
  return h(
    'form',
    { class: 'checkout-form', id: 'checkout-form' },
    h(
      'section',
      null,
      h('h2', null, t('yourDetails')),
      h(
        'p',
        { class: 'quiet' },
        user
          ? t('signedInAs', { name: user.name })
          : [t('guestHint'), ' ', link({ view: 'account', next: 'checkout' }, null, t('signIn'))],
      ),
      h(
        'div',
        { class: 'fields' },
        field(t('fullName'), 'customer.name', {
          autocomplete: 'name',
          required: true,
          value: customer.name,
        }),
        field(
          t('phone'),
          'customer.phoneNumber',
          { type: 'tel', autocomplete: 'tel', required: true, value: customer.phoneNumber },
          t('phoneHint'),
        ),
        field(t('email'), 'customer.email', {
          type: 'email',
          autocomplete: 'email',
          value: customer.email,
        }),
      ),
    ),
    h(
      'section',
      null,
      h('h2', null, t('address')),
      h(
        'div',
        { class: 'fields fields-address' },
        field(t('line1'), 'shippingAddress.line1', {
          autocomplete: 'address-line1',
          required: true,
          value: shippingAddress.line1,
        }),
        field(t('area'), 'shippingAddress.area', {
          autocomplete: 'address-level3',
          value: shippingAddress.area,
        }),
        combobox(
          t('city'),
          'shippingAddress.city',
          {
            autocomplete: 'address-level2',
            required: true,
            value: shippingAddress.city,
          },
          findDistricts,
        ),
        field(t('postcode'), 'shippingAddress.postcode', {
          autocomplete: 'postal-code',
          value: shippingAddress.postcode,
        }),
      ),
      user &&
        h(
          'label',
          { class: 'filter-check' },
          h('input', { type: 'checkbox', id: 'remember', value: '' }),
          t('rememberAddress'),
        ),
    ),
    deliveries,
    choice(
      t('paymentMethod'),
      'paymentMethod',
      shop.paymentMethods.map((method) => ({
        value: method,
        label: t('method_' + method),
        text: t('methodText_' + method),
        checked: method === (draft.paymentMethod ?? shop.paymentMethods[0]),
      })),
    ),
    field(t('note'), 'note', { type: 'textarea', rows: 2, value: draft.note }),
  )
}

// couponForm is the input for a code, and its result. onType is called when the code changes.
function couponForm(start, apply, onType) {
  const node = h(
    'form',
    { class: 'coupon' },
    field(t('coupon'), 'couponCode', {
      autocomplete: 'off',
      autocapitalize: 'characters',
      value: start,
    }),
    h('button', { class: 'button button-quiet', type: 'submit', id: 'apply' }, t('apply')),
    h('p', { class: 'coupon-result', role: 'status' }),
  )
  const input = node.elements.couponCode
  const result = node.querySelector('.coupon-result')
  node.addEventListener('submit', (event) => {
    event.preventDefault()
    apply(input.value.trim())
  })
  input.addEventListener('input', onType)
  let shown = '' // a status that did not change is not read out again
  return {
    node,
    code: () => input.value.trim(),
    focus: () => input.focus(),
    show(coupon, problem) {
      const text = problem
        ? explain(problem)
        : coupon
          ? t('couponApplied', { code: coupon.code })
          : ''
      if (text === shown) return
      shown = text
      const login = problem?.code === 'coupon_requires_login'
      replace(
        result,
        text && [
          h('span', { class: problem ? 'error' : null }, text),
          ' ',
          login &&
            link({ view: 'account', next: 'checkout' }, { id: 'coupon-sign-in' }, t('signIn')),
          ' ',
          h(
            'button',
            {
              class: 'text-button',
              type: 'button',
              id: 'remove-coupon',
              onclick: () => {
                input.value = ''
                apply('')
              },
            },
            t('removeCoupon'),
          ),
        ],
      )
    },
  }
}
