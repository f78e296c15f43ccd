// Domains, the environment of the providers, and closing the shop to buyers.

import { html, useEffect, useSignal } from '../html.js'
import { act, get } from '../api.js'
import { date, dateTime } from '../i18n.js'
import { useGet } from '../resource.js'
import { can, enter } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/settings.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { Chips, SettingCard } from './setting_card.js'
import { Failed } from './states.js'
import { showToast } from './toast.js'

/** @typedef {import('./setting_card.js').Loaded} Loaded */
/** @typedef {{ loaded: Loaded, reload: () => Promise<Loaded> }} Props */

/** @param {Props} props */
export const Domains = (props) => html`
  ${props.loaded.settings.domains.length > 0 && html`<${Certificates} key=${props.loaded.etag} />`}
  <${SettingCard}
    ...${props}
    id="set-domains"
    title=${t('domains')}
    text=${domainsText(props.loaded.settings.domains)}
    fields=${['domains', 'storefrontUrl']}
    draftOf=${(/** @type {any} */ s) => ({ domains: s.domains, storefrontUrl: s.storefrontUrl })}
    bodyOf=${(/** @type {any} */ d) => ({
      domains: d.domains,
      storefrontUrl: d.storefrontUrl.trim(),
    })}
    lines=${(/** @type {any} */ d) => [
      [t('domainNames'), d.domains.join(', ')],
      [t('storefrontUrl'), d.storefrontUrl],
    ]}
    form=${(/** @type {any} */ d, /** @type {any} */ change, /** @type {any} */ errors) => html`
      <${Chips}
        id="domains"
        label=${t('domainNames')}
        hint=${t('domainsHint')}
        values=${d.domains}
        error=${errors.domains}
        onChange=${(/** @type {string[]} */ to) =>
          change({
            domains: to.map((domain) => domain.toLowerCase().replace(/^https?:\/\/|\/.*$/g, '')),
          })}
      />
      <${Field}
        name="storefrontUrl"
        type="url"
        label=${t('storefrontUrl')}
        hint=${t('storefrontUrlHint')}
        value=${d.storefrontUrl}
        errors=${errors}
        onInput=${(/** @type {FieldEvent} */ event) =>
          change({ storefrontUrl: event.target.value })}
        placeholder="https://"
        autocomplete="off"
      />
    `}
  />
`

/** Where to point a domain: to the host of this page, if that is a name of the server's own.
 * @param {string[]} own the shop's domains, which cannot point to themselves */
function domainsText(own) {
  const host = location.hostname
  return /\.[a-z][a-z\d-]*$/.test(host) && !host.endsWith('.local') && !own.includes(host)
    ? t('pointTo', { host })
    : t('domainsText')
}

/** @typedef {import('../api.js').Schemas['Domain']} Domain */

const interval = 5_000 // milliseconds; a certificate comes seconds after the first visit

/** @type {Record<Domain['certificate']['state'], string>} */
const tones = { valid: 'done', waiting: 'wait', failed: 'bad', elsewhere: 'off' }

/** The proof and certificate of each domain, checked until all have both. */
function Certificates() {
  const { data, problem, reload } = useGet('domains')
  /** @type {Domain[]} */
  const all = data?.nodes ?? []
  const isWaiting = all.some(
    ({ elsewhere, certificate }) => elsewhere || /^(waiting|failed)$/.test(certificate.state),
  )
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(reload, interval)
    return () => clearInterval(timer)
  }, [isWaiting])
  if (problem && !data) return html`<${Failed} problem=${problem} retry=${reload} />`
  return html`
    <section class="card list" id="certificates">
      <div class="section">
        <h2>${t('certificates')}</h2>
      </div>
      <div role="status">
        <ul class="list">
          ${all.map(({ name, proof, elsewhere, certificate }) => html`
            <li class="section">
              <div class="row spread wraps">
                <b class="mono">${name}</b>
                <span class="status-pill ${tones[certificate.state]}">
                  ${t.dynamic('certificate_' + certificate.state)}
                </span>
              </div>
              <p class="small quiet">
                ${certificate.state === 'valid' && certificate.expiresAt
                  ? t('certificateUntil', { date: date(certificate.expiresAt) })
                  : certificate.state === 'failed' && certificate.nextAttemptAt
                    ? t('certificateRetry', { time: dateTime(certificate.nextAttemptAt) })
                    : t.dynamic('text_' + certificate.state)}
              </p>
              <p class="small">
                <b>${t.dynamic('proof_' + proof)}.</b>
                ${' '}
                <span class="quiet">${t.dynamic('proofText_' + proof)}</span>
              </p>
              ${elsewhere && proof !== 'missing' && html`
                <p class="banner bad rounded">${t('leadsElsewhere')}</p>
              `}
              ${elsewhere && data?.host && html`<${Records} name=${name} to=${data} />`}
              ${proof !== 'missing' && certificate.state !== 'elsewhere' && html`
                <a
                  class="button mini act-row"
                  target="_blank"
                  rel="noopener"
                  href=${'https://' + name}
                >
                  ${icon('external-link', 'mini')}
                  ${t('visit')}
                </a>
              `}
            </li>
          `)}
        </ul>
      </div>
    </section>
  `
}

/**
 * The records to enter where a domain was bought: an address for a bare name, otherwise an alias.
 * @param {{ name: string, to: { host: string, addresses: string[] } }} props
 */
function Records({ name, to }) {
  const records = [
    ...to.addresses.map((address) => [address.includes(':') ? 'AAAA' : 'A', address]),
    ['CNAME', to.host],
  ]
  return html`
    <div class="small">
      <p>${t('records', { name })}</p>
      <dl class="facts">
        ${records.map(([type, value]) => html`
          <div key=${value}>
            <dt>${type}</dt>
            <dd class="mono breaks">${value}</dd>
          </div>
        `)}
      </dl>
    </div>
  `
}

/** @param {Props} props */
export function Mode({ loaded, reload }) {
  const { settings } = loaded
  const isSandbox = settings.activeMode === 'sandbox'
  return html`
    <section class="card section stack" id="set-mode">
      <h2>${t('providers')}</h2>
      <p>
        <b>${t(isSandbox ? 'sandbox' : 'live')}</b>
        <br />
        <span class="quiet">${t(isSandbox ? 'sandboxText' : 'liveText')}</span>
      </p>
      ${can('providers.write') && html`
        <${Action}
          id="change-mode"
          button=${t(isSandbox ? 'toLive' : 'toSandbox')}
          text=${t(isSandbox ? 'toLiveText' : 'toSandboxText')}
          path="mode"
          body=${{ mode: isSandbox ? 'live' : 'sandbox' }}
          reload=${reload}
        />
      `}
    </section>
    <section class="card section stack" id="set-suspended">
      <h2>${t('open')}</h2>
      <p>
        <b>${t(settings.suspended ? 'suspended' : 'isOpen')}</b>
        <br />
        <span class="quiet">${t(stateText(settings))}</span>
      </p>
      ${settings.suspension?.reason && html`<p>${settings.suspension.reason}</p>`}
      ${can('shop.close') && !settings.suspension && html`
        <${Action}
          id="change-suspended"
          button=${t(settings.suspended ? 'resume' : 'suspend')}
          isBad=${!settings.suspended}
          text=${t(settings.suspended ? 'resumeText' : 'suspendText')}
          path=${settings.suspended ? 'resume' : 'suspend'}
          reload=${reload}
        />
      `}
    </section>
  `
}

/** @param {{ suspended: boolean, suspension?: unknown }} settings */
const stateText = ({ suspended, suspension }) =>
  suspension ? 'heldByOperatorText' : suspended ? 'suspendedText' : 'isOpenText'

/**
 * A button that explains what will happen.
 * @param {{ id: string, button: string, text: string, path: string, body?: any, isBad?: boolean,
 *   reload: () => Promise<Loaded> }} props
 */
function Action({ id, button, text, path, body = {}, isBad, reload }) {
  const isOpen = useSignal(false)
  const { form, errors, busy, onSubmit } = useForm([], async () => {
    await act(path, body, { label: button })
    enter(await get('session'))
    await reload()
    isOpen.value = false
    showToast(common('saved'))
  })
  return html`
    <div>
      <button
        class="button ${isBad ? 'bad' : ''}"
        id=${id}
        onClick=${() => {
          isOpen.value = true
        }}
      >
        ${button}
      </button>
    </div>
    ${isOpen.value && html`
      <${Dialog}
        title=${button}
        text=${text}
        close=${() => {
          isOpen.value = false
        }}
      >
        <form ref=${form} class="stack" onSubmit=${onSubmit}>
          ${formError(errors.value)}
          <${Submit} busy=${busy.value} kind=${isBad ? 'big bad' : 'primary big'}>${button}<//>
        </form>
      <//>
    `}
  `
}
