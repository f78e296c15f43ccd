// The fields with which a signed-in customer proves more than the access token: the current
// password, or a code sent to the verified phone or e-mail address.

import { post } from '../api.js'
import { h } from '../dom.js'
import { digits, t } from '../language.js'
import { field, showMessage, showProblem } from './form.js'

/**
 * The fields for the form of the customer's account with this id. They are optional: the API
 * reports what it requires.
 */
export function proof(formId, user, attributes = {}) {
  const password = field(t('currentPassword'), 'currentPassword', {
    id: formId + '-currentPassword',
    type: 'password',
    autocomplete: 'current-password',
  })
  const contacts = [
    user.phoneVerified && {
      path: '/auth/otp/send',
      body: { phoneNumber: user.phoneNumber },
      to: digits(user.phoneNumber),
      sent: 'codeSent',
    },
    user.emailVerified && {
      path: '/auth/email/send',
      body: { email: user.email },
      to: user.email,
      sent: 'emailCodeSent',
    },
  ].filter(Boolean)
  if (!contacts.length) return h('div', attributes, password)
  const code = field(t('currentCode'), 'currentCode', {
    id: formId + '-currentCode',
    inputmode: 'numeric',
    autocomplete: 'one-time-code',
    maxlength: 6,
    class: 'code-input',
  })
  const send = contacts.map(({ path, body, to, sent }) =>
    h(
      'button',
      {
        class: 'text-button',
        type: 'button',
        onclick: async ({ target: { form } }) => {
          try {
            await post(path, body)
            showMessage(form, t(sent, { phone: to, email: to }))
            form.elements.currentCode.focus()
          } catch (error) {
            showProblem(form, error)
          }
        },
      },
      t('sendCurrentCode', { to }),
    ),
  )
  return h('div', attributes, password, code, send)
}
