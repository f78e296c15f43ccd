import { post } from '../api.js'
import { announce, h, replace } from '../dom.js'
import { t } from '../language.js'
import { field, message, onSubmit } from '../part/form.js'
import { go, link } from '../router.js'
import * as session from '../session.js'

/** The ways to sign in, each at an address of its own. */
export function signInForm(query) {
  const way = query.get('by') in ways ? query.get('by') : 'code'
  // a known view, never an address from outside
  const next = query.get('next') === 'checkout' ? 'checkout' : ''
  return {
    title: t('signIn'),
    content: h(
      'div',
      { class: 'sign-in' },
      h('h1', null, t('signIn')),
      h(
        'nav',
        { class: 'ways', 'aria-label': t('waysToSignIn') },
        Object.keys(tabs).map((key) =>
          link(
            { view: 'account', by: key === 'code' ? '' : key, next },
            { 'aria-current': key === (tabOf[way] ?? way) && 'page' },
            t(tabs[key]),
          ),
        ),
      ),
      ways[way]((payload) => {
        session.signIn(payload)
        announce(t('signedIn'))
        go(
          payload.passwordResetRequired ? '/?view=account&reset=1' : `/?view=${next || 'account'}`,
          { replace: true },
        )
      }),
      h('p', { class: 'other-way' }, aside(way, next)),
    ),
  }
}

// aside is the link below a form to the way that belongs to the same tab.
function aside(way, next) {
  const to = { code: 'email', email: 'code', password: 'reset', reset: 'password' }[way]
  const labels = {
    email: 'codeByEmail',
    code: 'codeBySMS',
    reset: 'lostPassword',
    password: 'knowPassword',
  }
  return (
    to &&
    link({ view: 'account', by: to === 'code' ? '' : to, next }, { id: 'by-' + to }, t(labels[to]))
  )
}

// byCode shows the form for the phone number, then the one for the code, with a name if the number
// is new.
const byCode = (done) =>
  inTwoSteps({
    text: 'codeText',
    label: 'phone',
    hint: 'phoneHint',
    name: 'phoneNumber',
    type: 'tel',
    autocomplete: 'tel',
    other: 'otherPhone',
    send: (phoneNumber) => post('/auth/otp/send', { phoneNumber }),
    second: (phoneNumber, { isNewCustomer }) => ({
      sent: t('codeSent', { phone: phoneNumber }),
      label: 'code',
      digits: 4,
      button: 'signIn',
      fields: isNewCustomer ? newCustomer('newHere', 'registeredBefore') : [],
      submit: async (body) => done(await post('/auth/otp/verify', { phoneNumber, ...body })),
    }),
  })

// byEmail does the same with an e-mail address. Only a caller with the code gets name_required, so
// the name is requested then.
const byEmail = (done) =>
  inTwoSteps({
    text: 'emailCodeText',
    label: 'emailAddress',
    name: 'email',
    type: 'email',
    autocomplete: 'email',
    other: 'otherEmail',
    send: (email) => post('/auth/email/send', { email }),
    second: (email) => {
      const extra = h('div', { hidden: true }, newCustomer('newEmailHere', 'registeredEmailBefore'))
      return {
        sent: t('emailCodeSent', { email }),
        label: 'emailCode',
        digits: 6,
        button: 'signIn',
        fields: [extra],
        submit: async (body) => {
          try {
            done(await post('/auth/email/verify', { email, ...body }))
          } catch (error) {
            if (error.errors?.some(({ code }) => code === 'name_required')) extra.hidden = false
            throw error
          }
        },
      }
    },
  })

// byReset sets a new password with a code.
const byReset = (done) =>
  inTwoSteps({
    text: 'resetText',
    label: 'emailAddress',
    name: 'email',
    type: 'email',
    autocomplete: 'email',
    other: 'otherEmail',
    send: (email) => post('/auth/password/forgot', { email }),
    second: (email) => ({
      sent: t('resetSent', { email }),
      label: 'emailCode',
      digits: 6,
      button: 'setPassword',
      fields: [
        field(
          t('newPassword'),
          'newPassword',
          { type: 'password', autocomplete: 'new-password', required: true },
          t('passwordHint'),
        ),
      ],
      submit: async (body) => done(await post('/auth/password/reset', { email, ...body })),
    }),
  })

const newCustomer = (nameHint, passwordHint) => [
  field(t('fullName'), 'name', { autocomplete: 'name' }, t(nameHint)),
  field(
    t('password'),
    'password',
    { type: 'password', autocomplete: 'current-password' },
    t(passwordHint),
  ),
]

// inTwoSteps shows a form for a contact, and once a code is sent to it, the form for the code.
function inTwoSteps(first) {
  const place = h('div')
  showFirst('')
  return place

  function showFirst(value) {
    const { type, autocomplete } = first
    const form = h(
      'form',
      null,
      h('p', null, t(first.text)),
      field(
        t(first.label),
        first.name,
        { type, autocomplete, required: true, value },
        first.hint && t(first.hint),
      ),
      message(),
      h('button', { class: 'button button-wide', type: 'submit', id: 'send-code' }, t('sendCode')),
    )
    onSubmit(form, async ({ [first.name]: contact }) => {
      const result = await first.send(contact)
      showSecond(contact, first.second(contact, result))
    })
    replace(place, form)
  }

  function showSecond(contact, second) {
    const messages = document.querySelector('meta[name="storefront:sms-page"]').content
    const form = h(
      'form',
      null,
      h('p', { role: 'status' }, second.sent),
      messages &&
        h('p', null, h('a', { href: messages, target: '_blank', rel: 'noopener' }, t('demoCode'))),
      field(t(second.label), 'code', {
        inputmode: 'numeric',
        autocomplete: 'one-time-code',
        maxlength: second.digits,
        required: true,
        class: 'code-input',
      }),
      second.fields,
      message(),
      h('button', { class: 'button button-wide', type: 'submit', id: 'verify' }, t(second.button)),
      h(
        'button',
        { class: 'text-button', type: 'button', onclick: () => showFirst(contact) },
        t(first.other),
      ),
    )
    onSubmit(form, second.submit)
    replace(place, form)
    form.elements.code.focus()
  }
}

function byPassword(done) {
  const form = h(
    'form',
    null,
    field(t('user'), 'user', { autocomplete: 'username', required: true }),
    field(t('password'), 'password', {
      type: 'password',
      autocomplete: 'current-password',
      required: true,
    }),
    message(),
    h('button', { class: 'button button-wide', type: 'submit', id: 'login' }, t('signIn')),
  )
  onSubmit(form, async (body) => done(await post('/auth/login', body)))
  return form
}

function register(done) {
  const form = h(
    'form',
    null,
    field(t('fullName'), 'name', { autocomplete: 'name', required: true }),
    field(t('phoneOrEmail'), 'phoneNumber', { type: 'tel', autocomplete: 'tel' }, t('phoneHint')),
    field(t('email'), 'email', { type: 'email', autocomplete: 'email' }),
    field(
      t('password'),
      'password',
      { type: 'password', autocomplete: 'new-password', required: true },
      t('passwordHint'),
    ),
    message(),
    h(
      'button',
      { class: 'button button-wide', type: 'submit', id: 'register' },
      t('createAccount'),
    ),
  )
  onSubmit(form, async (body) => done(await post('/auth/register', body)))
  return form
}

const ways = { code: byCode, email: byEmail, password: byPassword, reset: byReset, register }
const tabs = { code: 'byCode', password: 'byPassword', register: 'register' }
const tabOf = { email: 'code', reset: 'password' } // what a tab leads to
