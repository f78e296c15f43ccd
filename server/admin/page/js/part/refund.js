// A refund of money that the shop received: units or an amount, with the reason.

import { html, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { majorUnits, money, typedAmount } from '../i18n.js'
import { refreshCounts } from '../live.js'
import { changed } from '../resource.js'
import { t } from '../strings/refund.js'
import { Dialog } from './dialog.js'
import { Field, formError, Segments, Submit, useForm } from './form.js'
import { Lines, unitsOut } from './restock.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {import('../api.js').Schemas['Money']} Amount */

const reasons = ['sent_back', 'damaged', 'missing', 'goodwill', 'other']

/**
 * Whole means that the amount is due, and needs no reason.
 *
 * @param {{ title: string, text: string, path: string, label: string, most: Amount, whole?:
 *   boolean, order?: StaffOrder, close: () => void }} props
 */
export function Refund({ title, text, path, label, most, whole, order, close }) {
  const units = useSignal(/** @type {Record<string, number>} */ ({}))
  const reason = useSignal('damaged')
  const restock = useSignal(false)
  const again = useSignal(false)
  const { form, errors, busy, onSubmit } = useForm(['amount'], async (values, keyOf) => {
    const items = Object.entries(units.value)
      .filter(([, quantity]) => quantity > 0)
      .map(([variantId, quantity]) => ({
        variantId,
        quantity,
        restock: restock.value ? quantity : 0,
      }))
    const amount = values.amount === '' ? undefined : typedAmount(values.amount, most.currency)
    const wrong = amount === null || (amount !== undefined && (amount <= 0 || amount > most.amount))
    if (wrong || (amount === undefined && items.length === 0)) {
      const message = t('amountWrong', { amount: money(most) })
      throw new Problem(422, { errors: [{ field: 'amount', code: 'amount', message }] })
    }
    const body = {
      amount,
      items: items.length > 0 ? items : undefined,
      reason: whole ? undefined : reason.value,
      confirmDuplicate: again.value || undefined,
    }
    try {
      await act(path, body, { label, key: keyOf(body) })
    } catch (error) {
      if (!(error instanceof Problem) || !error.details.duplicateOf) throw error
      again.value = true
      throw new Problem(422, { errors: [{ field: '', code: 'again', message: t('again') }] })
    } finally {
      changed()
      refreshCounts()
    }
    showToast(t('done', { label }))
    close()
  })
  return html`
    <${Dialog} title=${title} text=${text} close=${close} id="refund">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        ${order && order.fulfillmentStatus === 'delivered' && html`
          <fieldset class="stack">
            <legend class="label">${t('units')}</legend>
            <${Lines}
              items=${unitsOut(order).filter((item) => item.quantity > 0)}
              units=${units.value}
              label="refundOf"
              change=${(/** @type {any} */ to) => {
                units.value = to
              }}
            />
            <label class="row">
              <input
                type="checkbox"
                name="restock"
                checked=${restock.value}
                onChange=${() => {
                  restock.value = !restock.value
                }}
              />
              ${t('restock')}
            </label>
          </fieldset>
        `}
        <${Field}
          name="amount"
          label=${order ? t('amountOrShare') : t('amount')}
          hint=${t('most', { amount: money(most) })}
          errors=${errors.value}
          inputmode="decimal"
          value=${whole ? majorUnits(most) : ''}
          autocomplete="off"
        />
        ${!whole && html`
          <${Segments}
            name="reason"
            label=${t('reason')}
            value=${reason.value}
            choices=${reasons.map((value) => [value, t.dynamic('reason_' + value)])}
            onChange=${(/** @type {string} */ to) => {
              reason.value = to
            }}
          />
        `}
        <${Submit} busy=${busy.value}>${again.value ? t('refundAgain') : t('refund')}<//>
      </form>
    <//>
  `
}
