// The audit log: who has changed what, with both values, by person, action, subject and period.

import { html } from '../html.js'
import { addDays, dateTime, dayOfShop, instant, langOf, number } from '../i18n.js'
import { useGet } from '../resource.js'
import { open, route, to, withQuery } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/audit.js'
import { icon } from './icon.js'
import { Pages } from './pages.js'
import { skeletonRows, Empty, Failed, Skeleton } from './states.js'
import { named } from './team_link.js'

/** @typedef {import('../api.js').Schemas['AuditEntry']} Entry */

const filters = ['actor', 'action', 'subject', 'period']
/** @type {Record<string, number>} */
const periods = { today: 0, week: 6, month: 29 }

/** The views of what entries are about. @type {Record<string, [string, string]>} */
const views = {
  order: ['order', 'orders.read'],
  product: ['product', 'products.read'],
  collection: ['collections', 'products.read'],
  staff: ['team', 'staff.read'],
  key: ['developers', 'keys.write'],
  webhook_endpoint: ['developers/webhooks', 'keys.write'],
  settings: ['settings', 'settings.read'],
}

/** Returns the address of what an entry is about, '' if it has no view. */
function hrefOf(/** @type {Entry['subject']} */ { kind, _id: id }) {
  const [view, permission] = views[kind] ?? []
  if (!view || !can(permission) || (!id && kind !== 'settings')) return ''
  if (view.includes('/')) return to('developers', 'webhooks/' + id)
  return to(view, kind === 'settings' || kind === 'key' ? '' : id)
}

export function Audit() {
  const { query } = route.value
  const [actor, action, subject, period] = filters.map((filter) => query.get(filter) ?? '')
  const from =
    period in periods ? instant(addDays(dayOfShop(), -periods[period])).toISOString() : undefined
  const { data, problem, loading, reload } = useGet('audit', {
    actor,
    action,
    subject,
    from,
    page: query.get('page'),
  })
  const { data: staff } = useGet(can('staff.read') ? 'staff' : null)
  const set = (/** @type {string} */ name) => (/** @type {FieldEvent} */ event) =>
    open(withQuery({ [name]: event.target.value, page: null }))
  /** @type {(name: string, label: string, value: string, all: [string, string][]) => any} */
  const choice = (name, label, value, all) => html`
    <label class="chip">
      <span class="quiet">${label}</span>
      <select id=${'audit-' + name} onChange=${set(name)}>
        ${all.map(([key, text]) => html`
          <option value=${key} selected=${key === value}>${text}</option>
        `)}
      </select>
    </label>
  `
  const chip = (/** @type {string} */ name, /** @type {string} */ text) => html`
    <a
      class="chip on"
      href=${withQuery({ [name]: null, page: null })}
      aria-label=${t('remove', { what: text })}
    >
      <span class="cut">${text}</span>
      ${icon('x', 'mini')}
    </a>
  `
  /** @type {[string, string][]} */
  const people = (staff?.nodes ?? []).map((/** @type {any} */ person) => [person._id, person.name])
  const kinds = ['key', 'cli', 'operator'].map(
    (source) => /** @type {[string, string]} */ ([source, t.dynamic('by_' + source)]),
  )
  /** @type {Entry[]} */
  const all = data?.nodes ?? []
  const isFiltered = filters.some((filter) => query.get(filter))
  return html`
    <header class="top plain over">
      <a class="icon-button" data-back aria-label=${common('back')} href=${to('team')}>
        ${icon('arrow-left')}
      </a>
      <div class="title">
        <h1 tabindex="-1" class="cut">${t('title')}</h1>
      </div>
    </header>
    <div class="stack narrow form-view audit">
      <p class="quiet small">${t('hint')}</p>
      <div class="row wraps">
        ${choice('actor', t('member'), actor, [['', t('anybody')], ...people, ...kinds])}
        ${choice(
          'period',
          t('period'),
          period,
          ['', ...Object.keys(periods)].map((period) => [period, t.dynamic(period || 'always')]),
        )}
        ${action && chip('action', action)}
        ${subject &&
          chip(
            'subject',
            all.find((entry) => entry.subject._id === subject)?.subject.label || subject,
          )}
      </div>
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(4)}<//>`
          : all.length === 0
            ? html`
                <${Empty}
                  icon="list-checks"
                  title=${t(isFiltered ? 'noneFound' : 'none')}
                  text=${isFiltered && t('noneText')}
                >
                  ${isFiltered && html`
                    <a class="button" href=${to('team', 'audit')}>${t('clear')}</a>
                  `}
                <//>
              `
            : html`
                <div class="card list" id="audit" aria-busy=${loading}>
                  ${all.map((entry) => html`<${Line} key=${entry._id} entry=${entry} />`)}
                </div>
                <${Pages} meta=${data.meta} label=${t('title')} />
              `}
    </div>
  `
}

const kindOf = (/** @type {string} */ kind) => t.dynamic('kind_' + kind)

/** An entry, which opens to its values. of: the ID of what all entries of the list are about.
 * @param {{ entry: Entry, of?: string }} props */
export function Line({ entry, of }) {
  const { actor, subject, changes } = entry
  const href = hrefOf(subject)
  const label = subject.label || subject._id
  const who = actor.name || t.dynamic('by_' + actor.kind)
  return html`
    <details data-entry=${entry._id}>
      <summary class="fold">
        <span class="grow">
          <b>${named(who)}</b>
          <span class="mono small" lang="en"> ${entry.action}</span>
          <br />
          ${!of && html`
            <span class="small">
              <span class="quiet">${kindOf(subject.kind)}</span> ${named(label)}
            </span>
            <br />
          `}
          <span class="small quiet">${dateTime(entry.at)}</span>
        </span>
        ${icon('chevron-down', 'mini')}
      </summary>
      <div class="section stack">
        ${changes?.length
          ? changes.map(({ field, before, after }) => html`
              <dl class="both">
                <dt class="mono small" lang="en">${field}</dt>
                <dd>
                  <span class="small quiet">${t('before')}</span>
                  <br />
                  ${shown(before)}
                </dd>
                <dd>
                  <span class="small quiet">${t('after')}</span>
                  <br />
                  ${shown(after)}
                </dd>
              </dl>
            `)
          : html`<p class="small quiet">${t('noChanges')}</p>`}
        <p class="small quiet">
          ${t('from')}: <span lang="en">
            ${[entry.via, entry.client].filter(Boolean).join(' · ')}
          </span>
          ${entry.requestId && html`
            <br />
            ${t('requestId')}: <span class="mono">${entry.requestId}</span>
          `}
        </p>
        ${!of && html`
          <div class="row wraps">
            ${href && html`
              <a class="button mini" href=${href} data-open>
                ${icon('external-link', 'mini')}
                ${t('open')}
              </a>
            `}
            <a
              class="button mini"
              data-only="action"
              href=${to('team', 'audit', { action: entry.action })}
            >
              ${t('onlyAction')}
            </a>
            ${subject._id && html`
              <a
                class="button mini"
                data-only="subject"
                href=${to('team', 'audit', { subject: subject._id })}
              >
                ${t('onlySubject')}
              </a>
            `}
          </div>
        `}
      </div>
    </details>
  `
}

/** A value of a change: texts as they are, the rest as JSON in lines. */
function shown(/** @type {any} */ value) {
  if (
    value === null ||
    value === undefined ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  ) {
    return html`<span class="quiet">${t('nothing')}</span>`
  }
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
  if (typeof value === 'number') return number(value)
  if (typeof value === 'string')
    return html`<span class="value" lang=${langOf(value)}>${value}</span>`
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return html`<span class="value">${value.join(', ')}</span>`
  return html`<code class="value" lang="en">${JSON.stringify(value, null, 1)}</code>`
}
