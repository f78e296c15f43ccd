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
    content: h(
      'div',
      { class: 'account' },
      h(
        'div',
        { class: 'list-head' },
        h('h1', null, t('welcome', { name: user.name })),
        h(
          'p',
          { class: 'quiet' },
          [user.phoneNumber && digits(user.phoneNumber), user.email].filter(Boolean).join(' · '),
        ),
        h(
          'button',
          {
            class: 'text-button',
            type: 'button',
            id: 'sign-out',
            onclick: () => {
              // Tokens are stateless: deleting the token signs out, the request only notifies the
              // shop.
              post('/auth/logout').catch(() => {})
              session.signOut()
              go('/')
            },
          },
          t('signOut'),
        ),
      ),
      query.has('reset') && notice('plain', t('passwordReset')),
      h(
        'section',
        { 'aria-labelledby': 'orders-title' },
        h('h2', { id: 'orders-title' }, t('yourOrders')),
        first.nodes.length
          ? list
          : empty(t('noOrders'), '', link({ view: 'products' }, { class: 'button' }, t('shopNow'))),
        more,
      ),
      profileForm(user),
      phoneForm(user),
      emailForm(user),
      passwordForm(user, query.has('reset')),
      everywhereForm(),
    ),
  }

  function drawMore({ hasNextPage, currentPage }) {
    replace(
      more,
      hasNextPage &&
        h(
          'button',
          {
            class: 'button button-quiet',
            type: 'button',
            id: 'more-orders',
            onclick: async () => {
              const { nodes, meta } = await get(
                '/orders',
                { limit: pageSize, page: currentPage + 1 },
                { signal },
              )
              const rows = nodes.map(orderRow)
              list.append(...rows)
              drawMore(meta)
              rows[0]?.querySelector('a').focus()
            },
          },
          t('more'),
        ),
    )
  }
}

const picturesAtMost = 3

function orderRow(order) {
  const count = order.items.reduce((sum, item) => sum + item.quantity, 0)
  return h(
    'li',
    { class: 'order-row' },
    h(
      'div',
      { class: 'order-row-pictures', 'aria-hidden': 'true' },
      order.items
        .slice(0, picturesAtMost)
        .map((item) => picture(item.imageUrl && { url: item.imageUrl }, 56)),
    ),
    link(
      { order: order._id },
      { class: 'order-row-link' },
      t('order', { number: order.orderNumber }),
    ),
    h('span', { class: 'quiet' }, `${date(order.placedAt)} · ${t('orderItems', { count })}`),
    h('span', { class: 'tag tag-' + order.status }, t('status_' + order.status)),
    h('span', { class: 'order-row-total' }, money(order.total)),
  )
}

function profileForm(user) {
  const owner = proof('profile', user, { hidden: true }) // until the API requires it
  const form = h(
    'form',
    { class: 'fields', id: 'profile' },
    field(t('fullName'), 'name', { autocomplete: 'name', required: true, value: user.name }),
    field(t('email'), 'email', { type: 'email', autocomplete: 'email', value: user.email }),
    owner,
    message(),
    h('button', { class: 'button button-quiet', type: 'submit' }, t('saveDetails')),
  )
  onSubmit(form, async ({ email, ...body }) => {
    try {
      // An empty text removes the e-mail address; a missing field is not changed.
      user = await patch('/auth/profile', { ...body, email: user.email ? (email ?? '') : email })
    } catch (error) {
      if (error.code === 'reauthentication_required') owner.hidden = false
      throw error
    }
    session.update(user)
    owner.hidden = true
    owner.querySelectorAll('input').forEach((input) => {
      input.value = ''
    })
    showMessage(form, t('saved'))
  })
  return h('details', null, h('summary', null, t('yourDetails')), form)
}

// contactForm verifies the phone or the e-mail address of the account, or another one, with a code.
// Only a verified one can sign in with a code and finds the orders that were placed with it.
function contactForm(
  user,
  {
    kind,
    name,
    value,
    verified,
    type,
    autocomplete,
    hint,
    digits: length,
    code: codeLabel,
    send,
    verify,
    texts,
  },
) {
  const codePart = h(
    'div',
    { hidden: true },
    field(t(codeLabel), 'code', {
      id: kind + '-code',
      inputmode: 'numeric',
      autocomplete: 'one-time-code',
      maxlength: length,
      class: 'code-input',
    }),
  )
  const owner = proof(kind, user, { hidden: true }) // until the API requires it
  const button = h('button', { class: 'button button-quiet', type: 'submit' }, t('sendCode'))
  const form = h(
    'form',
    { class: 'fields', id: kind },
    value &&
      h('p', null, t(verified ? texts.verified : texts.unverified, { contact: digits(value) })),
    field(
      t(kind === 'email' ? 'emailAddress' : kind),
      name,
      {
        id: kind + '-contact',
        type,
        autocomplete,
        required: true,
        value: verified ? '' : value,
        oninput: () => waitForCode(false), // a code is valid for the contact that it was sent to
      },
      hint && t(hint),
    ),
    codePart,
    owner,
    message(),
    button,
  )
  onSubmit(form, async ({ [name]: contact, code, currentPassword, currentCode }) => {
    if (codePart.hidden) {
      await post(send, { [name]: contact })
      waitForCode(true)
      showMessage(form, t(texts.sent, { phone: contact, email: contact }))
      form.elements.code.focus()
      return
    }
    try {
      session.signIn(
        await post(verify, { [name]: contact, code, password: currentPassword, currentCode }),
      )
    } catch (error) {
      if (error.code === 'reauthentication_required') owner.hidden = false
      throw error
    }
    await refresh()
    announce(t('saved'))
  })
  return h('details', null, h('summary', null, t(texts.title)), form)

  function waitForCode(waiting) {
    codePart.hidden = !waiting
    button.textContent = t(waiting ? 'verifyContact' : 'sendCode')
  }
}

const phoneForm = (user) =>
  contactForm(user, {
    kind: 'phone',
    name: 'phoneNumber',
    value: user.phoneNumber,
    verified: user.phoneVerified,
    type: 'tel',
    autocomplete: 'tel',
    hint: 'phoneHint',
    digits: 4,
    code: 'code',
    send: '/auth/otp/send',
    verify: '/auth/otp/verify',
    texts: {
      title: 'yourPhone',
      verified: 'contactVerified',
      unverified: 'phoneUnverified',
      sent: 'codeSent',
    },
  })

const emailForm = (user) =>
  contactForm(user, {
    kind: 'email',
    name: 'email',
    value: user.email,
    verified: user.emailVerified,
    type: 'email',
    autocomplete: 'email',
    digits: 6,
    code: 'emailCode',
    send: '/auth/email/send',
    verify: '/auth/email/verify',
    texts: {
      title: 'yourEmail',
      verified: 'contactVerified',
      unverified: 'emailUnverified',
      sent: 'emailCodeSent',
    },
  })

function passwordForm(user, open) {
  const form = h(
    'form',
    { class: 'fields', id: 'password' },
    proof('password', user),
    field(
      t('newPassword'),
      'newPassword',
      { type: 'password', autocomplete: 'new-password', required: true },
      t('passwordHint'),
    ),
    message(),
    h('button', { class: 'button button-quiet', type: 'submit' }, t('changePassword')),
  )
  onSubmit(form, async (body) => {
    // Older tokens stop working; the response contains a new one.
    session.signIn(await post('/auth/change-password', body))
    await refresh()
    announce(t('passwordChanged'))
  })
  return h('details', { open }, h('summary', null, t('changePassword')), form)
}

function everywhereForm() {
  const form = h(
    'form',
    { class: 'fields' },
    h('p', null, t('signOutEverywhereText')),
    message(),
    h(
      'button',
      { class: 'button button-quiet', type: 'submit', id: 'sign-out-everywhere' },
      t('signOutEverywhere'),
    ),
  )
  onSubmit(form, async () => {
    await post('/auth/logout', { everywhere: true })
    session.signOut()
    go('/')
  })
  return h('details', null, h('summary', null, t('signOutEverywhere')), form)
}
