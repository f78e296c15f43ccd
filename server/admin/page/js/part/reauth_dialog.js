// The dialogs that a request waits for: signing in again after the session has ended, and entering
// the password again before something serious. What is on the page stays.

import { html, useSignal } from '../html.js'
import { load } from '../device.js'
import { shopUID } from '../router.js'
import { opened, decline, enter, prove, session, signIn } from '../session.js'
import { t } from '../strings/reauth.js'
import { Problem } from '../api.js'
import { Dialog } from './dialog.js'
import { code, Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { Later } from './later.js'

const loadPasskeyButton = () => import('./passkey_button.js')

export const view = () =>
  opened.value && html`<${ReauthForm} key=${opened.value.kind} kind=${opened.value.kind} />`

function ReauthForm(/** @type {{ kind: 'signIn' | 'prove' }} */ { kind }) {
  const member = session.value?.staffMember
  const factor = member?.secondFactor === 'totp'
  const needsCode = useSignal(false)
  const user = member?.email ?? member?.phoneNumber ?? ''
  const { form, errors, busy, onSubmit } = useForm(['password', 'code'], async (values) => {
    if (kind === 'prove') {
      await prove(factor ? { code: code(values.code) } : { password: values.password })
      return
    }
    try {
      enter(
        await signIn({
          user,
          password: values.password,
          code: values.code ? code(values.code) : undefined,
        }),
      )
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'second_factor_required') throw error
      needsCode.value = true
      if (values.code) throw error
    }
  })
  const isDemo = load('demo-' + (session.value?.shop.uid ?? shopUID.value)) !== null
  const asksPassword = kind === 'signIn' || !factor
  const asksCode = kind === 'prove' ? factor : needsCode.value
  return html`
    <${Dialog}
      title=${t(kind === 'prove' ? 'proveTitle' : 'sessionTitle')}
      text=${t(kind === 'prove' ? 'proveText' : 'sessionText')}
      close=${decline}
      id="reauth"
      free
    >
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        ${isDemo && html`
          <p class="banner info rounded">
            ${icon('info')}
            <span>${t('demo')}</span>
          </p>
        `}
        <input type="hidden" name="user" autocomplete="username" value=${user} />
        ${asksPassword && html`
          <${Field}
            name="password"
            type="password"
            label=${t('password')}
            errors=${errors.value}
            autocomplete="current-password"
            autofocus
          />
        `}
        ${asksCode && html`
          <${Field}
            name="code"
            label=${t('code')}
            hint=${t('codeHint')}
            errors=${errors.value}
            inputmode="numeric"
            autocomplete="one-time-code"
            autofocus
          />
        `}
        <${Submit} busy=${busy.value}>${t(kind === 'prove' ? 'continue' : 'signIn')}<//>
        ${(member?.passkeys ?? 0) > 0 && 'PublicKeyCredential' in window && html`
          <${Later} load=${loadPasskeyButton} kind=${kind} shop=${shopUID.value} enter=${enter} />
        `}
      </form>
    <//>
  `
}
