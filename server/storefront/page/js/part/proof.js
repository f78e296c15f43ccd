// The fields with which a signed-in customer proves more than the access token: the current password, or
// a code sent to the verified phone.

import { post } from '../api.js'
import { h } from '../dom.js'
import { digits, t } from '../language.js'
import { field, showMessage, showProblem } from './form.js'

/**
 * The fields for the form of the customer's account with this id. They are optional: the API reports what
 * it requires.
 */
export function proof(formId, user, attributes = {}) {
  const password = field(t('currentPassword'), 'currentPassword', {
    id: formId + '-currentPassword', type: 'password', autocomplete: 'current-password',
  })
  if (!user.phoneVerified) return h('div', attributes, password)
  const code = field(t('currentCode'), 'currentCode', {
    id: formId + '-currentCode', inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 4, class: 'code-input',
  })
  const send = h('button', {
    class: 'text-button', type: 'button',
    onclick: async ({ target: { form } }) => {
      try {
        await post('/auth/otp/send', { phoneNumber: user.phoneNumber })
        showMessage(form, t('codeSent', { phone: digits(user.phoneNumber) }))
        form.elements.currentCode.focus()
      } catch (error) {
        showProblem(form, error)
      }
    },
  }, t('sendCurrentCode', { phone: digits(user.phoneNumber) }))
  return h('div', attributes, password, code, send)
}
