// Signing in: shop, user and password, then a code if the account has a second factor.

import { html, signal, useEffect, useSignal } from '../html.js'
import { get, Problem, send } from '../api.js'
import { firstView } from '../device.js'
import { langOf, language, name, setLanguage } from '../i18n.js'
import { open, route, shopUID } from '../router.js'
import { enter, forgetShop, knownShops, loadProblem, signedIn, signIn } from '../session.js'
import { t as reauth } from '../strings/reauth.js'
import { t as common } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { t } from '../strings/sign_in.js'
import { code, Field, formError, Submit, useForm } from '../part/form.js'
import { icon } from '../part/icon.js'
import { Later } from '../part/later.js'

/** The page around the forms of people without a session. */
const loadBrand = () => import('../part/branding.js')

export const SignInLayout = (
  /** @type {{ title: any, text?: any, children?: any }} */ { title, text, children },
) => html`
  <main class="sign-in" id="main">
    <div class="row spread">
      <span class="logo" aria-hidden="true">${icon('store')}</span>
      <button
        class="button mini"
        lang=${language.value === 'bn' ? 'en' : 'bn'}
        id="language"
        onClick=${() => setLanguage(language.value === 'bn' ? 'en' : 'bn')}
      >
        ${icon('languages', 'mini')}
        ${common('otherLanguage')}
      </button>
    </div>
    <h1 tabindex="-1">${title}</h1>
    ${text && html`<p class="quiet">${text}</p>`}
    ${children}
    <${Later} load=${loadBrand} />
  </main>
`

export function view() {
  const step = useSignal(/** @type {'password' | 'code' | 'forgot' | 'reset'} */ ('password'))
  const entered = useSignal({ user: '', password: '', shop: shopUID.value })
  const props = {
    entered,
    go: (/** @type {any} */ to) => {
      step.value = to
    },
  }
  switch (step.value) {
    case 'code':
      return html`<${Code} ...${props} />`
    case 'forgot':
      return html`<${Forgot} ...${props} />`
    case 'reset':
      return html`<${Reset} ...${props} />`
    default:
      return html`<${Password} ...${props} />`
  }
}

/** The button to sign in with a passkey. */
export const loadPasskeyButton = () => import('../part/passkey_button.js')

/** Shows the shop that somebody has signed in to, at the address that they came for. */
function enterShop(/** @type {import('../session.js').Session} */ session) {
  if (shopUID.value !== session.shop.uid)
    open('#/' + encodeURIComponent(session.shop.uid) + firstView(), { replace: true })
  enter(session)
}

/**
 * @typedef {{ entered: { value: { user: string, password: string, shop: string } }, go: (step:
 *   string) => void }} Step
 */

/** Whether the server refuses this connection: a password would cross the network readable. */
export function useHTTPSRequired() {
  const isPlain = useSignal(false)
  useEffect(() => {
    get('start', {}, { ofServer: true, recover: false }).catch((problem) => {
      isPlain.value = problem.code === 'https_required'
    })
  }, [])
  return isPlain.value
}

/** What stands in place of a form then. */
export const HTTPSRequired = () => html`
  <p class="banner bad rounded" role="alert">
    ${icon('circle-alert')}
    <span>${explain({ code: 'https_required', message: '' })}</span>
  </p>
`

/** The shop that the host name belongs to. */
const hostShop = signal(/** @type {import('../session.js').KnownShop | null} */ (null))

function Password(/** @type {Step} */ { entered, go }) {
  const uid = shopUID.value
  const knownShop = [...knownShops.value, hostShop.value].find((shop) => shop?.uid === uid)
  const isEmpty = useSignal(false) // the server has no shop
  const isPlain = useSignal(false) // a password would cross the network readable
  useEffect(() => {
    if (uid !== '' || route.value.query.has('other')) return
    get('start', {}, { ofServer: true, recover: false }).then(
      ({ shop, setupNeeded }) => {
        isEmpty.value = setupNeeded
        if (!shop || shopUID.value !== '') return
        hostShop.value = shop
        open('#/' + encodeURIComponent(shop.uid) + firstView(), { replace: true })
      },
      (problem) => {
        isPlain.value = problem.code === 'https_required'
      },
    ) // otherwise the shop can be typed
  }, [uid])
  const { form, errors, busy, onSubmit } = useForm(['shop', 'user', 'password'], async (values) => {
    const shop = uid && !isUnknown ? uid : values.shop
    entered.value = { user: values.user, password: values.password, shop }
    const missing = Object.entries({ shop, user: values.user, password: values.password }).filter(
      ([, value]) => value === '',
    )
    if (missing.length > 0)
      throw new Problem(422, {
        errors: missing.map(([field]) => ({ field, code: 'required', message: '' })),
      })
    try {
      const signedIn = await signIn({ user: values.user, password: values.password }, shop)
      enterShop(signedIn)
      import('../part/passkey_offer.js').then(({ offer }) => offer(signedIn)).catch(() => {})
    } catch (error) {
      if (error instanceof Problem && error.code === 'second_factor_required') go('code')
      else if (error instanceof Problem && error.code === 'tenant_not_found') {
        throw new Problem(404, {
          errors: [{ field: 'shop', code: 'tenant_not_found', message: '' }],
        })
      } else throw error
    }
  })
  if (isPlain.value)
    return html`
      <${SignInLayout} title=${t('title')}>
        <${HTTPSRequired} />
      <//>
    `
  const isUnknown = loadProblem.value?.code === 'tenant_not_found'
  const title = knownShop ? name(knownShop.name) : uid
  return html`
    <${SignInLayout} title=${title && !isUnknown ? t('titleTo', { shop: title }) : t('title')}>
      ${isUnknown && html`
        <p class="banner bad rounded" role="alert">
          ${icon('circle-alert')}
          <span>${explain({ code: 'tenant_not_found', message: '' })}</span>
        </p>
      `}
      ${isEmpty.value && html`
        <p class="banner info rounded" role="status">
          ${icon('info')}
          <span>${t('noShop')}</span>
        </p>
      `}
      ${!isEmpty.value && html`
        <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
          ${formError(errors.value)}
          ${(!uid || isUnknown) && html`
            <${Field}
              name="shop"
              label=${t('shop')}
              hint=${t('shopHint')}
              errors=${errors.value}
              value=${entered.value.shop}
              autocapitalize="none"
              autocomplete="organization"
              spellcheck=${false}
            />
          `}
          <${Field}
            name="user"
            label=${t('user')}
            errors=${errors.value}
            value=${entered.value.user}
            autocomplete="username webauthn"
            autocapitalize="none"
            spellcheck=${false}
          />
          <${Field}
            name="password"
            type="password"
            label=${reauth('password')}
            errors=${errors.value}
            autocomplete="current-password"
          />
          <${Submit} busy=${busy.value}>${reauth('signIn')}<//>
          ${'PublicKeyCredential' in window && html`
            <${Later}
              load=${loadPasskeyButton}
              kind="signIn"
              shop=${isUnknown ? '' : uid}
              enter=${(/** @type {import('../session.js').Session} */ session) =>
                enterShop(signedIn(session))}
            />
          `}
          <button
            type="button"
            class="link"
            onClick=${() => {
              entered.value = {
                ...entered.value,
                shop:
                  uid ||
                  String(
                    new FormData(/** @type {HTMLFormElement} */ (form.current)).get('shop') ?? '',
                  ),
                user: String(
                  new FormData(/** @type {HTMLFormElement} */ (form.current)).get('user') ?? '',
                ),
              }
              go('forgot')
            }}
          >
            ${t('forgot')}
          </button>
        </form>
      `}
      <${Known} />
    <//>
  `
}

/** The other shops of this device. */
function Known() {
  const others = knownShops.value.filter((shop) => shop.uid !== route.value.shop)
  return (
    others.length > 0 && html`
      <section>
        <h2>${t('known')}</h2>
        <ul class="card list">
          ${others.map(({ uid, name: title }) => html`
            <li class="row">
              <a class="fold grow" href=${'#/' + encodeURIComponent(uid) + '/home'}>
                ${icon('store')}
                <span class="grow" lang=${langOf(name(title))}>${name(title)}</span>
              </a>
              <button
                class="icon-button"
                aria-label=${t('forgetShop', { shop: name(title) })}
                onClick=${() => forgetShop(uid)}
              >
                ${icon('x')}
              </button>
            </li>
          `)}
        </ul>
      </section>
    `
  )
}

function Code(/** @type {Step} */ { entered, go }) {
  const { form, errors, busy, onSubmit } = useForm(['code'], async (values) => {
    const { user, password, shop } = entered.value
    try {
      enterShop(await signIn({ user, password, code: code(values.code) }, shop))
    } catch (error) {
      if (
        !(error instanceof Problem) ||
        !/^(invalid_credentials|second_factor_required)$/.test(error.code)
      )
        throw error
      throw new Problem(401, { errors: [{ field: 'code', code: 'otp_invalid', message: '' }] })
    }
  })
  return html`
    <${SignInLayout} title=${t('codeTitle')} text=${reauth('codeHint')}>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="code"
          label=${reauth('code')}
          errors=${errors.value}
          inputmode="numeric"
          autocomplete="one-time-code"
          autofocus
        />
        <${Submit} busy=${busy.value}>${reauth('signIn')}<//>
        <p class="hint">${t('lostFactor')}</p>
        <button type="button" class="link" onClick=${() => go('password')}>${t('back')}</button>
      </form>
    <//>
  `
}

function Forgot(/** @type {Step} */ { entered, go }) {
  const { form, errors, busy, onSubmit } = useForm(['shop', 'user'], async (values) => {
    const shop = shopUID.value || values.shop
    await send('POST', 'password/code', { body: { user: values.user }, shop, recover: false })
    entered.value = { ...entered.value, user: values.user, shop }
    go('reset')
  })
  return html`
    <${SignInLayout} title=${t('forgotTitle')} text=${t('forgotText')}>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        ${!shopUID.value && html`
          <${Field}
            name="shop"
            label=${t('shop')}
            hint=${t('shopHint')}
            errors=${errors.value}
            value=${entered.value.shop}
          />
        `}
        <${Field}
          name="user"
          label=${t('user')}
          errors=${errors.value}
          value=${entered.value.user}
          autocomplete="username"
          autocapitalize="none"
        />
        <${Submit} busy=${busy.value}>${t('sendCode')}<//>
        <button type="button" class="link" onClick=${() => go('password')}>${t('back')}</button>
      </form>
    <//>
  `
}

function Reset(/** @type {Step} */ { entered, go }) {
  const factor = useSignal(false)
  const { form, errors, busy, onSubmit } = useForm(
    ['code', 'password', 'secondFactorCode'],
    async (values) => {
      try {
        enterShop(await resetPassword(entered.value, values))
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'second_factor_required' || factor.value)
          throw error
        factor.value = true
      }
    },
  )
  return html`
    <${SignInLayout} title=${t('forgotTitle')} text=${t('sent', { user: entered.value.user })}>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="code"
          label=${t('smsCode')}
          errors=${errors.value}
          inputmode="numeric"
          autocomplete="one-time-code"
          autofocus
        />
        <${Field}
          name="password"
          type="password"
          label=${t('newPassword')}
          hint=${t('passwordHint')}
          errors=${errors.value}
          autocomplete="new-password"
        />
        ${factor.value && html`
          <${Field}
            name="secondFactorCode"
            label=${reauth('code')}
            hint=${reauth('codeHint')}
            errors=${errors.value}
            inputmode="numeric"
          />
        `}
        <${Submit} busy=${busy.value}>${t('setPassword')}<//>
        <button type="button" class="link" onClick=${() => go('password')}>${t('back')}</button>
      </form>
    <//>
  `
}

const resetPassword = async (
  /** @type {{ user: string, shop: string }} */ { user, shop },
  /** @type {Record<string, string>} */ values,
) =>
  (
    await send('POST', 'password/reset', {
      shop,
      recover: false,
      body: {
        user,
        code: code(values.code),
        password: values.password,
        secondFactorCode: values.secondFactorCode ? code(values.secondFactorCode) : undefined,
      },
    })
  ).data
