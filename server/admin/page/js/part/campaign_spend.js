// What was spent on a campaign, entered by hand.

import { html, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { addDays, dayOfShop } from '../i18n.js'
import { changed } from '../resource.js'
import { t } from '../strings/campaigns.js'
import { t as common } from '../strings/common.js'
import { nameOf } from './campaign_name.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { amountOf, shownAmount, sign } from './product_change.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['CampaignRow']} Row */

const maxDays = 400

const refuse = (/** @type {string} */ field, /** @type {string} */ message) =>
  new Problem(422, { errors: [{ field, code: 'invalid', message }] })

/** Returns the days from the first to the last; none if there are too many. */
function daysOf(/** @type {string} */ from, /** @type {string} */ to) {
  const days = []
  for (let day = from; day <= to && days.length <= maxDays; day = addDays(day, 1)) days.push(day)
  return days.length > maxDays ? [] : days
}

/** @param {{ rows: Row[], close: () => void }} props */
export function view({ rows, close }) {
  const choices = rows.filter(({ kind }) => kind !== 'other')
  const chosen = useSignal(choices.findIndex(({ kind }) => kind === 'campaign'))
  const yesterday = addDays(dayOfShop(), -1)
  const { form, errors, busy, onSubmit } = useForm(
    ['name', 'amount', 'from', 'to'],
    async ({ name, amount, from, to }, keyOf) => {
      const total = amountOf(amount)
      if (total === null || Number.isNaN(total) || total < 0) throw refuse('amount', t('noAmount'))
      const days = from && to ? daysOf(from, to) : []
      if (days.length === 0) throw refuse('to', t('noDays'))
      const of = choices[chosen.value] ?? { kind: 'campaign', name }
      const each = Math.floor(total / days.length)
      const body = {
        spend: days.map((day, i) => ({
          day,
          kind: of.kind,
          name: of.name,
          amount: each + (i < total - each * days.length ? 1 : 0),
        })),
      }
      await act('analytics/spend', body, { label: t('enter'), key: keyOf(body) })
      changed()
      showToast(t('saved', { total: shownAmount(total) }))
      close()
    },
  )
  return html`
    <${Dialog} title=${t('enter')} text=${t('enterText')} close=${close} id="spend">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <div class="field">
          <label for="spent-on">${t('of')}</label>
          <div class="input">
            <select
              id="spent-on"
              onChange=${(/** @type {FieldEvent} */ event) => {
                chosen.value = Number(event.target.value)
              }}
            >
              ${choices.map((row, i) => html`
                <option value=${i} selected=${i === chosen.value}>${nameOf(row)}</option>
              `)}
              <option value="-1" selected=${chosen.value === -1}>${t('another')}</option>
            </select>
          </div>
        </div>
        ${chosen.value === -1 && html`
          <${Field}
            name="name"
            label=${t('name')}
            hint=${t('nameHint')}
            errors=${errors.value}
            autocomplete="off"
            maxlength="100"
          />
        `}
        <${Field}
          name="amount"
          label=${t('amount')}
          prefix=${sign()}
          errors=${errors.value}
          inputmode="decimal"
          autocomplete="off"
        />
        <div class="two">
          <${Field}
            name="from"
            type="date"
            label=${t('from')}
            errors=${errors.value}
            value=${yesterday}
          />
          <${Field}
            name="to"
            type="date"
            label=${t('to')}
            errors=${errors.value}
            value=${yesterday}
          />
        </div>
        <${Submit} busy=${busy.value}>${common('save')}<//>
      </form>
    <//>
  `
}
