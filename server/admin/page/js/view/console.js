// The console of operators: all shops of the server. Its addresses begin with #/-/, since no shop
// has this UID. What is not about a session is in part/console_*.js.

import { html, signal, useEffect, useSignal } from '../html.js'
import { act, Problem, recovery, send } from '../api.js'
import { language } from '../i18n.js'
import { open, route, to } from '../router.js'
import { t } from '../strings/console.js'
import { t as defaults } from '../strings/defaults.js'
import { t as incidents } from '../strings/incident.js'
import { t as plans } from '../strings/plan.js'
import { Dialog } from '../part/dialog.js'
import { code, Field, formError, Submit, useForm } from '../part/form.js'
import { Later } from '../part/later.js'
import { Failed, NotFound, Skeleton, skeletonRows } from '../part/states.js'
import { Toasts } from '../part/toast.js'
import { Log, Operators } from '../part/console_operators.js'
import { Plans, Usage } from '../part/console_plans.js'
import { ShopView, Shops } from '../part/console_shops.js'
import { t as passkey } from '../strings/passkey.js'
import { loadPasskeyButton, SignInLayout } from './sign_in.js'

/** The operator's session; null: nobody is signed in; undefined: not known yet. */
const operator = signal(/** @type {any} */ (undefined))
const problem = signal(/** @type {Problem | null} */ (null))
/** What waits for a code. @type {import('../html.js').Component | any} */
const proving = signal(/** @type {{ done: () => void, decline: () => void } | null} */ (null))

const post = async (/** @type {string} */ path, /** @type {any} */ body) =>
  (await send('POST', path, { body, recover: false })).data

async function load() {
  problem.value = null
  try {
    operator.value = (await send('GET', 'session', { recover: false })).data
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code !== 'unauthenticated') problem.value = error
    operator.value = null
  }
}

/** Sets the recovery of requests after the session has ended, or must be proved. */
function recover() {
  recovery.signIn = async () => {
    operator.value = null
    throw new Error('nobody is signed in')
  }
  recovery.setUp = () => {}
  recovery.prove = () =>
    new Promise((resolve, reject) => {
      proving.value = {
        done: () => resolve(undefined),
        decline: () => reject(new Error('declined')),
      }
    })
}

const can = (/** @type {string} */ permission) =>
  operator.value?.operator.permissions.includes(permission)

export function view() {
  const isLink = route.value.view === 'link'
  useEffect(() => {
    recover()
    if (!isLink) load()
  }, [])
  const session = operator.value
  if (isLink) return html`<${Link} />`
  if (problem.value)
    return html`
      <main class="sign-in">
        <${Failed} problem=${problem.value} retry=${load} />
      </main>
    `
  if (session === undefined)
    return html`
      <div class="sign-in">
        <${Skeleton}>${skeletonRows(3)}<//>
      </div>
    `
  if (session === null) return html`<${SignIn} />`
  if (session.secondFactorSetupRequired) return html`<${SetUp} />`
  return html`
    <${Main} />
    ${proving.value && html`<${Prove} />`}
    <${Toasts} />
  `
}

function Main() {
  const { view, id } = route.value
  const links = [
    ['shops', t('shops')],
    ['plans', plans('plans')],
    ['usage', plans('usage')],
    ['defaults', defaults('defaults')],
    ['incidents', incidents('incidents')],
    ...(can('operators.read')
      ? [
          ['operators', t('operators')],
          ['log', t('log')],
        ]
      : []),
    ...('PublicKeyCredential' in window ? [['passkeys', passkey('title')]] : []),
  ]
  const shown =
    view === 'shop' && id !== ''
      ? html`<${ShopView} key=${id} uid=${id} can=${can} />`
      : view === 'home' || view === 'shops'
        ? html`<${Shops} can=${can} />`
        : view === 'plans'
          ? html`<${Plans} can=${can} />`
          : view === 'usage'
            ? html`<${Usage} />`
            : view === 'defaults'
              ? html`<${Later} load=${loadDefaults} can=${can} />`
              : view === 'incidents'
                ? html`<${Later} load=${loadIncidents} can=${can} />`
                : view === 'operators'
                  ? html`<${Operators} can=${can} own=${operator.value.operator._id} />`
                  : view === 'passkeys'
                    ? html`
                        <${Later}
                          load=${loadPasskeys}
                          before=${false}
                          changed=${load}
                          heading="h1"
                        />
                      `
                    : view === 'log'
                      ? html`<${Log} />`
                      : html`<${NotFound} name=${t('toShops')} address=${to('shops')} />`
  return html`
    <div class="console">
      <header class="row spread console-head">
        <nav class="views" aria-label=${t('menu')}>
          ${links.map(([name, text]) => html`
            <a
              href=${to(name)}
              aria-current=${view === name || (name === 'shops' && /^(home|shop)$/.test(view))
                ? 'page'
                : undefined}
            >
              ${text}
            </a>
          `)}
        </nav>
        <button class="button mini" id="sign-out" onClick=${signOut}>${t('signOut')}</button>
      </header>
      <main id="main" tabindex="-1">${shown}</main>
    </div>
  `
}

const loadDefaults = () => import('../part/console_defaults.js')
const loadIncidents = () => import('../part/console_incidents.js')
const loadPasskeys = () => import('../part/passkeys.js')

/**
 * The button to use a passkey.
 * @param {{ kind: 'signIn' | 'prove', enter: (session: any) => void }} props
 */
const Passkey = (props) =>
  'PublicKeyCredential' in window && html`
    <${Later} load=${loadPasskeyButton} shop="-" ...${props} />
  `

async function signOut() {
  await act('session', {}, { method: 'DELETE' })
  operator.value = null
  open(to('shops'), { replace: true })
}

function SignIn() {
  const needsCode = useSignal(false)
  const { form, errors, busy, onSubmit } = useForm(
    ['user', 'password', 'code'],
    async ({ user, password, code: typed }) => {
      try {
        operator.value = await post('session', {
          user,
          password,
          code: typed ? code(typed) : undefined,
        })
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'second_factor_required') throw error
        needsCode.value = true
        if (typed) throw error
      }
    },
  )
  return html`
    <${SignInLayout} title=${t('signInTitle')} text=${t('signInText')}>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="user"
          label=${t('user')}
          errors=${errors.value}
          autocomplete="username webauthn"
          autocapitalize="none"
          spellcheck=${false}
        />
        <${Field}
          name="password"
          type="password"
          label=${t('password')}
          errors=${errors.value}
          autocomplete="current-password"
        />
        ${needsCode.value && html`
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
        <${Submit} busy=${busy.value}>${t('signIn')}<//>
        <${Passkey}
          kind="signIn"
          enter=${(/** @type {any} */ session) => {
            operator.value = session
          }}
        />
      </form>
    <//>
  `
}

function Link() {
  const token = route.value.id
  const info = useSignal(/** @type {any} */ (null))
  const failed = useSignal(/** @type {Problem | null} */ (null))
  useEffect(() => {
    post('links/inspect', { token }).then(
      (found) => {
        info.value = found
      },
      (error) => {
        failed.value = error
      },
    )
  }, [token])
  const { form, errors, busy, onSubmit } = useForm(['password', 'code'], async (values) => {
    operator.value = await post('links/use', {
      token,
      password: values.password,
      language: language.value,
      secondFactorCode: values.code ? code(values.code) : undefined,
    })
    open(to('shops'), { replace: true })
  })
  if (failed.value)
    return html`
      <${SignInLayout} title=${t('linkInvalid')} text=${t('linkInvalidText')}>
        <a class="button primary big" href=${to('shops')} onClick=${load}>${t('signIn')}</a>
      <//>
    `
  if (!info.value)
    return html`
      <div class="sign-in">
        <${Skeleton}>${skeletonRows(2)}<//>
      </div>
    `
  return html`
    <${SignInLayout} title=${t('linkTitle')} text=${t('linkText', { name: info.value.name })}>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <input type="hidden" name="user" autocomplete="username" value=${info.value.email ?? ''} />
        <${Field}
          name="password"
          type="password"
          label=${t('newPassword')}
          hint=${t('passwordHint')}
          errors=${errors.value}
          autocomplete="new-password"
        />
        ${info.value.secondFactorRequired && html`
          <${Field}
            name="code"
            label=${t('code')}
            hint=${t('codeHint')}
            errors=${errors.value}
            inputmode="numeric"
          />
        `}
        <${Submit} busy=${busy.value}>${t('signIn')}<//>
      </form>
    <//>
  `
}

/** The authenticator app, without which an operator can do nothing. */
function SetUp() {
  const setup = useSignal(/** @type {any} */ (null))
  const codes = useSignal(/** @type {string[] | null} */ (null))
  const failed = useSignal(/** @type {Problem | null} */ (null))
  const start = () => {
    failed.value = null
    post('me/totp', {}).then(
      (started) => {
        setup.value = started
      },
      (error) => {
        if (error.code === 'proof_required') operator.value = null
        failed.value = error
      },
    )
  }
  useEffect(start, [])
  const { form, errors, busy, onSubmit } = useForm(['code'], async (values) => {
    codes.value = (await post('me/totp/confirm', { code: code(values.code) })).recoveryCodes
  })
  if (codes.value)
    return html`
      <${SignInLayout} title=${t('recoveryTitle')} text=${t('recoveryText')}>
        <p class="mono" id="recovery">${codes.value.join(' ')}</p>
        <button class="button primary big" id="kept" onClick=${load}>${t('saved')}</button>
      <//>
    `
  if (failed.value)
    return html`
      <main class="sign-in">
        <${Failed} problem=${failed.value} retry=${start} />
      </main>
    `
  return html`
    <${SignInLayout} title=${t('factorTitle')} text=${t('factorText')}>
      ${setup.value && html`
        <img
          class="qr"
          alt=${t('qr')}
          src=${'data:image/svg+xml,' + encodeURIComponent(setup.value.qrSvg)}
        />
        <p class="small">
          ${t('key')}: <span class="mono" id="totp-key">${setup.value.secret}</span>
        </p>
        <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
          ${formError(errors.value)}
          <${Field}
            name="code"
            label=${t('code')}
            errors=${errors.value}
            inputmode="numeric"
            autocomplete="one-time-code"
          />
          <${Submit} busy=${busy.value}>${t('confirm')}<//>
        </form>
      `}
      ${'PublicKeyCredential' in window && html`
        <${Later} load=${loadPasskeys} before changed=${load} />
      `}
    <//>
  `
}

/** Enters a code again, before something serious. */
function Prove() {
  const close = () => {
    proving.value?.decline()
    proving.value = null
  }
  const prove = (/** @type {any} */ session) => {
    operator.value = session
    proving.value?.done()
    proving.value = null
  }
  const { form, errors, busy, onSubmit } = useForm(['code'], async (values) => {
    prove(await post('session/proof', { code: code(values.code) }))
  })
  return html`
    <${Dialog} title=${t('proveTitle')} text=${t('proveText')} close=${close} id="prove" free>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="code"
          label=${t('code')}
          hint=${t('codeHint')}
          errors=${errors.value}
          inputmode="numeric"
          autocomplete="one-time-code"
          autofocus
        />
        <${Submit} busy=${busy.value}>${t('confirm')}<//>
        ${operator.value.operator.passkeys > 0 && html`<${Passkey} kind="prove" enter=${prove} />`}
      </form>
    <//>
  `
}
