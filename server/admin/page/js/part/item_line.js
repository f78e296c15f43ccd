// A line of an order: its picture, title, units and amount.

import { html } from '../html.js'
import { digits, langOf, money, name } from '../i18n.js'
import { thumb } from './order_row.js'

/** @param {import('../api.js').Schemas['StaffOrder']['items'][number]} item */
export const itemLine = (item) => html`
  <div class="line">
    ${thumb(item, item.quantity)}
    <span class="grow">
      <b lang=${langOf(name(item.title))}>${name(item.title)}</b>
      <br />
      <span class="small quiet">
        ${item.variantTitle && item.variantTitle + ' '}× ${digits(item.quantity)}
      </span>
    </span>
    <span>${money(item.total)}</span>
  </div>
`
