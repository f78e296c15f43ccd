// An order in a list: a card on a phone, a row of a table on a desk.

import { html } from '../html.js'
import { age, digits, langOf, money } from '../i18n.js'
import { ownPath } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/orders.js'
import { word as status } from './status.js'
import { icon } from './icon.js'
import { columns, goods, shownColumns } from './order_columns.js'
import { bare, signals } from './status.js'

/** @typedef {import('./live_rows.js').LiveRow} OrderRow */

export const place = (/** @type {{ area?: string | null, city: string }} */ { area, city }) =>
  area && area !== city ? `${area}, ${city}` : city

/** The amount that matters of an order: cash that is to be collected, or else its total. */
export const amount = (/** @type {OrderRow} */ row) =>
  can('prices.read') && money(row.cashToCollect.amount > 0 ? row.cashToCollect : row.total)

export const thumb = (
  /** @type {OrderRow['firstItem'] | { title: string, imageUrl: string | null } | null} */ item,
  units = 1,
  kind = '',
  mark = /** @type {any} */ (null),
) => html`
  <span class="thumbnail ${kind}">
    ${item?.imageUrl
      ? html`<img src=${ownPath(item.imageUrl)} alt="" loading="lazy" />`
      : icon('inbox')}
    ${units > 1 && html`<span class="units">${t('units', { n: units })}</span>`}
    ${mark}
  </span>
`

const gone = (/** @type {OrderRow} */ row) =>
  row.gone && html`<span class="tone-quiet">${t('gone')}</span>`

/** A table has the room for all signals of an order. */
const all = 9

const paid = (/** @type {OrderRow} */ row) =>
  row.cashToCollect.amount === 0 && row.paymentStatus === 'paid'

/**
 * @param {{ row: OrderRow, href: string, view: string, choosing: boolean, chosen: boolean, choose:
 *   (range: boolean) => void, press: any, current: boolean }} props
 */
export function OrderCard({ row, href, view, choosing, chosen, choose, press, current }) {
  const number = digits(row.orderNumber)
  const inside = html`
    <span class="row spread">
      <span class="bold cut" lang=${langOf(row.customer.name)}>${row.customer.name}</span>
      <span class="bold nowrap">${amount(row)}</span>
    </span>
    <span class="small quiet cut">
      #${number} · ${age(row.placedAt)} · <span lang=${langOf(row.city)}>${place(row)}</span>
    </span>
    <span class="small">${goods(row)}</span>
    <span class="signals">
      ${gone(row)}
      ${row.test && html`<span class="tone-info">${icon('info', 'mini')}${status('test')}</span>`}
      ${view !== 'toConfirm' &&
        bare(
          row.shipment && !/^(pending|cancelled|expired)$/.test(row.status)
            ? 'ship_' + row.shipment.status
            : row.status,
        )}
      ${paid(row) && bare('pay_paid')}
      ${signals(row, view === 'toConfirm' ? 2 : 1)}
    </span>
  `
  if (choosing) {
    return html`
      <li>
        <label class=${chosen ? 'list-item selected' : 'list-item'}>
          ${thumb(row.firstItem, row.units, '', html`
            <span class=${'tick on-thumbnail' + (chosen ? ' on' : '')}>
              ${icon('check', 'large')}
            </span>
          `)}
          <input
            class="visually-hidden"
            type="checkbox"
            checked=${chosen}
            aria-label=${t('selectOne', { number })}
            onChange=${() => choose(false)}
          />
          ${inside}
        </label>
      </li>
    `
  }
  return html`
    <li class=${(current ? 'open ' : '') + (row.gone ? 'gone' : '')} ...${press}>
      <a class="list-item" href=${href} data-order=${row._id}>
        ${thumb(row.firstItem, row.units)}
        ${inside}
      </a>
    </li>
  `
}

/**
 * @param {{ row: OrderRow, href: string, view: string, chosen: boolean, choose: (range: boolean) =>
 *   void, current: boolean, narrow: boolean }} props
 */
export function OrderTableRow({ row, href, view, chosen, choose, current, narrow }) {
  const number = digits(row.orderNumber)
  return html`
    <tr
      class=${(current ? 'open ' : '') + (chosen ? 'selected ' : '') + (row.gone ? 'gone' : '')}
      data-order=${row._id}
    >
      <td class="pick-cell">
        <label>
          <input
            type="checkbox"
            class="checkbox"
            checked=${chosen}
            aria-label=${t('selectOne', { number })}
            onClick=${(/** @type {MouseEvent} */ event) => choose(event.shiftKey)}
          />
        </label>
      </td>
      <td class="thumbnail-cell">${thumb(row.firstItem, row.units, 'mini')}</td>
      <td class="nowrap">
        <a class="cell" href=${href} aria-current=${current ? 'true' : undefined}>
          <b>#${number}</b>
          <br />
          <span class="small quiet">${age(row.placedAt)}</span>
        </a>
      </td>
      <td class="wide-cell">
        <span class="bold cut" lang=${langOf(row.customer.name)}>${row.customer.name}</span>
        <br />
        <span class="small quiet cut" lang=${langOf(row.city)}>${place(row)}</span>
      </td>
      ${!narrow &&
        shownColumns.value.map((column) => html`
          <td key=${column} class=${columns[column].kind ?? 'nowrap small'}>
            ${columns[column].cell(row)}
          </td>
        `)}
      ${can('prices.read') && html`<td class="numeric">${amount(row)}</td>`}
      <td class="signals-cell">
        ${view !== 'toConfirm' &&
          bare(
            row.shipment && !/^(pending|cancelled|expired)$/.test(row.status)
              ? 'ship_' + row.shipment.status
              : row.status,
          )}
        <span class="signals">
          ${gone(row)}
          ${paid(row) && bare('pay_paid')}
          ${signals(row, !narrow ? all : view === 'toConfirm' ? 2 : 1)}
        </span>
      </td>
    </tr>
  `
}
