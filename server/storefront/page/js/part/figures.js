import { h } from '../dom.js'
import { langOf, money, name, t } from '../language.js'
import { picture } from './product_card.js'

/** The amounts of a quote or an order, as computed by the server. */
export function figures(of, { delivery = true } = {}) {
  const rows = [['subtotal', money(of.subtotal)]]
  if (of.discount.amount) rows.push(['discount', '−' + money(of.discount)])
  if (delivery)
    rows.push(['deliveryCharge', of.deliveryCharge.amount ? money(of.deliveryCharge) : t('free')])
  if (delivery && of.rounding.amount) rows.push(['rounding', '−' + money(of.rounding)])
  if (delivery) rows.push(['total', money(of.total)])
  if (of.payment?.refundedAmount.amount)
    rows.push(['refundedAmount', '−' + money(of.payment.refundedAmount)])
  return h(
    'dl',
    { class: 'figures' },
    rows.map(([label, amount]) =>
      h(
        'div',
        { class: label === 'total' ? 'figures-total' : null },
        h('dt', null, t(label)),
        h('dd', null, amount),
      ),
    ),
  )
}

/** The lines of a quote or an order. */
export const orderLines = (items) =>
  h(
    'ul',
    { class: 'lines' },
    items.map((item) =>
      h(
        'li',
        { class: 'line' },
        h('div', { class: 'line-picture' }, picture(item.imageUrl && { url: item.imageUrl }, 72)),
        h(
          'div',
          { class: 'line-text' },
          h('span', { class: 'line-title', lang: langOf(name(item.title)) }, name(item.title)),
          item.variantTitle &&
            h('span', { class: 'quiet', lang: langOf(item.variantTitle) }, item.variantTitle),
          h(
            'span',
            { class: 'quiet' },
            t('quantityOf', { price: money(item.unitPrice), count: item.quantity }),
          ),
          // The subtotal excludes the discount, the line's total includes it.
          item.discount.amount > 0 &&
            h('span', { class: 'quiet' }, `${t('discount')} −${money(item.discount)}`),
        ),
        h('span', { class: 'line-total' }, money(item.total)),
      ),
    ),
  )
