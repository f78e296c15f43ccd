// The columns of the table of orders: which of them are shown is a choice of the device.

import { html, signal } from '../html.js'
import { loadJSON, saveJSON } from '../device.js'
import { dateTime, digits, langOf, money, name, phone } from '../i18n.js'
import { can } from '../session.js'
import { t } from '../strings/orders.js'
import { Dialog } from './dialog.js'
import { word } from './status.js'

/** @typedef {import('./live_rows.js').LiveRow} OrderRow */
/**
 * @typedef {{ title: () => string, cell: (row: OrderRow) => any, kind?: string }} Column kind: the
 *   class of its cells
 */

/** The first item of an order, and how many others there are. */
export const goods = (/** @type {OrderRow} */ { firstItem: item, lines }) => html`
  <span class="goods">
    <span class="cut" lang=${langOf(name(item?.title))}>${name(item?.title)}</span>
    ${lines > 1 && html`
      ${' '}
      <span class="quiet nowrap">${t('more', { n: lines - 1 })}</span>
    `}
  </span>
`

/**
 * The columns beside those of every table: the order, its buyer and its cash.
 * @type {Record<string, Column>}
 */
export const columns = {
  goods: { title: () => t('goods'), kind: 'wide-cell small', cell: goods },
  phone: { title: () => t('phone'), cell: (row) => phone(row.customer.phoneNumber) },
  placed: { title: () => t('placed'), cell: (row) => dateTime(row.placedAt) },
  total: { title: () => t('total'), kind: 'numeric', cell: (row) => money(row.total) },
  payment: { title: () => t('payment'), cell: (row) => word(row.paymentMethod) },
  courier: {
    title: () => t('courier'),
    cell: (row) =>
      row.shipment && html`
        ${word(row.shipment.provider)}
        <br />
        <span class="mono quiet">${row.shipment.consignmentId ?? '–'}</span>
      `,
  },
  calls: {
    title: () => t('calls'),
    kind: 'numeric',
    cell: (row) => (row.calls.count > 0 ? digits(row.calls.count) : ''),
  },
  source: { title: () => t('source'), cell: (row) => t.dynamic('from_' + row.source) },
  tags: {
    title: () => t('tags'),
    kind: 'wide-cell small',
    cell: (row) =>
      row.tags.map((tag) => html`
        <span class="tag" lang=${langOf(tag)}>${tag}</span>
        ${' '}
      `),
  },
}

/** The columns that are shown. */
export const shownColumns = signal(
  /** @type {string[]} */ (loadJSON('columns-orders', ['goods'])).filter(
    (column) => column in columns,
  ),
)

/** The columns that the person may see. */
const mayShow = () =>
  Object.entries(columns).filter(([column]) => column !== 'total' || can('prices.read'))

/** Chooses the columns. @param {{ close: () => void }} props */
export const Columns = ({ close }) => html`
  <${Dialog} title=${t('columns')} text=${t('columnsText')} close=${close} id="columns">
    <div class="options">
      ${mayShow().map(([key, { title }]) => html`
        <label class="option">
          <input
            type="checkbox"
            class="checkbox"
            name="column"
            value=${key}
            checked=${shownColumns.value.includes(key)}
            onChange=${(/** @type {FieldEvent} */ { target }) => {
              shownColumns.value = Object.keys(columns).filter((column) =>
                column === key ? target.checked : shownColumns.value.includes(column),
              )
              saveJSON('columns-orders', shownColumns.value)
            }}
          />
          <span class="grow">${title()}</span>
        </label>
      `)}
    </div>
  <//>
`
