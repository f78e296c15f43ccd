import { get, patch, post } from '../api.js'
import { announce, h, replace } from '../dom.js'
import { date, digits, money, t } from '../language.js'
import { field, message, onSubmit, showMessage } from '../part/form.js'
import { picture } from '../part/product_card.js'
import { proof } from '../part/proof.js'
import { empty, notice } from '../part/states.js'
import { go, link, refresh } from '../router.js'
import * as session from '../session.js'
import { signInForm } from './sign_in.js'

/** The account of the signed-in customer, otherwise the sign-in form. */
export function account(query, signal) {
  return session.user() ? overview(query, signal) : signInForm(query)
}

const pageSize = 10

async function overview(query, signal) {
  const [user, first] = await Promise.all([
    get('/auth/me', {}, { signal }),
    get('/orders', { limit: pageSize }, { signal }),
  ])
  const list = h('ul', { class: 'orders' }, first.nodes.map(orderRow))
  const more = h('p', { class: 'actions' })
  drawMore(first.meta)
  return {
    title: t('account'),
    content: h('div', { class: 'account' },
      h('div', { class: 'list-head' },
        h('h1', null, t('welcome', { name: user.name })),
        h('p', { class: 'quiet' }, [user.phoneNumber && digits(user.phoneNumber), user.email].filter(Boolean).join(' · ')),
        h('button', {
          class: 'text-button', type: 'button', id: 'sign-out',
          onclick: () => {
            // Tokens are stateless: deleting the token signs out, the request only notifies the shop.
            post('/auth/logout').catch(() => {})
            session.signOut()
            go('/')
          },
        }, t('signOut'))),
      query.has('reset') && notice('plain', t('passwordReset')),
      h('section', { 'aria-labelledby': 'orders-title' },
        h('h2', { id: 'orders-title' }, t('yourOrders')),
        first.nodes.length ? list : empty(t('noOrders'), '', link({ view: 'products' }, { class: 'button' }, t('shopNow'))),
        more),
      profileForm(user),
      phoneForm(user),
      passwordForm(user, query.has('reset')),
      everywhereForm()),
  }

  function drawMore({ hasNextPage, currentPage }) {
    replace(more, hasNextPage && h('button', {
      class: 'button button-quiet', type: 'button', id: 'more-orders',
      onclick: async () => {
        const { nodes, meta } = await get('/orders', { limit: pageSize, page: currentPage + 1 }, { signal })
        const rows = nodes.map(orderRow)
        list.append(...rows)
        drawMore(meta)
        rows[0]?.querySelector('a').focus()
      },
    }, t('more')))
  }
}

const picturesAtMost = 3

const orderRow = (order) =>
  h('li', { class: 'order-row' },
    h('div', { class: 'order-row-pictures', 'aria-hidden': 'true' },
      order.items.slice(0, picturesAtMost).map((item) => picture(item.imageUrl && { url: item.imageUrl }, 56))),
    link({ order: order._id }, { class: 'order-row-link' }, t('order', { number: order.orderNumber })),
    h('span', { class: 'quiet' }, `${date(order.placedAt)} · ${t('orderItems', { count: order.items.reduce((sum, item) => sum + item.quantity, 0) })}`),
    h('span', { class: 'tag tag-' + order.status }, t('status_' + order.status)),
    h('span', { class: 'order-row-total' }, money(order.total)))

function profileForm(user) {
  const owner = proof('profile', user, { hidden: true }) // until the API requires it
  const form = h('form', { class: 'fields', id: 'profile' },
    field(t('fullName'), 'name', { autocomplete: 'name', required: true, value: user.name }),
    field(t('email'), 'email', { type: 'email', autocomplete: 'email', value: user.email }),
    owner,
    message(),
    h('button', { class: 'button button-quiet', type: 'submit' }, t('saveDetails')))
  onSubmit(form, async ({ email, ...body }) => {
    try {
      // An empty text removes the e-mail address; a missing field is not changed.
      user = await patch('/auth/profile', { ...body, email: user.email ? email ?? '' : email })
    } catch (error) {
      if (error.code === 'reauthentication_required') owner.hidden = false
      throw error
    }
    session.update(user)
    owner.hidden = true
    owner.querySelectorAll('input').forEach((input) => { input.value = '' })
    showMessage(form, t('saved'))
  })
  return h('details', null, h('summary', null, t('yourDetails')), form)
}

// phoneForm verifies the phone of the account, or another one, with a code. Only a verified phone can sign
// in with a code and finds the orders that were placed with it.
function phoneForm(user) {
  const codePart = h('div', { hidden: true },
    field(t('code'), 'code', { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 4, class: 'code-input' }))
  const owner = proof('phone', user, { hidden: true }) // until the API requires it
  const button = h('button', { class: 'button button-quiet', type: 'submit' }, t('sendCode'))
  const form = h('form', { class: 'fields', id: 'phone' },
    user.phoneNumber && h('p', null, t(user.phoneVerified ? 'phoneVerified' : 'phoneUnverified', { phone: digits(user.phoneNumber) })),
    field(t('phone'), 'phoneNumber', {
      type: 'tel', autocomplete: 'tel', required: true, value: user.phoneVerified ? '' : user.phoneNumber,
      oninput: () => waitForCode(false), // a code is valid for the phone that it was sent to
    }, t('phoneHint')),
    codePart,
    owner,
    message(),
    button)
  onSubmit(form, async ({ phoneNumber, code, currentPassword, currentCode }) => {
    if (codePart.hidden) {
      await post('/auth/otp/send', { phoneNumber })
      waitForCode(true)
      showMessage(form, t('codeSent', { phone: phoneNumber }))
      form.elements.code.focus()
      return
    }
    try {
      session.signIn(await post('/auth/otp/verify', { phoneNumber, code, password: currentPassword, currentCode }))
    } catch (error) {
      if (error.code === 'reauthentication_required') owner.hidden = false
      throw error
    }
    await refresh()
    announce(t('saved'))
  })
  return h('details', null, h('summary', null, t('yourPhone')), form)

  function waitForCode(waiting) {
    codePart.hidden = !waiting
    button.textContent = t(waiting ? 'verifyPhone' : 'sendCode')
  }
}

function passwordForm(user, open) {
  const form = h('form', { class: 'fields', id: 'password' },
    proof('password', user),
    field(t('newPassword'), 'newPassword', { type: 'password', autocomplete: 'new-password', required: true }, t('passwordHint')),
    message(),
    h('button', { class: 'button button-quiet', type: 'submit' }, t('changePassword')))
  onSubmit(form, async (body) => {
    // Older tokens stop working; the response contains a new one.
    session.signIn(await post('/auth/change-password', body))
    await refresh()
    announce(t('passwordChanged'))
  })
  return h('details', { open }, h('summary', null, t('changePassword')), form)
}

function everywhereForm() {
  const form = h('form', { class: 'fields' },
    h('p', null, t('signOutEverywhereText')),
    message(),
    h('button', { class: 'button button-quiet', type: 'submit', id: 'sign-out-everywhere' }, t('signOutEverywhere')))
  onSubmit(form, async () => {
    await post('/auth/logout', { everywhere: true })
    session.signOut()
    go('/')
  })
  return h('details', null, h('summary', null, t('signOutEverywhere')), form)
}
