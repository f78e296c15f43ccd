// One report of the Analytics screen: a table with a bar for each row, and its file.

import { html, useSignal } from '../html.js'
import { digits, language, langOf, money, name as inLanguage, number } from '../i18n.js'
import { useGet } from '../resource.js'
import { shopUID } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/analytics.js'
import { download } from './download.js'
import { icon } from './icon.js'
import { attempt } from './product_change.js'
import { skeletonRows, Failed, Skeleton } from './states.js'
import { word } from './status.js'

/** @typedef {import('../api.js').Schemas['SalesRow']} Row */
/** @typedef {import('../api.js').Schemas['SalesReport']} Report */
/** @typedef {ReturnType<typeof import('./period.js').period>} Chosen */

/** Tenths of a per cent: 7.9 %. */
export const permil = (/** @type {number | null | undefined} */ n) =>
  n === null || n === undefined
    ? '–'
    : (n < 0 ? '−' : '') +
      digits((Math.abs(n) / 10).toFixed(1).replace(/\.0$/, '')) +
      (language.value === 'bn' ? '%' : ' %')

/** Days of a delivery: 3, 8–10, 15+. */
export const daysText = (/** @type {number | null | undefined} */ n) =>
  n === null || n === undefined
    ? '–'
    : n === 8
      ? digits('8–10')
      : n === 11
        ? digits('11–14')
        : n >= 15
          ? digits('15+')
          : number(n)

/** Saves the report as a file. @param {{ name: string, chosen: Chosen, query?: any }} props */
export const Save = ({ name, chosen, query }) =>
  can('export') && html`
    <button
      class="button mini no-print"
      id=${'csv-' + name}
      aria-label=${`CSV: ${t.dynamic(name)}`}
      onClick=${() =>
        attempt(() =>
          download(
            'exports/analytics/' + name,
            { from: chosen.from, to: chosen.to, bom: true, ...query },
            `${name}-${shopUID.value}-${chosen.from}-${chosen.to}.csv`,
          ),
        )}
    >
      ${icon('save', 'mini')}CSV
    </button>
  `

const money0 = (/** @type {import('../i18n.js').Money | null | undefined} */ of) =>
  of ? money(of) : '–'

/**
 * The columns beside the name: key of the heading, and the cell.
 * @type {Record<string, (row: Row) => any>}
 */
const columns = {
  orders: (row) => number(row.orders),
  units: (row) => number(row.units),
  sales: (row) => html`
    ${money(row.sales)}
    ${row.before && html`
      <br />
      <span class="small quiet">${money(row.before.sales)}</span>
    `}
  `,
  margin: (row) => money0(row.margin),
  returned: (row) => permil(row.returnRate),
  cancelled: (row) => permil(row.cancelRate),
  success: (row) => permil(row.paymentSuccess),
  days: (row) => daysText(row.deliveryDays),
  shipments: (row) => number(row.shipments ?? 0),
  fees: (row) => money0(row.fees),
  held: (row) =>
    row.cash
      ? html`
          ${money(row.cash.held)}
          ${row.cash.oldestDays !== null && html`
            <br />
            <span class="small quiet">${t('oldest', { count: row.cash.oldestDays })}</span>
          `}
        `
      : '–',
}

function nameOf(/** @type {string} */ report, /** @type {Row} */ row) {
  if (row.key === '') return t.dynamic('none_' + report)
  if (report === 'couriers' || report === 'payments') return word(row.key)
  if (report === 'buyers') return t.dynamic('buyers_' + row.key)
  if (report === 'sources') return t.dynamic('source_' + row.key)
  return inLanguage(row.name)
}

/**
 * @param {{ name: string, chosen: Chosen, shown: string[], bar?: (row: Row) => number, note?: any,
 *   choices?: any, after?: (report: Report) => any }} props bar: of 0 to 1; left out, the share of
 *   the largest sales
 */
export function ReportCard({ name, chosen, shown, bar, note, choices, after }) {
  const limit = useSignal(8)
  const { data, problem, reload } = useGet('analytics/' + name, {
    from: chosen.from,
    to: chosen.to,
    compare: chosen.compare,
    limit: limit.value,
  })
  /** @type {Report | undefined} */
  const report = data
  const rows = report?.rows ?? []
  const most = Math.max(...rows.map((row) => row.sales.amount), 1)
  const share = bar ?? ((/** @type {Row} */ row) => row.sales.amount / most)
  const cells = shown
    .filter((figure) => figure !== 'margin' || can('costs.read'))
    .filter((figure) => figure !== 'held' || can('cash.read'))
  return html`
    <section class="card report" id=${'report-' + name}>
      <div class="section row spread wraps">
        <h2>${t.dynamic(name)}</h2>
        <span class="row">
          ${choices}
          <${Save} name=${name} chosen=${chosen} />
        </span>
      </div>
      ${note && html`<p class="section small quiet note">${note}</p>`}
      ${problem && !report
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !report
          ? html`<${Skeleton}>${skeletonRows(3)}<//>`
          : rows.length === 0
            ? html`<p class="section quiet">${t('nothing')}</p>`
            : html`
                <div class="wrap" tabindex="0" role="region" aria-label=${t.dynamic(name)}>
                  <table>
                    <thead>
                      <tr>
                        <th>${t.dynamic('by_' + name)}</th>
                        ${cells.map((column) => html`
                          <th class="numeric">${t.dynamic(column)}</th>
                        `)}
                      </tr>
                    </thead>
                    <tbody>
                      ${rows.map((row) => html`
                        <tr>
                          <td>
                            <span lang=${langOf(nameOf(name, row))}>${nameOf(name, row)}</span>
                            <span class="share" aria-hidden="true">
                              <i style=${{ width: Math.round(100 * share(row)) + '%' }}></i>
                            </span>
                          </td>
                          ${cells.map((column) => html`
                            <td class="numeric">${columns[column](row)}</td>
                          `)}
                        </tr>
                      `)}
                    </tbody>
                  </table>
                </div>
                ${report.moreRows && html`
                  <button
                    class="fold link no-print"
                    onClick=${() => {
                      limit.value = limit.value === 8 ? 50 : 400
                    }}
                  >
                    ${t('moreRows')}
                  </button>
                `}
              `}
      ${report && after?.(report)}
    </section>
  `
}
