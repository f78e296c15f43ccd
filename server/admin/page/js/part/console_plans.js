// The plans of the server, and what each shop used in a month.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { digits, langOf, money, moneyOf, name as inLanguage, number, plainDigits } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { open, route, to, withQuery } from '../router.js'
import { t as words } from '../strings/console.js'
import { t } from '../strings/plan.js'
import { Confirm } from './console_link.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { Pages } from './pages.js'
import { limitsOf, megabytes } from './plan_use.js'
import { Choice } from './setting_card.js'
import { Empty, Failed, Skeleton, skeletonRows } from './states.js'

const limits = [
  'orders',
  'products',
  'staff',
  'imageBytes',
  'domains',
  'smsSegments',
  'callsPerSecond',
]

const softLimits = ['products', 'staff', 'imageBytes', 'domains', 'smsSegments']

/** @param {{ can: (permission: string) => boolean }} props */
export function Plans({ can }) {
  const { data, problem, reload } = useGet('plans')
  const edited = useSignal(/** @type {any} */ (null))
  const removed = useSignal(/** @type {any} */ (null))
  const close = () => {
    edited.value = null
    removed.value = null
  }
  if (problem && !data) return html`<${Failed} problem=${problem} retry=${reload} />`
  const button = can('plans.write') && html`
    <button
      class="button primary"
      id="new-plan"
      onClick=${() => {
        edited.value = { name: '', limits: {}, soft: [] }
      }}
    >
      ${icon('plus')}
      ${t('newPlan')}
    </button>
  `
  return html`
    <div class="stack">
      <div class="head first row spread">
        <h1 tabindex="-1">${t('plans')}</h1>
        ${data?.nodes.length > 0 && button}
      </div>
      ${!data
        ? html`<${Skeleton}>${skeletonRows(3)}<//>`
        : data.nodes.length === 0
          ? html`
              <${Empty} icon="layers" title=${t('noPlans')} text=${t('noPlansText')}>${button}<//>
            `
          : html`
              <ul class="card list" id="plans">
                ${data.nodes.map((/** @type {any} */ plan) => html`
                  <li class="section stack" key=${plan.name}>
                    <div>
                      <a href=${to('shops', '', { plan: plan.name })}>
                        <b>${plan.name}</b>
                      </a>
                      <span class="small quiet">${' · '}${t('usedBy', { count: plan.shops })}</span>
                      <br />
                      <span class="small quiet">${limitsOf(plan.limits)}</span>
                    </div>
                    ${can('plans.write') && html`
                      <div class="row console-actions">
                        <button
                          class="button mini"
                          data-plan=${plan.name}
                          onClick=${() => {
                            edited.value = plan
                          }}
                        >
                          ${t('change')}
                        </button>
                        ${plan.shops === 0 && html`
                          <button
                            class="button mini"
                            data-remove=${plan.name}
                            onClick=${() => {
                              removed.value = plan
                            }}
                          >
                            ${t('remove')}
                          </button>
                        `}
                      </div>
                    `}
                  </li>
                `)}
              </ul>
            `}
    </div>
    ${edited.value && html`<${PlanForm} plan=${edited.value} close=${close} />`}
    ${removed.value && html`
      <${Confirm}
        title=${t('remove')}
        text=${t('removeText', { name: removed.value.name })}
        action=${t('remove')}
        close=${close}
        run=${async () => {
          const path = 'plans/' + encodeURIComponent(removed.value.name)
          await act(path, {}, { method: 'DELETE' })
          close()
          changed()
        }}
      />
    `}
  `
}

/** @param {{ plan: any, close: () => void }} props */
function PlanForm({ plan, close }) {
  const isNew = plan.name === ''
  const soft = useSignal(/** @type {string[]} */ (plan.soft))
  const ownHost = useSignal(plan.ownHost == null ? '' : String(plan.ownHost))
  const unit = (/** @type {string} */ limit) => (limit === 'imageBytes' ? 1 << 20 : 1)
  const { form, errors, busy, onSubmit } = useForm(['name', ...limits], async (values) => {
    /** @type {Record<string, number>} */
    const chosen = {}
    for (const limit of limits) {
      const typed = plainDigits(values[limit] ?? '').replace(/[\s,]/g, '')
      if (typed !== '') chosen[limit] = Math.round(Number(typed) * unit(limit))
    }
    const atHost = ownHost.value === '' ? {} : { ownHost: ownHost.value === 'true' }
    const path = 'plans/' + encodeURIComponent((isNew ? values.name : plan.name).trim())
    await act(path, { limits: chosen, soft: soft.value, ...atHost }, { method: 'PUT' })
    close()
    changed()
  })
  return html`
    <${Dialog}
      title=${isNew ? t('newPlan') : plan.name}
      text=${t('planText')}
      close=${close}
      id="plan-form"
    >
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        ${isNew && html`
          <${Field}
            name="name"
            label=${t('name')}
            errors=${errors.value}
            autocomplete="off"
            maxlength="40"
            autofocus
          />
        `}
        ${limits.map((limit) => html`
          <${Field}
            key=${limit}
            name=${limit}
            label=${t.dynamic('limit_' + limit)}
            hint=${/^(orders|imageBytes)$/.test(limit)
              ? t.dynamic('limitHint_' + limit)
              : undefined}
            value=${plan.limits[limit] === undefined
              ? ''
              : digits(String(plan.limits[limit] / unit(limit)))}
            errors=${errors.value}
            inputmode="numeric"
            autocomplete="off"
          />
        `)}
        <fieldset class="stack">
          <legend class="small">${t('soft')}</legend>
          ${softLimits.map((limit) => html`
            <label class="row" key=${limit}>
              <input
                type="checkbox"
                defaultChecked=${plan.soft.includes(limit)}
                onChange=${(/** @type {any} */ { target }) => {
                  const others = soft.value.filter((other) => other !== limit)
                  soft.value = target.checked ? [...others, limit] : others
                }}
              />
              ${t.dynamic('limit_' + limit)}
            </label>
          `)}
        </fieldset>
        <${Choice}
          id="own-host"
          label=${t('ownHost')}
          value=${ownHost.value}
          choices=${[
            ['', t('ownHost_usual')],
            ['true', t('ownHost_true')],
            ['false', t('ownHost_false')],
          ]}
          onChange=${(/** @type {string} */ value) => {
            ownHost.value = value
          }}
        />
        <${Submit} busy=${busy.value}>${t('save')}<//>
      </form>
    <//>
  `
}

/**
 * Assigns a plan to one shop.
 * @param {{ uid: string, plan: string | null, close: () => void }} props
 */
export function AssignPlan({ uid, plan, close }) {
  const { data, problem, reload } = useGet('plans')
  const chosen = useSignal(plan ?? '')
  const { form, errors, busy, onSubmit } = useForm([], async () => {
    const body = { action: 'plan', shops: [uid], plan: chosen.value || undefined }
    await act('bulk/shops', body)
    close()
    changed()
  })
  return html`
    <${Dialog} title=${t('changePlan')} close=${close} id="assign-plan">
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(2)}<//>`
          : html`
              <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
                ${formError(errors.value)}
                <${PlanChoice} plans=${data.nodes} chosen=${chosen} />
                <${Submit} busy=${busy.value}>${t('save')}<//>
              </form>
            `}
    <//>
  `
}

/** @param {{ plans: any[], chosen: { value: string } }} props */
export const PlanChoice = ({ plans, chosen }) => html`
  <div class="field">
    <label for="plan">${t('plan')}</label>
    <div class="input">
      <select
        id="plan"
        onChange=${(/** @type {any} */ { target }) => {
          chosen.value = target.value
        }}
      >
        <option value="" selected=${chosen.value === ''}>${t('noPlan')}</option>
        ${plans.map((plan) => html`
          <option key=${plan.name} value=${plan.name} selected=${chosen.value === plan.name}>
            ${plan.name}
          </option>
        `)}
      </select>
    </div>
  </div>
`

/** What each shop used in a month. */
export function Usage() {
  const { query } = route.value
  const month = query.get('month') ?? new Date().toISOString().slice(0, 7)
  const { data, problem, reload } = useGet('usage', { month, page: query.get('page') })
  return html`
    <div class="stack">
      <div class="head first row spread">
        <h1 tabindex="-1">${t('usage')}</h1>
        <a
          class="button"
          id="usage-csv"
          download=${`usage-${month}.csv`}
          href=${'/admin/v1/operator/exports/usage?month=' + month}
        >
          ${icon('download')}
          ${t('download')}
        </a>
      </div>
      <div class="field">
        <label for="month">${t('month')}</label>
        <div class="input">
          <input
            id="month"
            type="month"
            defaultValue=${month}
            onChange=${(/** @type {any} */ { target }) => {
              if (/^\d{4}-\d{2}$/.test(target.value))
                open(withQuery({ month: target.value, page: null }), { replace: true })
            }}
          />
        </div>
      </div>
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(6)}<//>`
          : data.nodes.length === 0
            ? html`<${Empty} icon="store" title=${t('noShops')} />`
            : html`
                <ul class="card list" id="usage">
                  ${data.nodes.map((/** @type {any} */ shop) => html`
                    <li class="section" key=${shop.uid}>
                      <a href=${to('shop', shop.uid)}>
                        <b lang=${langOf(inLanguage(shop.name))}>
                          ${inLanguage(shop.name) || shop.uid}
                        </b>
                      </a>
                      <br />
                      <span class="small quiet">${shop.problem ?? figures(shop)}</span>
                    </li>
                  `)}
                </ul>
                <${Pages} meta=${data.meta} label=${words('shops')} />
              `}
    </div>
  `
}

const figures = (/** @type {any} */ { plan, usage, requests, cpuMilliseconds }) =>
  [
    plan ?? t('noPlan'),
    t('orders', { count: usage.orders }),
    money(moneyOf(usage.revenue, usage.currency)),
    t('segments', { count: number(usage.smsSegments) }),
    t('emails', { count: usage.emails }),
    t('pictures', { size: megabytes(usage.imageBytes) }),
    t('requests', { count: requests }),
    t('cpuTime', { seconds: number(Math.ceil(cpuMilliseconds / 1000)) }),
  ].join(' · ')
