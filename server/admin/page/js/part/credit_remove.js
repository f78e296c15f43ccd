// Removing a credit of an order that was recorded by mistake.

import { html } from '../html.js'
import { Problem } from '../api.js'
import { digits, money, name } from '../i18n.js'
import { t } from '../strings/credit.js'
import { Dialog } from './dialog.js'
import { formError, Submit, useForm } from './form.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {import('./order_details.js').Run} Run */

/** @param {{ order: StaffOrder, id: string, run: Run, close: () => void }} props */
export function view({ order, id, run, close }) {
  const credit = order.credits.find(({ _id }) => _id === id)
  const { form, errors, busy, onSubmit } = useForm([], async (values, keyOf) => {
    try {
      await run('removeCredit', 'credits/' + id, {}, { method: 'DELETE', key: keyOf(id) })
    } catch (error) {
      const refunded = error instanceof Problem && error.details.refundedAmount
      if (!refunded) throw error
      const message = t('refunded', { amount: money({ ...order.total, amount: refunded }) })
      throw new Problem(422, { errors: [{ field: '', code: 'refunded', message }] })
    }
    close()
  })
  const amount = credit ? money(credit.amount) : ''
  return html`
    <${Dialog}
      title=${t('title', { amount, number: digits(order.orderNumber) })}
      text=${t('text', { amount })}
      close=${close}
      id="remove-credit"
    >
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        ${credit && credit.title !== null && credit.restocked > 0 && html`
          <p>${t('stock', { units: digits(credit.restocked) + ' × ' + name(credit.title) })}</p>
        `}
        <${Submit} busy=${busy.value} kind="big bad">${t('remove')}<//>
      </form>
    <//>
  `
}
