// Couriers and payment gateways: their accounts, and the four steps that connect a courier.

import { html, useEffect, useSignal } from '../html.js'
import { act, get, Problem } from '../api.js'
import { clock, dateTime, plainDigits } from '../i18n.js'
import { useGet } from '../resource.js'
import { to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { hint, label, t } from '../strings/settings_provider.js'
import { explain } from '../strings/problem.js'
import { Connection, connectionPill } from './connection.js'
import { Field, formError, Submit, useForm, useUnsaved } from './form.js'
import { icon } from './icon.js'
import { skeletonRows, Failed, Skeleton } from './states.js'
import { word } from './status.js'
import { copy } from './toast.js'

/** @typedef {import('../api.js').Schemas['PluginStatus']} Provider */
/** @typedef {import('../api.js').Schemas['PluginReport']} Report */
/** @typedef {import('../api.js').Schemas['Webhook']} Webhook */

export const Couriers = () => html`
  <p class="quiet">${t('couriersText')}</p>
  <${Providers} kind=${/^courier/} />
`

export const Payments = () => html`
  <p class="quiet">${t('paymentsText')}</p>
  <${Providers} kind=${/^gateway/} />
`

/** @param {{ kind: RegExp }} props */
function Providers({ kind }) {
  const { data, problem, reload } = useGet('providers')
  const { data: urls, problem: noURLs, reload: reloadURLs } = useGet('provider-urls')
  const failed = problem ?? noURLs
  if (failed && (!data || !urls))
    return html`
      <${Failed}
        problem=${failed}
        retry=${() => {
          reload()
          reloadURLs()
        }}
      />
    `
  if (!data || !urls) return html`<${Skeleton}>${skeletonRows(2)}<//>`
  return data.nodes
    .filter((/** @type {Provider} */ provider) => kind.test(provider.provider))
    .map((/** @type {Provider} */ provider) => html`
      <${Card}
        key=${provider.provider}
        provider=${provider}
        url=${urls.nodes.find((/** @type {any} */ other) => other.provider === provider.provider)
          ?.url}
        reload=${reload}
      />
    `)
}

const rare = /^(header_prefix|integration_secret|require_signature|cod_basis_points)$/
const shared = /^webhook_(secret|token)$/ // entered here and in the courier's panel

const randomSecret = () =>
  [...crypto.getRandomValues(new Uint8Array(18))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

const sandbox = 'sandbox_' // begins the names of test accounts

/** Returns the settings of the environment that the shop uses. */
const ofMode = (
  /** @type {NonNullable<Provider['settings']>} */ all,
  /** @type {boolean} */ isSandbox,
) =>
  all.filter(({ name }) =>
    isSandbox ? !all.some((other) => other.name === sandbox + name) : !name.startsWith(sandbox),
  )

const labelOf = (/** @type {string} */ name) =>
  label(name.startsWith(sandbox) ? name.slice(sandbox.length) : name)

/** @param {{ provider: Provider, url: string, reload: () => void }} props */
function Card({ provider, url, reload }) {
  const isCourier = provider.provider.startsWith('courier')
  const settings = ofMode(provider.settings ?? [], provider.mode === 'sandbox')
  const report = useSignal(/** @type {Report | null} */ (null))
  const created = useSignal(/** @type {string} */ (''))
  const seed = useSignal(0)
  const isReadOnly = !can('providers.write')
  const { form, errors, busy, onSubmit } = useForm(
    settings.map((setting) => setting.name),
    async (values) => {
      report.value = null
      /** @type {Record<string, string>} */
      const changes = {}
      for (const { name, secret, value } of settings) {
        const next =
          name === 'cod_basis_points' || name === 'store_id'
            ? plainDigits(values[name])
            : values[name]
        if (secret ? next !== '' : next !== (value ?? '')) changes[name] = next
      }
      if (Object.keys(changes).length > 0) {
        const body = Object.fromEntries(
          Object.entries(changes).map(([name, value]) => [name, value === '' ? null : value]),
        )
        await act('providers/' + provider.provider, body, {
          method: 'PATCH',
          label: word(provider.provider),
        })
      }
      report.value = await act(
        `providers/${provider.provider}/validate`,
        {},
        { label: word(provider.provider) },
      )
      created.value = ''
      seed.value++
      reload()
      setTimeout(() =>
        document
          .getElementById(provider.provider + '-checked')
          ?.scrollIntoView({ block: 'nearest' }),
      )
    },
  )
  useUnsaved(form)
  const field = (/** @type {Provider['settings']} */ list) =>
    (list ?? []).map((setting) => html`
      <${Field}
        key=${setting.name}
        name=${setting.name}
        id=${provider.provider + '-' + setting.name}
        label=${labelOf(setting.name) ?? setting.meaning}
        value=${setting.value ?? ''}
        hint=${setting.secret && setting.set ? t('isSet') : hint(setting.name)}
        errors=${errors.value}
        autocomplete="off"
        autocapitalize="none"
        spellcheck=${false}
        type=${setting.secret ? 'password' : 'text'}
      />
    `)
  const secret = settings.find((setting) => shared.test(setting.name))
  const isUsable = (provider.capabilities ?? []).some(
    (capability) => capability.name !== 'webhook' && capability.ready,
  )
  const isPartly = (provider.capabilities ?? []).some((capability) => capability.ready)
  const step = (/** @type {number} */ n, /** @type {any} */ content) => html`
    <li class="step">
      <h3>
        ${isCourier && html`
          <span class="count hot" aria-hidden="true">${common('step', { n })}</span>
        `}
        ${content[0]}
      </h3>
      ${content[1]}
    </li>
  `
  const account = settings.filter(
    (setting) => !shared.test(setting.name) && !rare.test(setting.name),
  )
  const others = settings.filter((setting) => rare.test(setting.name))
  return html`
    <section class="card" id=${provider.provider}>
      <details open=${isPartly || undefined}>
        <summary class="fold">
          <h2 class="grow">${word(provider.provider)}</h2>
          ${connectionPill(provider.connection, isUsable, provider.practice)}
          ${icon('chevron-down', 'mini')}
        </summary>
        <form ref=${form} key=${seed.value} class="section" novalidate onSubmit=${onSubmit}>
          <fieldset class="stack" disabled=${isReadOnly}>
            ${provider.practice
              ? html`
                  <p class="banner info rounded">
                    ${t(isCourier ? 'practiceCourier' : 'practiceGateway')}
                  </p>
                `
              : provider.mode === 'sandbox'
                ? html`<p class="banner info rounded">${t('sandboxAccount')}</p>`
                : !isUsable && html`
                    <p class="small quiet">
                      ${t('practise')} <a href=${to('settings', 'mode')}>${t('toMode')}</a>
                    </p>
                  `}
            ${formError(errors.value)}
            <ol class="steps">
              ${step(1, [
                t('account'),
                html`
                  ${provider.mode !== 'sandbox' && html`
                    <p class="small quiet">${t.dynamic('about_' + provider.provider)}</p>
                  `}
                  <div class="stack">${field(account)}</div>
                `,
              ])}
              ${url &&
                step(2, [
                  t(isCourier ? 'address' : 'gatewayAddress'),
                  html`
                    <p class="small quiet">
                      ${t(isCourier ? 'addressText' : 'gatewayAddressText', {
                        name: word(provider.provider),
                      })}
                    </p>
                    <${Copied} text=${url} />
                  `,
                ])}
              ${secret &&
                step(3, [
                  t('secret'),
                  html`
                    <p class="small quiet">${t('secretText', { name: word(provider.provider) })}</p>
                    ${created.value
                      ? html`
                          <input type="hidden" name=${secret.name} value=${created.value} />
                          <${Copied} text=${created.value} />
                          <p class="hint">${t('copySecret')}</p>
                        `
                      : html`
                          ${field([secret])}
                          <button
                            type="button"
                            class="button mini"
                            onClick=${() => {
                              created.value = randomSecret()
                            }}
                          >
                            ${icon('key-round', 'mini')}
                            ${t('createSecret')}
                          </button>
                        `}
                  `,
                ])}
              ${isCourier &&
                step(4, [
                  t('handshake'),
                  html`<${Handshake} provider=${provider} reload=${reload} />`,
                ])}
            </ol>
            ${others.length > 0 && html`
              <details>
                <summary class="fold inset">
                  <span class="grow">${t('rare')}</span>
                  ${icon('chevron-down', 'mini')}
                </summary>
                <div class="stack">${field(others)}</div>
              </details>
            `}
            ${isReadOnly
              ? html`<p class="hint">${t('readOnly')}</p>`
              : html`<${Submit} busy=${busy.value} kind="primary save">${t('saveCheck')}<//>`}
            <div role="status" id=${provider.provider + '-checked'}>
              ${report.value && html`<${Checked} report=${report.value} provider=${provider} />`}
              ${isUsable && html`
                <${Connection} connection=${provider.connection} name=${word(provider.provider)} />
              `}
            </div>
          </fieldset>
        </form>
      </details>
    </section>
  `
}

const Copied = (/** @type {{ text: string }} */ { text }) => html`
  <div class="row copied">
    <code class="mono grow" dir="ltr" lang="en">${text}</code>
    <button
      type="button"
      class="button mini"
      aria-label=${common('copy') + ': ' + text}
      onClick=${() => copy(text)}
    >
      ${icon('copy', 'mini')}
      ${common('copy')}
    </button>
  </div>
`

/**
 * What is entered and what is missing. The account itself is below: without it, nothing works.
 * @param {{ report: Report, provider: Provider }} props
 */
const Checked = ({ report, provider }) => html`
  <p class=${report.valid ? 'tone-good bold' : 'tone-bad bold'}>
    ${t(report.valid ? 'saved' : 'savedButCheck')}
  </p>
  <ul class="checked">
    ${(report.checks ?? [])
      .filter((check) => check.name !== 'credentials' && (report.valid || !check.ok))
      .map((check) => html`
        <li class="row ${check.ok ? 'tone-good' : 'tone-bad'}">
          ${icon(check.ok ? 'circle-check' : 'circle-x', 'mini')}
          <span class="grow">
            ${t.dynamic((check.ok ? 'check_' : 'fails_') + check.name)}
            ${!check.ok && html`
              <br />
              <span class="small">${t('missing', { list: missing(provider, check.name) })}</span>
            `}
          </span>
        </li>
      `)}
  </ul>
`

/** Returns the names of the settings that a capability lacks. */
const missing = (/** @type {Provider} */ provider, /** @type {string} */ name) =>
  (provider.capabilities ?? [])
    .filter((capability) => capability.name === name)
    .flatMap((capability) => capability.missing ?? [])
    .map(
      (setting) =>
        labelOf(setting) ?? provider.settings?.find((one) => one.name === setting)?.meaning,
    )
    .join(', ')

// milliseconds; the handshake comes seconds after the courier's panel was saved
const interval = 5000

/** Whether the courier's webhooks arrive, or were refused. It is checked until the first has.
 * @param {{ provider: Provider, reload: () => void }} props */
function Handshake({ provider, reload }) {
  const last = useSignal(/** @type {Webhook | null | undefined} */ (undefined))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  useEffect(() => {
    let timer = 0
    const abort = new AbortController()
    async function load() {
      try {
        last.value =
          (
            await get(
              'provider-webhooks',
              { provider: provider.provider, limit: 1 },
              { signal: abort.signal },
            )
          ).nodes[0] ?? null
        problem.value = null
      } catch (error) {
        if (abort.signal.aborted) return
        if (!(error instanceof Problem)) throw error
        problem.value = error
      }
      if (last.value) return
      reload()
      timer = setTimeout(load, interval)
    }
    load()
    return () => {
      abort.abort()
      clearTimeout(timer)
    }
  }, [])
  const [refused] = provider.refusedWebhooks ?? []
  return html`
    <div role="status" class="handshake">
      ${last.value
        ? html`
            <p class="row tone-good">
              ${icon('circle-check', 'mini')}
              <span class="grow">${t('arrived', { time: dateTime(last.value.lastAt) })}</span>
            </p>
          `
        : problem.value
          ? html`<p class="error">${explain(problem.value)}</p>`
          : html`
              <p class="row quiet">
                ${icon('clock', 'mini')}
                <span class="grow">${t('waiting')}</span>
              </p>
            `}
      ${refused && html`
        <p class="row tone-bad">
          ${icon('circle-x', 'mini')}
          <span class="grow">${t('refused', { time: clock(refused.at) })}</span>
        </p>
      `}
    </div>
  `
}
