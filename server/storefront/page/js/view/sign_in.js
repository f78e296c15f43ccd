import { post } from '../api.js'
import { announce, h, replace } from '../dom.js'
import { t } from '../language.js'
import { field, message, onSubmit } from '../part/form.js'
import { go, link } from '../router.js'
import * as session from '../session.js'

const ways = { code: byCode, password: byPassword, register }

/** Three ways to sign in, each at an address of its own. */
export function signInForm(query) {
  const way = query.get('by') in ways ? query.get('by') : 'code'
  const next = query.get('next') === 'checkout' ? 'checkout' : '' // a known view, never an address from outside
  const labels = { code: 'byCode', password: 'byPassword', register: 'register' }
  return {
    title: t('signIn'),
    content: h('div', { class: 'sign-in' },
      h('h1', null, t('signIn')),
      h('nav', { class: 'ways', 'aria-label': t('waysToSignIn') }, Object.keys(ways).map((key) =>
        link({ view: 'account', by: key === 'code' ? '' : key, next }, { 'aria-current': key === way && 'page' }, t(labels[key])))),
      ways[way]((payload) => {
        session.signIn(payload)
        announce(t('signedIn'))
        go(payload.passwordResetRequired ? '/?view=account&reset=1' : `/?view=${next || 'account'}`, { replace: true })
      })),
  }
}

// byCode shows the form for the phone number, then the one for the code, with a name if the number is
// new.
function byCode(done) {
  const place = h('div')
  showPhoneForm('')
  return place

  function showPhoneForm(phoneNumber) {
    const form = h('form', null,
      h('p', null, t('codeText')),
      field(t('phone'), 'phoneNumber', { type: 'tel', autocomplete: 'tel', required: true, value: phoneNumber }, t('phoneHint')),
      message(),
      h('button', { class: 'button button-wide', type: 'submit', id: 'send-code' }, t('sendCode')))
    onSubmit(form, async ({ phoneNumber }) => {
      const { isNewCustomer } = await post('/auth/otp/send', { phoneNumber })
      showCodeForm(phoneNumber, isNewCustomer)
    })
    replace(place, form)
  }

  function showCodeForm(phoneNumber, isNewCustomer) {
    const sms = document.querySelector('meta[name="storefront:sms-page"]').content
    const form = h('form', null,
      h('p', { role: 'status' }, t('codeSent', { phone: phoneNumber })),
      sms && h('p', null, h('a', { href: sms, target: '_blank', rel: 'noopener' }, t('demoCode'))),
      field(t('code'), 'code', { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 4, required: true, class: 'code-input' }),
      isNewCustomer && field(t('fullName'), 'name', { autocomplete: 'name' }, t('newHere')),
      isNewCustomer && field(t('password'), 'password', { type: 'password', autocomplete: 'current-password' }, t('registeredBefore')),
      message(),
      h('button', { class: 'button button-wide', type: 'submit', id: 'verify' }, t('signIn')),
      h('button', { class: 'text-button', type: 'button', onclick: () => showPhoneForm(phoneNumber) }, t('otherPhone')))
    onSubmit(form, async (body) => done(await post('/auth/otp/verify', { phoneNumber, ...body })))
    replace(place, form)
    form.elements.code.focus()
  }
}

function byPassword(done) {
  const form = h('form', null,
    field(t('user'), 'user', { autocomplete: 'username', required: true }),
    field(t('password'), 'password', { type: 'password', autocomplete: 'current-password', required: true }),
    message(),
    h('button', { class: 'button button-wide', type: 'submit', id: 'login' }, t('signIn')))
  onSubmit(form, async (body) => done(await post('/auth/login', body)))
  return form
}

function register(done) {
  const form = h('form', null,
    field(t('fullName'), 'name', { autocomplete: 'name', required: true }),
    field(t('phoneOrEmail'), 'phoneNumber', { type: 'tel', autocomplete: 'tel' }, t('phoneHint')),
    field(t('email'), 'email', { type: 'email', autocomplete: 'email' }),
    field(t('password'), 'password', { type: 'password', autocomplete: 'new-password', required: true }, t('passwordHint')),
    message(),
    h('button', { class: 'button button-wide', type: 'submit', id: 'register' }, t('createAccount')))
  onSubmit(form, async (body) => done(await post('/auth/register', body)))
  return form
}
