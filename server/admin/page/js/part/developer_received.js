// Webhooks that couriers and gateways sent: the result of each, its body, and processing it again.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { ago, dateTime, langOf } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { open, route, to, withQuery } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/developers.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { Pages } from './pages.js'
import { attempt } from './product_change.js'
import { skeletonRows, Empty, Failed, Skeleton } from './states.js'
import { word } from './status.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['Webhook']} Webhook */
/** @typedef {import('../api.js').Schemas['RefusedWebhook']} Refused */

/** @type {Record<string, string>} */
const tones = {
  stored: 'wait',
  applied: 'done',
  ignored: 'off',
  unmatched: 'wait',
  malformed: 'bad',
  failed: 'bad',
}
const providers = ['courier_a', 'courier_b', 'gateway_a', 'gateway_b']

const result = (/** @type {string} */ verdict) => html`
  <span class="status ${tones[verdict]}">${t.dynamic('verdict_' + verdict)}</span>
`

export function Received() {
  const { query } = route.value
  const provider = query.get('provider') ?? '',
    verdict = query.get('verdict') ?? ''
  const { data, problem, reload } = useGet('provider-webhooks', {
    provider,
    verdict,
    page: query.get('page'),
  })
  const { data: refused } = useGet('refused-webhooks', { provider })
  const shown = useSignal('')
  const choice = (
    /** @type {string} */ name,
    /** @type {string} */ value,
    /** @type {[string, string][]} */ all,
  ) => html`
    <label class="chip">
      <span class="quiet">${t.dynamic(name)}</span>
      <select onChange=${(/** @type {FieldEvent} */ event) =>
        open(withQuery({ [name]: event.target.value, page: null }), { replace: true })}>
        <option value="">${t('any')}</option>
        ${all.map(([key, text]) => html`
          <option value=${key} selected=${key === value}>${text}</option>
        `)}
      </select>
    </label>
  `
  /** @type {Webhook[]} */
  const all = data?.nodes ?? []
  return html`
    <p class="quiet small">${t('receivedText')}</p>
    <div class="row wraps">
      ${choice(
        'provider',
        provider,
        providers.map((provider) => [provider, word(provider)]),
      )}
      ${choice(
        'verdict',
        verdict,
        Object.keys(tones).map((verdict) => [verdict, t.dynamic('verdict_' + verdict)]),
      )}
    </div>
    ${problem && !data
      ? html`<${Failed} problem=${problem} retry=${reload} />`
      : !data
        ? html`<${Skeleton}>${skeletonRows(4)}<//>`
        : all.length === 0
          ? html`<${Empty} icon="inbox" title=${t('noReceived')} text=${t('noReceivedText')} />`
          : html`
              <ul class="card list" id="received">
                ${all.map((webhook) => html`
                  <li key=${webhook._id}>
                    <button
                      class="fold full"
                      data-webhook=${webhook._id}
                      onClick=${() => {
                        shown.value = webhook._id
                      }}
                    >
                      <span class="grow">
                        <b>${word(webhook.provider)}</b>
                        ${' '}
                        <span class="mono small" lang="en">${webhook.event}</span>
                        <br />
                        <span class="small quiet">
                          ${ago(webhook.lastAt)}
                          ${webhook.copies > 1 && ' · ' + t('copies', { count: webhook.copies })}
                        </span>
                      </span>
                      ${result(webhook.verdict)}
                      ${icon('chevron-right', 'mini')}
                    </button>
                  </li>
                `)}
              </ul>
              <${Pages} meta=${data.meta} label=${t('received')} />
            `}
    ${refused?.nodes.length > 0 && html`
      <section class="stack">
        <h2>${t('refused')}</h2>
        <p class="quiet small">${t('refusedText')}</p>
        <ul class="card list">
          ${refused.nodes.map((/** @type {Refused} */ refused) => html`
            <li class="section row spread wraps">
              <span>
                <b>${word(refused.provider)}</b>
                <br />
                <span class="small quiet" lang=${langOf(refused.reason)}>${refused.reason}</span>
              </span>
              <span class="small quiet right">
                ${t('calls', { count: refused.calls })}
                <br />
                ${ago(refused.at)}
              </span>
            </li>
          `)}
        </ul>
      </section>
    `}
    ${shown.value && html`
      <${WebhookDialog}
        id=${shown.value}
        close=${() => {
          shown.value = ''
        }}
      />
    `}
  `
}

/** Returns a body in lines if it is JSON. */
function pretty(/** @type {string} */ body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/** @param {{ id: string, close: () => void }} props */
function WebhookDialog({ id, close }) {
  const { data, problem, reload, set } = useGet('provider-webhooks/' + id)
  const busy = useSignal(false)
  const webhook = /** @type {Webhook | undefined} */ (data)
  async function replay() {
    if (busy.value) return
    busy.value = true
    await attempt(async () => {
      const after = await act(`provider-webhooks/${id}/replay`, {}, { label: t('replay') })
      set({ ...after, body: after.body ?? webhook?.body })
      showToast(t('replayed', { verdict: t.dynamic('verdict_' + after.verdict) }), {
        bad: after.verdict === 'failed',
      })
      changed()
    })
    busy.value = false
  }
  return html`
    <${Dialog}
      title=${webhook ? word(webhook.provider) : t('received')}
      close=${close}
      id="webhook"
    >
      ${problem && !webhook
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !webhook
          ? html`<${Skeleton}>${skeletonRows(1)}<//>`
          : html`
              <div class="row spread wraps">
                <span class="mono small" lang="en">${webhook.event}</span>
                ${result(webhook.verdict)}
              </div>
              <p class="small quiet">
                ${dateTime(webhook.receivedAt)}
                ${webhook.copies > 1 && ' · ' + t('copies', { count: webhook.copies })}
              </p>
              ${webhook.reason && html`
                <p class="small">
                  ${t('reason')}: <span lang=${langOf(webhook.reason)}>${webhook.reason}</span>
                </p>
              `}
              ${webhook.orderId && html`
                <a class="button mini" href=${to('order', webhook.orderId)}>
                  ${icon('inbox', 'mini')}
                  ${t('order')}
                </a>
              `}
              ${webhook.body && html`
                <div>
                  <h3 class="label">${t('body')}</h3>
                  <pre class="mono secret body" tabindex="0" lang="en">${pretty(webhook.body)}</pre>
                  <p class="hint">${t('masked')}</p>
                </div>
              `}
              ${can('providers.write') && html`
                <button
                  class="button primary big"
                  id="replay"
                  aria-busy=${busy.value}
                  onClick=${replay}
                >
                  ${icon('rotate-cw')}
                  ${t('replay')}
                </button>
              `}
            `}
    <//>
  `
}
