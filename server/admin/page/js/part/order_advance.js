// The advance of an order that is still to be paid, and the time by which a courier must get the
// goods of which a part was paid.

import { html } from '../html.js'
import { dateTime, money } from '../i18n.js'
import { to } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/advance.js'
import { icon } from './icon.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */

/** @param {{ order: StaffOrder, run: import('./order_details.js').Run }} props */
export function OpenAdvance({ order, run }) {
  const { advance, handOverBy } = order
  const waiting = advance?.payments.filter(({ status }) => status === 'waiting') ?? []
  return html`
    ${advance && advance.due.amount > 0 && html`
      <section class="card no-print" id="open-advance">
        <div class="section stack">
          <h2 class="row tone-warn">
            ${icon('wallet')}
            ${t('open', { amount: money(advance.due) })}
          </h2>
          <p class="small">${t(waiting.length > 0 ? 'reported' : 'openText')}</p>
          <div class="row wraps">
            ${waiting.length > 0 && html`
              <a class="button soft" href=${to('wallets', '', { search: order.orderNumber })}>
                ${t('check')}
              </a>
            `}
            ${can('orders.write') && html`
              <button
                class="button"
                id="waive-advance"
                onClick=${() => run('waiveAdvance', 'advance/waive')}
              >
                ${t('waive')}
              </button>
            `}
          </div>
        </div>
      </section>
    `}
    ${handOverBy && html`
      <p class="banner warn rounded row" id="hand-over">
        ${icon('clock')}
        <span>${t('handOver', { time: dateTime(handOverBy) })}</span>
      </p>
    `}
  `
}
