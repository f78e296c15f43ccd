// What the shop has earned with an order that was delivered or has come back.

import { html } from '../html.js'
import { money } from '../i18n.js'
import { t } from '../strings/earned.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {import('../api.js').Schemas['Money']} Amount */

/** @param {{ earned: NonNullable<StaffOrder['earned']>, payment: StaffOrder['payment'] }} props */
export function view({ earned, payment }) {
  const { goods, delivery, rounding, unpaid, cost, lost, courierFees, cashFees, total } = earned
  /** A part that reduces it: none if it is zero, and a word if it is unknown. */
  const less = (/** @type {string} */ label, /** @type {Amount | null} */ amount) =>
    amount?.amount !== 0 && html`
      <dt class="quiet">${label}</dt>
      <dd>${amount ? '−' + money(amount) : t('unknown')}</dd>
    `
  return html`
    <dl class="facts small" id="earned">
      <dt class="quiet">${t('goods')}</dt>
      <dd>${money(goods)}</dd>
      ${delivery.amount > 0 && html`
        <dt class="quiet">${t('delivery')}</dt>
        <dd>${money(delivery)}</dd>
      `}
      ${less(t('rounding'), rounding)} ${less(t('unpaid'), unpaid)} ${less(t('cost'), cost)}
      ${cost && less(t('lost'), lost)} ${less(t('courierFees'), courierFees)}
      ${courierFees && less(t('cashFees'), cashFees)}
      <dt class="grand-total">${t('earned')}</dt>
      <dd class="grand-total">${total ? money(total) : t('notYet')}</dd>
    </dl>
    ${!total && html`
      <p class="small quiet">
        ${!cost || !lost ? t('noCost') : courierFees ? t('noRate') : t('noFee')}
      </p>
    `}
    ${payment.method !== 'cod' && html`<p class="small quiet">${t('gateway')}</p>`}
  `
}
