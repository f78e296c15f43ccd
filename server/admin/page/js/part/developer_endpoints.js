// The shop's own webhooks: the addresses that receive what happens, and one of them with its
// deliveries.

import { html, useEffect, useSignal } from '../html.js'
import { act, Problem, send } from '../api.js'
import { age, ago, addDays, dateTime, dayOfShop, instant, langOf } from '../i18n.js'
import { changed, generation, useGet } from '../resource.js'
import { open, route, to, withQuery } from '../router.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/developers.js'
import { Confirm, Names, SecretDialog } from './developer_parts.js'
import { Dialog } from './dialog.js'
import { Field, formError, Segments, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { Pages } from './pages.js'
import { attempt } from './product_change.js'
import { skeletonRows, Empty, Failed, Skeleton } from './states.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['Endpoint']} Endpoint */
/** @typedef {import('../api.js').Schemas['Delivery']} Delivery */
/** @typedef {{ endpoint: Endpoint, etag: string | null }} Loaded */

/** What can be sent. @type {Exclude<import('../api.js').Schemas['EventType'], '*' | 'test'>[]} */
const types = [
  'order.placed',
  'order.confirmed',
  'order.edited',
  'order.cancelled',
  'order.expired',
  'order.completed',
  'order.returned',
  'order.paid',
  'order.payment_review',
  'order.refund_due',
  'order.refunded',
  'shipment.booked',
  'shipment.moved',
  'shipment.delivered',
  'shipment.problem',
  'shipment.returning',
  'shipment.returned',
  'product.created',
  'product.updated',
  'product.deleted',
  'stock.low',
  'stock.out',
  'coupon.created',
  'coupon.updated',
  'coupon.deleted',
  'customer.created',
  'cash.reconciled',
  'provider.webhook_failed',
  'job.finished',
  'settings.changed',
  'staff.signed_in',
  'shop.restored',
  'webhook_endpoint.disabled',
  'plan.warning',
]

/** Returns whether events are sent: a tone and words. */
const stateOf = (/** @type {Endpoint} */ endpoint) =>
  endpoint.disabledReason
    ? ['bad', t('hook_disabled')]
    : !endpoint.active
      ? ['off', t('hook_off')]
      : endpoint.failingSince
        ? ['wait', t('hook_failing', { age: age(endpoint.failingSince) })]
        : ['done', t('hook_on')]

const state = (/** @type {Endpoint} */ endpoint) => html`
  <span class="status ${stateOf(endpoint)[0]}">${stateOf(endpoint)[1]}</span>
`

const typesOf = (/** @type {Endpoint} */ endpoint) =>
  endpoint.types[0] === '*' ? t('allTypes') : t('fewTypes', { count: endpoint.types.length })

export function Endpoints() {
  const { data, problem, reload } = useGet('webhook-endpoints')
  const begun = useSignal(false)
  const secret = useSignal(/** @type {{ secret: string, id: string } | null} */ (null))
  /** @type {Endpoint[]} */
  const all = data?.nodes ?? []
  const button = html`
    <button
      class="button primary"
      id="new-hook"
      onClick=${() => {
        begun.value = true
      }}
    >
      ${icon('plus')}
      ${t('newHook')}
    </button>
  `
  return html`
    ${problem && !data
      ? html`<${Failed} problem=${problem} retry=${reload} />`
      : !data
        ? html`<${Skeleton}>${skeletonRows(3)}<//>`
        : all.length === 0
          ? html`<${Empty} icon="send" title=${t('noHooks')} text=${t('hooksText')}>${button}<//>`
          : html`
              <div class="row spread top-aligned">
                <p class="quiet small grow">${t('hooksText')}</p>
                ${button}
              </div>
              <ul class="card list" id="hooks">
                ${all.map((endpoint) => html`
                  <li key=${endpoint._id}>
                    <a
                      class="fold"
                      href=${to('developers', 'webhooks/' + endpoint._id)}
                      data-hook=${endpoint._id}
                    >
                      <span class="grow">
                        <span class="row spread wraps">
                          <b lang=${langOf(endpoint.label)}>${endpoint.label}</b>
                          ${state(endpoint)}
                        </span>
                        <span class="small quiet mono" lang="en">${endpoint.url}</span>
                        <br />
                        <span class="small quiet">
                          ${typesOf(endpoint)} · ${endpoint.lastDelivery
                            ? t('lastAnswer', {
                                status: endpoint.lastDelivery.responseStatus ?? t('noAnswer'),
                                age: ago(endpoint.lastDelivery.at),
                              })
                            : t('nothingSent')}
                        </span>
                      </span>
                      ${icon('chevron-right', 'mini')}
                    </a>
                  </li>
                `)}
              </ul>
            `}
    ${begun.value && html`
      <${EndpointDialog}
        close=${() => {
          begun.value = false
        }}
        done=${(/** @type {any} */ created) => {
          begun.value = false
          secret.value = { secret: created.secret, id: created._id }
          changed()
        }}
      />
    `}
    ${secret.value && html`
      <${SecretDialog}
        title=${t('secretHook')}
        secret=${secret.value.secret}
        close=${() => {
          const id = secret.value?.id
          secret.value = null
          open(to('developers', 'webhooks/' + id))
        }}
      />
    `}
  `
}

/** Creates an endpoint, or changes one.
 * @param {{ loaded?: Loaded, close: () => void, done: (saved: any) => void }} props */
function EndpointDialog({ loaded, close, done }) {
  const current = useSignal(loaded)
  const from = current.value?.endpoint
  const some = useSignal(from !== undefined && from.types[0] !== '*')
  const chosen = useSignal(/** @type {string[]} */ (some.value ? (from?.types ?? []) : []))
  const payload = useSignal(/** @type {string} */ (from?.payload ?? 'thin'))
  const { form, errors, busy, onSubmit } = useForm(
    ['url', 'label', 'types'],
    async ({ url, label }, keyOf) => {
      if (some.value && chosen.value.length === 0)
        throw new Problem(422, {
          errors: [{ field: 'types', code: 'none', message: t('scopeNone') }],
        })
      const body = { url, label, types: some.value ? chosen.value : ['*'], payload: payload.value }
      try {
        done(
          await (from
            ? act('webhook-endpoints/' + from._id, body, {
                method: 'PATCH',
                ifMatch: current.value?.etag,
                label: from.label,
              })
            : act('webhook-endpoints', body, { label: t('newHook'), key: keyOf(body) })),
        )
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'changed_meanwhile') throw error
        const { data, etag } = await send('GET', 'webhook-endpoints/' + from?._id)
        current.value = { endpoint: data, etag }
        some.value = data.types[0] !== '*'
        chosen.value = some.value ? data.types : []
        payload.value = data.payload
        const mine = [url, label, body.types.join(', '), t.dynamic('payload_' + body.payload)].join(
          ' · ',
        )
        throw new Problem(412, { code: 'theirs', detail: t('conflict', { mine }) })
      }
    },
  )
  const words = t.dynamic
  return html`
    <${Dialog}
      title=${from ? t('edit') : t('newHook')}
      text=${from ? '' : t('hooksText')}
      close=${close}
      id="hook"
    >
      <form ref=${form} key=${current.value?.etag} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="url"
          label=${t('url')}
          hint=${t('urlHint')}
          value=${from?.url}
          errors=${errors.value}
          inputmode="url"
          autocapitalize="none"
          autocomplete="off"
        />
        <${Field}
          name="label"
          label=${t('label')}
          hint=${t('labelHint')}
          value=${from?.label}
          errors=${errors.value}
          maxlength="100"
          autocomplete="off"
        />
        <${Segments}
          name="some"
          label=${t('types')}
          value=${some.value ? 'some' : 'all'}
          onChange=${(/** @type {string} */ to) => {
            some.value = to === 'some'
          }}
          choices=${['all', 'some'].map((scope) => [scope, words('types_' + scope)])}
        />
        ${some.value && html`
          <${Names}
            label=${t('types_some')}
            all=${types}
            chosen=${chosen.value}
            error=${errors.value.types}
            onChange=${(/** @type {string[]} */ to) => {
              chosen.value = to
            }}
          />
        `}
        <${Segments}
          name="payload"
          label=${t('payload')}
          value=${payload.value}
          onChange=${(/** @type {string} */ to) => {
            payload.value = to
          }}
          choices=${['thin', 'full'].map((payload) => [payload, words('payload_' + payload)])}
        />
        <p class="hint">${t('payloadHint')}</p>
        <${Submit} busy=${busy.value}>${from ? common('save') : t('create')}<//>
      </form>
    <//>
  `
}

/** @typedef {'' | 'edit' | 'range' | 'rotate' | 'delete'} Step */

/** @param {{ id: string }} props */
export function EndpointView({ id }) {
  const loaded = useSignal(/** @type {Loaded | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  const step = useSignal(/** @type {Step} */ (''))
  const secret = useSignal('')
  const busy = useSignal('')
  const tested = useSignal(/** @type {Delivery | null} */ (null))
  const path = 'webhook-endpoints/' + id
  const load = () =>
    send('GET', path).then(
      ({ data, etag }) => {
        loaded.value = { endpoint: data, etag }
        problem.value = null
      },
      (error) => {
        if (!(error instanceof Problem)) throw error
        problem.value = error
      },
    )
  useEffect(() => {
    load()
  }, [id, generation.value])
  const close = () => {
    step.value = ''
  }
  if (problem.value && !loaded.value)
    return html`<${Failed} problem=${problem.value} retry=${load} />`
  if (!loaded.value) return html`<${Skeleton}>${skeletonRows(4)}<//>`
  const { endpoint, etag } = loaded.value
  async function run(/** @type {string} */ name, /** @type {() => Promise<any>} */ change) {
    if (busy.value) return
    busy.value = name
    await attempt(change)
    busy.value = ''
    changed()
  }
  const test = () =>
    run('test', async () => {
      const got = /** @type {Delivery} */ (await act(path + '/test', {}, { label: t('test') }))
      tested.value = got
    })
  const turn = () =>
    run('turn', async () => {
      await act(
        path,
        { active: !endpoint.active },
        { method: 'PATCH', ifMatch: etag, label: endpoint.label },
      )
      showToast(t(endpoint.active ? 'switchedOff' : 'switchedOn'))
    })
  /** @param {string} name @param {string} picture @param {string} text @param {() => void} click */
  const button = (name, picture, text, click, tone = '') => html`
    <button
      class="button ${tone}"
      id=${'hook-' + name}
      aria-busy=${busy.value === name}
      onClick=${click}
    >
      ${icon(picture, 'mini')}
      ${text}
    </button>
  `
  return html`
    <section class="card section stack">
      <div class="row spread wraps">
        <b lang=${langOf(endpoint.label)}>${endpoint.label}</b>
        ${state(endpoint)}
      </div>
      <p class="mono small" lang="en">${endpoint.url}</p>
      <p class="small quiet">${typesOf(endpoint)} · ${t.dynamic('payload_' + endpoint.payload)}</p>
      ${endpoint.types[0] !== '*' && html`
        <p class="mono tiny quiet" lang="en">${endpoint.types.join(', ')}</p>
      `}
      ${endpoint.disabledReason && html`
        <div class="banner bad rounded">
          ${icon('circle-alert')}
          <span class="grow">
            <b lang=${langOf(endpoint.disabledReason)}>
              ${t('disabledText', { reason: endpoint.disabledReason })}
            </b>
            <br />
            ${t('disabledNext')}
          </span>
        </div>
      `}
      <div class="row wraps">
        ${endpoint.active
          ? button('test', 'send', t('test'), test, 'soft')
          : button('turn', 'power', t('switchOn'), turn, 'primary')}
        ${button('edit', 'pencil', t('edit'), () => {
          step.value = 'edit'
        })}
        ${endpoint.active && button('turn', 'power', t('switchOff'), turn)}
      </div>
      <div role="status">
        ${tested.value && html`
          <p
            class=${tested.value.status === 'sent' ? 'banner good rounded' : 'banner bad rounded'}
            id="tested"
          >
            ${icon(tested.value.status === 'sent' ? 'circle-check' : 'circle-alert')}
            <span>
              ${tested.value.status === 'sent'
                ? t('testOK', {
                    status: String(tested.value.responseStatus),
                    ms: tested.value.tookMs ?? 0,
                  })
                : t('testBad', {
                    reason: tested.value.error ?? String(tested.value.responseStatus),
                  })}
            </span>
          </p>
        `}
      </div>
    </section>
    <${Deliveries}
      id=${id}
      range=${() => {
        step.value = 'range'
      }}
    />
    <div class="card list">
      ${[
        ['rotate', 'key-round', 'hintRotate'],
        ['delete', 'trash', 'hintDelete'],
      ].map(([name, picture, hint]) => html`
        <button
          type="button"
          class=${name === 'delete' ? 'fold full tone-bad' : 'fold full'}
          id=${'hook-' + name}
          onClick=${() => {
            step.value = /** @type {Step} */ (name)
          }}
        >
          ${icon(picture)}
          <span class="grow">
            ${t.dynamic(name)}
            <br />
            <span class="small quiet">${t.dynamic(hint)}</span>
          </span>
          ${icon('chevron-right', 'mini')}
        </button>
      `)}
    </div>
    ${step.value === 'edit' && html`
      <${EndpointDialog}
        loaded=${loaded.value}
        close=${close}
        done=${() => {
          close()
          changed()
          showToast(common('saved'))
        }}
      />
    `}
    ${step.value === 'range' && html`<${RangeDialog} path=${path} close=${close} />`}
    ${step.value === 'rotate' && html`
      <${Confirm}
        title=${t('askRotate')}
        text=${t('askRotateText')}
        button=${t('rotate')}
        bad=${false}
        close=${close}
        run=${async () => {
          secret.value = (await act(path + '/rotate', {}, { label: t('rotate') })).secret
        }}
      />
    `}
    ${step.value === 'delete' && html`
      <${Confirm}
        title=${t('askDelete')}
        text=${t('askDeleteText')}
        button=${t('delete')}
        close=${close}
        run=${async () => {
          await act(path, {}, { method: 'DELETE', ifMatch: etag, label: t('delete') })
          showToast(t('deleted'))
          open(to('developers', 'webhooks'), { replace: true })
          changed()
        }}
      />
    `}
    ${secret.value && html`
      <${SecretDialog}
        title=${t('secretHook')}
        secret=${secret.value}
        close=${() => {
          secret.value = ''
          changed()
        }}
      />
    `}
  `
}

/** @param {{ path: string, close: () => void }} props */
function RangeDialog({ path, close }) {
  const today = dayOfShop()
  const { form, errors, busy, onSubmit } = useForm(['from', 'to'], async ({ from, to: last }) => {
    const { queued } = await act(
      path + '/redeliver',
      { from: instant(from).toISOString(), to: instant(addDays(last, 1)).toISOString() },
      { label: t('range') },
    )
    close()
    showToast(t('queued', { count: queued }))
    changed()
  })
  const day = (/** @type {'from' | 'to'} */ name, /** @type {string} */ value) => html`
    <${Field}
      name=${name}
      type="date"
      label=${t(name)}
      value=${value}
      max=${today}
      errors=${errors.value}
      required
    />
  `
  return html`
    <${Dialog} title=${t('range')} text=${t('rangeText')} close=${close} id="range">
      <form ref=${form} onSubmit=${onSubmit} class="stack">
        ${formError(errors.value)}
        <div class="two">${day('from', today)}${day('to', today)}</div>
        <${Submit} busy=${busy.value}>${t('again')}<//>
      </form>
    <//>
  `
}

/** @type {Record<string, string>} */
const tones = { waiting: 'wait', sent: 'done', failed: 'bad' }

/** @param {{ id: string, range: () => void }} props */
function Deliveries({ id, range }) {
  const { query } = route.value
  const status = query.get('status') ?? ''
  const { data, problem, reload } = useGet(`webhook-endpoints/${id}/deliveries`, {
    status,
    page: query.get('page'),
  })
  const redeliver = (/** @type {Delivery} */ delivery) =>
    attempt(async () => {
      await act(`deliveries/${delivery._id}/redeliver`, {}, { label: t('again') })
      showToast(t('sentAgain'))
      reload()
    })
  /** @type {Delivery[]} */
  const all = data?.nodes ?? []
  return html`
    <section class="stack">
      <div class="row spread wraps">
        <h2 class="grow">
          ${t('deliveries')}
          ${' '}
          <span class="small quiet later">${t('stored30')}</span>
        </h2>
        <button class="button mini" id="hook-range" onClick=${range}>
          ${icon('rotate-cw', 'mini')}
          ${t('range')}
        </button>
      </div>
      <nav class="row wraps" aria-label=${t('deliveries')}>
        ${['', 'waiting', 'sent', 'failed'].map((state) => html`
          <a
            class=${state === status ? 'chip on' : 'chip'}
            href=${withQuery({ status: state, page: null })}
            aria-current=${state === status ? 'true' : undefined}
          >
            ${t.dynamic('sent_' + (state || 'any'))}
          </a>
        `)}
      </nav>
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(3)}<//>`
          : all.length === 0
            ? html`
                <${Empty} icon="send" title=${t('noDeliveries')} text=${t('noDeliveriesText')} />
              `
            : html`
                <div class="card list" id="deliveries">
                  ${all.map((delivery) => html`
                    <details key=${delivery._id}>
                      <summary class="fold">
                        <span class="grow">
                          <span class="mono small" lang="en">${delivery.type}</span>
                          <br />
                          <span class="small quiet">${dateTime(delivery.at)}</span>
                        </span>
                        <span class="right">
                          <span class="status ${tones[delivery.status]}">
                            ${t.dynamic('sent_' + delivery.status)}
                          </span>
                          <br />
                          <span class="small quiet">
                            ${delivery.responseStatus ??
                              (delivery.attempts > 0 ? t('noAnswer') : '')}
                          </span>
                        </span>
                        ${icon('chevron-down', 'mini')}
                      </summary>
                      <div class="section stack">
                        <p class="small quiet">
                          ${[
                            t('attempts', { count: delivery.attempts }),
                            delivery.tookMs === null ? '' : t('took', { ms: delivery.tookMs }),
                            delivery.nextAt && t('nextAt', { time: dateTime(delivery.nextAt) }),
                          ]
                            .filter(Boolean)
                            .join(' · ')}
                        </p>
                        <p class="mono tiny quiet" lang="en">${delivery.webhookId}</p>
                        ${delivery.error && html`
                          <p class="small tone-bad" lang=${langOf(delivery.error)}>
                            ${delivery.error}
                          </p>
                        `}
                        ${delivery.attempts > 0 && html`
                          <div>
                            <h3 class="label">${t('answer')}</h3>
                            <pre class="mono secret body" tabindex="0" lang="en">
                              ${delivery.answer || t('emptyAnswer')}
                            </pre>
                          </div>
                        `}
                        ${delivery.type !== 'test' && delivery.status !== 'waiting' && html`
                          <button class="button mini" onClick=${() => redeliver(delivery)}>
                            ${icon('rotate-cw', 'mini')}
                            ${t('again')}
                          </button>
                        `}
                      </div>
                    </details>
                  `)}
                </div>
                <${Pages} meta=${data.meta} label=${t('deliveries')} />
              `}
    </section>
  `
}
