// What was sent to advertisers, and what they answered.

import { html, useEffect } from '../html.js'
import { act } from '../api.js'
import { dateTime, digits, langOf, money } from '../i18n.js'
import { useGet } from '../resource.js'
import { route, to, withQuery } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/advertising.js'
import { icon } from '../part/icon.js'
import { Pages } from '../part/pages.js'
import { attempt } from '../part/product_change.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'
import { showToast } from '../part/toast.js'

/** @typedef {import('../api.js').Schemas['Conversion']} Conversion */

/** @type {Record<string, string>} */
const tones = { waiting: 'wait', sent: 'done', refused: 'bad', expired: 'off' }

const soon = 10_000

export const view = () => allowed('analytics.read', () => html`<${Conversions} />`)

const chip = (
  /** @type {string} */ name,
  /** @type {string} */ value,
  /** @type {string} */ current,
  /** @type {string} */ text,
) => html`
  <a
    class=${value === current ? 'chip on' : 'chip'}
    href=${withQuery({ [name]: value, page: null })}
    aria-current=${value === current ? 'true' : undefined}
  >
    ${text}
  </a>
`

function Conversions() {
  const { query } = route.value
  const status = query.get('status') ?? ''
  const receiver = query.get('receiver') ?? ''
  const { data, problem, reload } = useGet('conversions', {
    status,
    receiver,
    page: query.get('page'),
  })
  /** @type {Conversion[]} */
  const all = data?.nodes ?? []
  useEffect(() => {
    if (!all.some(({ nextAt }) => nextAt && Date.parse(nextAt) < Date.now() + soon)) return
    const timer = setTimeout(reload, 2_000) // it is being sent
    return () => clearTimeout(timer)
  }, [data])
  return html`
    <div class="stack narrow">
      <div class="head first">
        <h1 tabindex="-1">${t('title')}</h1>
      </div>
      <nav class="row wraps" aria-label=${t('log')}>
        ${['', 'waiting', 'sent', 'refused', 'expired'].map((value) =>
          chip('status', value, status, t.dynamic('sent_' + (value || 'any'))),
        )}
      </nav>
      <nav class="row wraps" aria-label=${t('receivers')}>
        ${chip('receiver', '', receiver, t('everyone'))}
        ${chip('receiver', 'meta', receiver, t('meta'))}
        ${chip('receiver', 'tiktok', receiver, t('tiktok'))}
      </nav>
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(3)}<//>`
          : all.length === 0
            ? html`
                <${Empty} icon="send" title=${t('empty')} text=${t('emptyText')}>
                  ${can('settings.read') && html`
                    <a class="button" href=${to('settings', 'advertising')}>${t('setUp')}</a>
                  `}
                <//>
              `
            : html`
                <div class="card list" id="conversions">
                  ${all.map((one) => html`<${Row} key=${one._id} one=${one} reload=${reload} />`)}
                </div>
                <${Pages} meta=${data.meta} label=${t('title')} />
              `}
    </div>
  `
}

/** @param {{ one: Conversion, reload: () => void }} props */
function Row({ one, reload }) {
  const send = () =>
    attempt(async () => {
      await act(`conversions/${one._id}/send`, {}, { label: t('again') })
      showToast(t('sentAgain'))
      reload()
    })
  return html`
    <details>
      <summary class="fold">
        <span class="grow">
          ${t('order', { number: digits(one.orderNumber) })}
          <br />
          <span class="small quiet">${t(one.receiver)} · ${dateTime(one.at)}</span>
        </span>
        <span class="right">
          <span class="status ${tones[one.status]}">${t.dynamic('sent_' + one.status)}</span>
          <br />
          <span class="small quiet">${one.value ? money(one.value) : ''}</span>
        </span>
        ${icon('chevron-down', 'mini')}
      </summary>
      <div class="section stack">
        <p class="small quiet">
          ${[
            t.dynamic('step_' + one.step),
            t('attempts', { count: one.attempts }),
            one.responseStatus && digits(one.responseStatus),
            one.nextAt && t('nextAt', { time: dateTime(one.nextAt) }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
        <p>
          <a class="mono tiny" href=${to('order', one.orderId)}>${one.orderId}</a>
        </p>
        ${one.error && html`<p class="small tone-bad" lang=${langOf(one.error)}>${one.error}</p>`}
        ${one.attempts > 0 && html`
          <div>
            <h2 class="label">${t('answer')}</h2>
            <pre class="mono secret body" tabindex="0" lang="en">
              ${one.answer || t('emptyAnswer')}
            </pre>
          </div>
        `}
        ${one.resendable && can('settings.write') && html`
          <button class="button mini" onClick=${send}>
            ${icon('rotate-cw', 'mini')}
            ${t('again')}
          </button>
        `}
      </div>
    </details>
  `
}
