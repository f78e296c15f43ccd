// Links: an invitation, a new password, or the sign-in to the demo. The token stands after #, so
// that no log contains it, and is removed from the address once it is used.

import { html, useEffect, useSignal } from '../html.js'
import { Problem, send } from '../api.js'
import { save } from '../device.js'
import { language, name, phone, typedPhone } from '../i18n.js'
import { open, route, to } from '../router.js'
import { enter } from '../session.js'
import { t as reauth } from '../strings/reauth.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/sign_in.js'
import { Field, formError, Submit, useForm } from '../part/form.js'
import { Failed, Skeleton, skeletonRows } from '../part/states.js'
import { SignInLayout } from './sign_in.js'

const post = async (/** @type {string} */ path, /** @type {any} */ body) =>
  (await send('POST', path, { body, recover: false })).data

/** @typedef {import('../api.js').Schemas['LinkUse']} LinkUse */

export function view() {
  const token = route.value.id
  const info = useSignal(/** @type {LinkUse | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  async function inspect() {
    problem.value = null
    try {
      const found = await post('links/inspect', { token })
      if (found.kind !== 'demo') {
        info.value = found
        return
      }
      const session = await post('links/use', { token })
      save('demo-' + session.shop.uid, 'yes')
      finish(session)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problem.value = error
    }
  }
  useEffect(() => {
    inspect()
  }, [token])
  if (
    problem.value &&
    !/^(link_invalid|tenant_not_found|not_found|validation_failed)$/.test(problem.value.code)
  ) {
    return html`
      <main class="sign-in">
        <${Failed} problem=${problem.value} retry=${inspect} />
      </main>
    `
  }
  if (problem.value)
    return html`
      <${SignInLayout} title=${t('linkTitle')} text=${t('linkText')}>
        <a class="button primary big" href=${to('home')}>${reauth('signIn')}</a>
      <//>
    `
  if (!info.value)
    return html`
      <${SignInLayout} title=${t('demoTitle')}>
        <${Skeleton}>${skeletonRows(2)}<//>
      <//>
    `
  return html`<${Use} info=${info.value} token=${token} />`
}

function finish(/** @type {import('../session.js').Session} */ session) {
  enter(session)
  open(to('home'), { replace: true })
}

function Use(/** @type {{ info: LinkUse, token: string }} */ { info, token }) {
  const { kind, staffMember, shop } = info
  const isInvite = kind === 'invite'
  const { form, errors, busy, onSubmit } = useForm(['name', 'password'], async (values) => {
    finish(
      await post('links/use', {
        token,
        password: values.password,
        ...(isInvite ? { name: values.name || undefined, language: language.value } : {}),
      }),
    )
  })
  return html`
    <${SignInLayout}
      title=${t(isInvite ? 'inviteTitle' : 'resetTitle', { shop: name(shop.name) })}
      text=${isInvite
        ? t(info.invitedBy ? 'inviteBy' : 'inviteText', {
            name: info.invitedBy,
            role: common.dynamic('role_' + staffMember.role),
          })
        : t('resetText')}
    >
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <p class="small quiet">
          ${t('as', {
            name:
              staffMember.email ??
              (staffMember.phoneNumber ? phone(staffMember.phoneNumber) : staffMember.name),
          })}
        </p>
        <input
          type="hidden"
          name="user"
          autocomplete="username"
          value=${staffMember.email ?? typedPhone(staffMember.phoneNumber ?? '')}
        />
        ${isInvite && html`
          <${Field}
            name="name"
            label=${t('name')}
            value=${staffMember.name}
            errors=${errors.value}
            autocomplete="name"
          />
        `}
        <${Field}
          name="password"
          type="password"
          label=${t('newPassword')}
          hint=${t('passwordHint')}
          errors=${errors.value}
          autocomplete="new-password"
        />
        <${Submit} busy=${busy.value}>${t(isInvite ? 'start' : 'setPassword')}<//>
      </form>
    <//>
  `
}
