// What concerns the person alone: name, device, password, second factor, sessions.

import { html, useEffect, useSignal } from '../html.js'
import { act, get, Problem } from '../api.js'
import { ago, language, setLanguage } from '../i18n.js'
import { setSingleKeys, singleKeys } from '../keys.js'
import { setSound, sound } from '../live.js'
import { changed, useGet } from '../resource.js'
import { to } from '../router.js'
import { enter, session, setTheme, signOut, theme, updateMe } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/account.js'
import { explain } from '../strings/problem.js'
import { browserName } from '../part/agent.js'
import { code, Field, formError, Segments, Submit, useForm, useUnsaved } from '../part/form.js'
import { icon } from '../part/icon.js'
import { Later } from '../part/later.js'
import { RecoveryCodes } from '../part/recovery_codes.js'
import { Failed } from '../part/states.js'
import { copy, showToast } from '../part/toast.js'

const fail = (/** @type {unknown} */ error) => {
  if (!(error instanceof Problem)) throw error
  showToast(explain(error), { bad: true })
}

export function view() {
  const s = session.value
  return (
    s && html`
      <div class="stack narrow account">
        <div class="head first">
          <h1 tabindex="-1">${t('title')}</h1>
        </div>
        ${s.secondFactorSetupRequired && html`
          <p class="banner rounded" role="status">
            ${icon('lock')}
            <span>${t('factorRequired')}</span>
          </p>
        `}
        <${Me} />
        <a class="card fold" href=${to('notifications')}>
          ${icon('bell')}
          <span class="grow">${common('notifications')}</span>
          ${icon('chevron-right', 'mini')}
        </a>
        <${Device} />
        <${Password} />
        <${Factor} />
        <${Passkeys} />
        <${Sessions} />
        <button class="button" id="sign-out" onClick=${() => signOut().catch(fail)}>
          ${icon('log-out')}
          ${common('signOut')}
        </button>
        <p class="small quiet row spread">
          <span>${t('version', { version: s.version })}</span>
          <a class="reach" href="/admin/docs">${t('reference')}</a>
        </p>
      </div>
    `
  )
}

function Me() {
  const member = session.value?.staffMember
  const { form, errors, busy, onSubmit } = useForm(['name'], async (values) => {
    await updateMe({ name: values.name })
    showToast(common('saved'))
  })
  useUnsaved(form)
  return html`
    <section class="card section stack">
      <h2>${t('me')}</h2>
      <p class="quiet small breaks">
        ${member?.email ?? member?.phoneNumber} ·${' ' + common.dynamic('role_' + member?.role)}
      </p>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="name"
          label=${t('name')}
          value=${member?.name}
          errors=${errors.value}
          autocomplete="name"
        />
        <${Submit} busy=${busy.value} kind="">${common('save')}<//>
      </form>
    </section>
  `
}

/** @type {[string, string][]} */
const onOff = [
  ['on', 'on'],
  ['off', 'off'],
]

function Device() {
  const switches = () =>
    onOff.map(([key]) => /** @type {[string, string]} */ ([key, t.dynamic(key)]))
  return html`
    <section class="card section stack">
      <h2>${t('device')}</h2>
      <${Segments}
        name="language"
        label=${t('language')}
        value=${language.value}
        choices=${[
          ['en', 'English'],
          ['bn', 'বাংলা'],
        ]}
        onChange=${(/** @type {any} */ to) => {
          setLanguage(to)
          updateMe({ language: to }).catch(fail)
        }}
      />
      <${Segments}
        name="theme"
        label=${t('theme')}
        value=${theme.value}
        choices=${['system', 'light', 'dark'].map((theme) => [theme, common.dynamic(theme)])}
        onChange=${(/** @type {string} */ to) => {
          setTheme(to)
          updateMe({ theme: to }).catch(fail)
        }}
      />
      <${Segments}
        name="sound"
        label=${t('sound')}
        value=${sound.value}
        choices=${['off', 'on', 'seen'].map((sound) => [sound, t.dynamic('sound_' + sound)])}
        onChange=${setSound}
      />
      <${Segments}
        name="keys"
        label=${t('keys')}
        value=${singleKeys.value ? 'on' : 'off'}
        choices=${switches()}
        onChange=${(/** @type {string} */ to) => setSingleKeys(to === 'on')}
      />
    </section>
  `
}

function Password() {
  const turn = useSignal(0)
  const { form, errors, busy, onSubmit } = useForm(
    ['currentPassword', 'newPassword'],
    async (values) => {
      try {
        enter(await act('me/password', values))
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'invalid_credentials') throw error
        throw new Problem(401, {
          errors: [{ field: 'currentPassword', code: 'invalid_credentials', message: '' }],
        })
      }
      showToast(t('changed'))
      turn.value++
      changed()
    },
  )
  useUnsaved(form)
  return html`
    <section class="card">
      <details>
        <summary class="fold">
          ${icon('key-round')}
          <span class="grow">${t('password')}</span>
          ${icon('chevron-down', 'mini')}
        </summary>
        <form ref=${form} key=${turn.value} onSubmit=${onSubmit} class="section stack" novalidate>
          ${formError(errors.value)}
          <${Field}
            name="currentPassword"
            type="password"
            label=${t('current')}
            errors=${errors.value}
            autocomplete="current-password"
          />
          <${Field}
            name="newPassword"
            type="password"
            label=${t('new')}
            hint=${t('passwordHint')}
            errors=${errors.value}
            autocomplete="new-password"
          />
          <${Submit} busy=${busy.value} kind="">${t('change')}<//>
        </form>
      </details>
    </section>
  `
}

function Factor() {
  const s = session.value
  const isOn = s?.staffMember.secondFactor === 'totp'
  const setup = useSignal(/** @type {import('../api.js').Schemas['TOTPSetup'] | null} */ (null))
  const codes = useSignal(/** @type {string[]} */ ([]))
  const { form, errors, busy, onSubmit } = useForm(['code'], async (values) => {
    try {
      codes.value = (await act('me/totp/confirm', { code: code(values.code) })).recoveryCodes
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'invalid_credentials') throw error
      throw new Problem(401, { errors: [{ field: 'code', code: 'otp_invalid', message: '' }] })
    }
    setup.value = null
  })
  async function reload() {
    codes.value = []
    enter(await get('session'))
    changed()
  }
  const begin = () =>
    act('me/totp').then((started) => {
      setup.value = started
    }, fail)
  const remove = () => act('me/totp', {}, { method: 'DELETE' }).then(reload).catch(fail)
  useEffect(() => {
    if (s?.secondFactorSetupRequired && !setup.value) begin()
  }, [])
  return html`
    <section class="card section stack" id="factor">
      <h2>${t('factor')}</h2>
      <p class="quiet">
        ${isOn ? t('factorOn', { count: s?.staffMember.recoveryCodes ?? 0 }) : t('factorOff')}
      </p>
      ${setup.value
        ? html`
            <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
              ${formError(errors.value)}
              <p>${t('setUpText')}</p>
              ${setup.value.qrSvg && html`
                <img
                  class="qr"
                  alt=""
                  src=${'data:image/svg+xml,' + encodeURIComponent(setup.value.qrSvg)}
                />
              `}
              <div class="row wraps">
                <a class="button mini" href=${setup.value.uri}>
                  ${icon('smartphone', 'mini')}
                  ${t('openApp')}
                </a>
                <button
                  type="button"
                  class="button mini"
                  onClick=${() => copy(setup.value?.secret ?? '')}
                >
                  ${icon('copy', 'mini')}
                  ${t('key')}
                </button>
              </div>
              <p class="mono secret" id="secret">${setup.value.secret.replace(/(.{4})/g, '$1 ')}</p>
              <${Field}
                name="code"
                label=${t('code')}
                errors=${errors.value}
                inputmode="numeric"
                autocomplete="one-time-code"
              />
              <${Submit} busy=${busy.value} kind="primary">${t('confirm')}<//>
            </form>
          `
        : html`
            <button class="button" id="factor-button" onClick=${isOn ? remove : begin}>
              ${t(isOn ? 'remove' : 'setUp')}
            </button>
          `}
      ${codes.value.length > 0 && html`<${RecoveryCodes} codes=${codes.value} close=${reload} />`}
    </section>
  `
}

const loadPasskeys = () => import('../part/passkeys.js')

const Passkeys = () =>
  'PublicKeyCredential' in window && html`
    <${Later}
      load=${loadPasskeys}
      before=${session.value?.secondFactorSetupRequired ?? false}
      changed=${async () => {
        enter(await get('session'))
        changed()
      }}
    />
  `

function Sessions() {
  const { data, problem, reload } = useGet('sessions')
  const end = (/** @type {string} */ id) =>
    act('sessions/' + id, {}, { method: 'DELETE' }).then(() => {
      showToast(t('ended'))
      reload()
    }, fail)
  return html`
    <section class="card list">
      <div class="section">
        <h2>${t('sessions')}</h2>
      </div>
      ${problem && html`<${Failed} problem=${problem} retry=${reload} />`}
      ${(data?.nodes ?? []).map((/** @type {any} */ session) => html`
        <div class="row section">
          <span class="quiet">${icon('monitor')}</span>
          <span class="grow">
            ${browserName(session.agent)}
            <br />
            <span class="small quiet">
              ${session.client} · ${session.current
                ? t('thisOne')
                : t('seen', { age: ago(session.seenAt) })}
            </span>
          </span>
          ${!session.current && html`
            <button class="button mini" onClick=${() => end(session._id)}>${t('end')}</button>
          `}
        </div>
      `)}
    </section>
  `
}
