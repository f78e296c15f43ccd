// The days of a report, and the earlier ones beside them, in the address.

import { html } from '../html.js'
import { addDays, dayOfShop, shopDay } from '../i18n.js'
import { open, route, withQuery } from '../router.js'
import { t } from '../strings/analytics.js'
import { icon } from './icon.js'

const lengths = ['7', '30', '90', '365']

/** Returns the query of the period that the address names. */
export function period() {
  const { query } = route.value
  const today = dayOfShop()
  const compare = query.get('compare') === 'year' ? 'year' : 'previous'
  const name = query.get('period') ?? '30'
  if (name === 'own')
    return {
      name,
      from: query.get('from') ?? addDays(today, -29),
      to: query.get('to') ?? today,
      compare,
    }
  if (name === 'month') return { name, from: today.slice(0, 8) + '01', to: today, compare }
  if (name === 'last-month') {
    const to = addDays(today.slice(0, 8) + '01', -1)
    return { name, from: to.slice(0, 8) + '01', to, compare }
  }
  const days = lengths.includes(name) ? Number(name) : 30
  return { name: String(days), from: addDays(today, 1 - days), to: today, compare }
}

const change = (/** @type {Record<string, any>} */ to) => open(withQuery(to), { replace: true })

export function Period() {
  const chosen = period()
  const names = [...lengths, 'month', 'last-month', 'own']
  const day = (/** @type {string} */ name, /** @type {string} */ value) => html`
    <label class="chip">
      <span>${t.dynamic(name)}</span>
      <input
        type="date"
        id=${name}
        value=${value}
        max=${dayOfShop()}
        onChange=${(/** @type {FieldEvent} */ event) => {
          if (event.target.value) change({ [name]: event.target.value })
        }}
      />
    </label>
  `
  return html`
    <div class="chips no-print" id="period">
      <label class="chip on">
        ${icon('clock', 'mini')}
        <span class="visually-hidden">${t('period')}</span>
        <select
          id="days"
          onChange=${(/** @type {FieldEvent} */ event) =>
            change({ period: event.target.value, from: chosen.from, to: chosen.to })}
        >
          ${names.map((name) => html`
            <option value=${name} selected=${name === chosen.name}>
              ${lengths.includes(name) ? t('lastDays', { count: Number(name) }) : t.dynamic(name)}
            </option>
          `)}
        </select>
      </label>
      ${chosen.name === 'own' && html`${day('from', chosen.from)}${day('to', chosen.to)}`}
      <label class="chip">
        <span class="visually-hidden">${t('comparison')}</span>
        <select
          id="compare"
          onChange=${(/** @type {FieldEvent} */ event) => change({ compare: event.target.value })}
        >
          ${['previous', 'year'].map((name) => html`
            <option value=${name} selected=${name === chosen.compare}>${t.dynamic(name)}</option>
          `)}
        </select>
      </label>
    </div>
  `
}

/** The days in words: 1 Nov – 30 Nov. */
export const days = (/** @type {string} */ from, /** @type {string} */ to) =>
  `${shopDay(from)} – ${shopDay(to)}`
