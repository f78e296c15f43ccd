// Analytics: what was sold, what came back and which courier holds how much, beside an earlier
// period.

import { html, useMemo, useSignal } from '../html.js'
import {
  decimalsOf,
  digits,
  langOf,
  language,
  majorUnits,
  money,
  moneyOf,
  number,
  phone,
  shopDay,
} from '../i18n.js'
import { useGet } from '../resource.js'
import { route, to } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/analytics.js'
import { t as common } from '../strings/common.js'
import { Chart } from '../part/chart.js'
import { icon } from '../part/icon.js'
import { Later } from '../part/later.js'
import { days, Period, period } from '../part/period.js'
import { daysText, permil, ReportCard, Save } from '../part/report.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'

/** @typedef {import('../api.js').Schemas['SalesOverview']} Overview */
/** @typedef {import('../api.js').Schemas['Metric']} Metric */
/** @typedef {import('../part/report.js').Chosen} Chosen */

const loadCampaigns = () => import('../part/campaigns.js')

export const view = () =>
  allowed('analytics.read', () =>
    route.value.id === 'campaigns'
      ? html`<${Later} load=${loadCampaigns} />`
      : html`<${Analytics} />`,
  )

const metrics = [
  'orders',
  'sales',
  'revenue',
  'averageOrder',
  'margin',
  'returnRate',
  'cancelRate',
  'paymentSuccess',
  'deliveryDays',
  'newBuyers',
]

/** Metrics of which less is better. */
const bad = /Rate|Days/

function Analytics() {
  const chosen = period()
  const { data, problem, reload } = useGet('analytics/overview', {
    from: chosen.from,
    to: chosen.to,
    compare: chosen.compare,
  })
  /** @type {Overview | undefined} */
  const overview = data
  const isEmpty =
    overview &&
    !overview.orders.value &&
    !overview.orders.before &&
    !overview.cancelRate.value &&
    overview.paymentSuccess.value === null
  return html`
    <div class="analytics">
      <div class="head first row spread wraps">
        <h1 tabindex="-1">${common('analytics')}</h1>
        <span class="row wraps">
          <a class="button mini" id="to-campaigns" href=${to('analytics', 'campaigns')}>
            ${t('campaigns')}
          </a>
          <${Save} name="overview" chosen=${chosen} />
        </span>
      </div>
      <${Period} />
      ${problem && !overview
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !overview
          ? html`<${Skeleton}>${skeletonRows(4)}<//>`
          : isEmpty
            ? html`<${Empty} icon="chart-column" title=${t('empty')} text=${t('emptyText')} />`
            : html`
                <p class="small quiet span">
                  ${t('beside', {
                    days: days(overview.from, overview.to),
                    before: days(overview.beforeFrom, overview.beforeTo),
                  })}
                </p>
                <div class="cols two">
                  <div class="stack">
                    <${Days} chosen=${chosen} />
                    <${Figures} overview=${overview} />
                    <${Times} overview=${overview} />
                    <${Places} chosen=${chosen} />
                  </div>
                  <div class="stack">
                    <${Couriers} chosen=${chosen} />
                    <${ReportCard}
                      name="products"
                      chosen=${chosen}
                      shown=${['units', 'sales', 'returned', 'margin']}
                      note=${t('note_products')}
                    />
                    <${ReportCard}
                      name="payments"
                      chosen=${chosen}
                      shown=${['orders', 'sales', 'success']}
                      note=${t('note_payments')}
                    />
                    <${ReportCard}
                      name="buyers"
                      chosen=${chosen}
                      shown=${['orders', 'sales', 'returned']}
                      note=${t('note_buyers')}
                      after=${top}
                    />
                    <${ReportCard}
                      name="sources"
                      chosen=${chosen}
                      shown=${['orders', 'sales', 'returned', 'cancelled']}
                    />
                    <${ReportCard} name="coupons" chosen=${chosen} shown=${['orders', 'sales']} />
                    <${ReportCard}
                      name="discounts"
                      chosen=${chosen}
                      shown=${['orders', 'sales']}
                      note=${t('note_discounts')}
                    />
                  </div>
                </div>
              `}
    </div>
  `
}

/** Returns a metric's value in words. */
function text(
  /** @type {Overview} */ overview,
  /** @type {Metric} */ metric,
  /** @type {number | null} */ n,
) {
  if (n === null) return '–'
  return metric.unit === 'money'
    ? money(moneyOf(n, overview.currency))
    : metric.unit === 'permil'
      ? permil(n)
      : metric.unit === 'days'
        ? daysText(n)
        : number(n)
}

const metricOf = (/** @type {Overview} */ overview, /** @type {string} */ name) =>
  /** @type {Metric} */ (overview[/** @type {keyof Overview} */ (name)])

/** Orders of the earlier period from which on a percentage says something. */
const enough = 10

/** A change with its sign, in the colour of what it means. */
function change(/** @type {Overview} */ overview, /** @type {string} */ name) {
  const { change: by } = metricOf(overview, name)
  if (by === null || by === 0 || (overview.orders.before ?? 0) < enough) return ''
  const good = bad.test(name) ? by < 0 : by > 0
  return html`
    <b class=${good ? 'tone-good' : 'tone-warn'}>
      ${by > 0 ? '▲' : '▼'} ${digits(Math.round(Math.abs(by) / 10))}
      ${language.value === 'bn' ? '%' : ' %'}
    </b>
  `
}

/** @param {{ overview: Overview }} props */
function Figures({ overview }) {
  const shown = metrics.filter((name) => name !== 'margin' || can('costs.read'))
  return html`
    <section class="card" id="figures">
      <div class="section">
        <h2>${t('overview')}</h2>
      </div>
      <dl class="figures">
        ${shown.map((name) => {
          const metric = metricOf(overview, name)
          return html`
            <div class="figure">
              <dt class="small quiet">${t.dynamic('metric_' + name)}</dt>
              <dd>
                <b>${text(overview, metric, metric.value)}</b> <span class="small nowrap">
                  ${change(overview, name)}
                </span>
                <br />
                <span class="small quiet">
                  ${t('before')} ${text(overview, metric, metric.before)}
                </span>
              </dd>
            </div>
          `
        })}
      </dl>
      <details id="how">
        <summary class="fold small">
          ${icon('info', 'mini')}
          <span class="grow">${t('how')}</span>
          ${icon('chevron-down', 'mini')}
        </summary>
        <dl class="section methods">
          ${shown.map((name) => html`
            <dt class="bold">${t.dynamic('metric_' + name)}</dt>
            <dd class="small quiet">${t.dynamic('how_' + name)}</dd>
          `)}
        </dl>
      </details>
    </section>
  `
}

/** Sales or orders of each day, drawn and as a table. @param {{ chosen: Chosen }} props */
function Days({ chosen }) {
  const { data, problem, reload } = useGet('analytics/days', {
    from: chosen.from,
    to: chosen.to,
    compare: chosen.compare,
  })
  const what = useSignal('sales')
  /** @type {import('../part/report.js').Report | undefined} */
  const report = data
  const isMoney = what.value === 'sales'
  /** @param {{ sales: import('../i18n.js').Money, orders: number }} row */
  const valueOf = (row) => (isMoney ? Number(majorUnits(row.sales)) : row.orders)
  const points = useMemo(
    () =>
      (report?.rows ?? []).map((row) => ({
        day: row.key,
        value: valueOf(row),
        before: row.before ? valueOf(row.before) : null,
      })),
    [report, isMoney],
  )
  if (problem && !report) return html`<${Failed} problem=${problem} retry=${reload} />`
  if (!report) return html`<${Skeleton}>${skeletonRows(3)}<//>`
  const { total, before } = report
  const { currency } = total.sales
  const format = (/** @type {number} */ n) =>
    isMoney ? money(moneyOf(Math.round(n * 10 ** decimalsOf(currency)), currency)) : number(n)
  return html`
    <section class="card" id="by-day">
      <div class="section row spread ends wraps">
        <div>
          <h2 class="small quiet">${t(isMoney ? 'sales' : 'orders')}</h2>
          <b class="pay">${isMoney ? money(total.sales) : number(total.orders)}</b>
          ${before && html`
            ${' '}
            <span class="small quiet">
              ${t('before')} ${isMoney ? money(before.total.sales) : number(before.total.orders)}
            </span>
          `}
        </div>
        <span class="row no-print">
          <button
            class="button mini"
            id="other-chart"
            onClick=${() => {
              what.value = isMoney ? 'orders' : 'sales'
            }}
          >
            ${icon('arrow-down-up', 'mini')}
            ${t(isMoney ? 'orders' : 'sales')}
          </button>
          <${Save} name="days" chosen=${chosen} />
        </span>
      </div>
      <${Chart}
        points=${points}
        format=${format}
        beforeLabel=${t('before')}
        label=${`${t(isMoney ? 'sales' : 'orders')}, ${days(report.from, report.to)}`}
      />
      <details>
        <summary class="fold small">
          ${icon('table-2', 'mini')}
          <span class="grow">${t('asTable')}</span>
          ${icon('chevron-down', 'mini')}
        </summary>
        <div class="wrap" tabindex="0" role="region" aria-label=${t('days')}>
          <table>
            <thead>
              <tr>
                <th>${t('day')}</th>
                <th class="numeric">${t('orders')}</th>
                <th class="numeric">${t('sales')}</th>
                <th class="numeric">${t('before')}</th>
              </tr>
            </thead>
            <tbody>
              ${[...report.rows].reverse().map((row) => html`
                <tr>
                  <td>${shopDay(row.key)}</td>
                  <td class="numeric">${number(row.orders)}</td>
                  <td class="numeric">${money(row.sales)}</td>
                  <td class="numeric quiet">${row.before ? money(row.before.sales) : '–'}</td>
                </tr>
              `)}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  `
}

const classes = ['0', '1', '2', '3', '4', '5', '6', '7', '8–10', '11–14', '15+']

/**
 * How long deliveries took, as bars and as the table that they are.
 * @param {{ overview: Overview }} props
 */
function Times({ overview }) {
  const all = overview.deliveryTimes.reduce((sum, n) => sum + n, 0)
  if (all === 0) return null
  const most = Math.max(...overview.deliveryTimes)
  const first = overview.deliveryTimes.findIndex((n) => n > 0)
  const last = overview.deliveryTimes.findLastIndex((n) => n > 0)
  return html`
    <section class="card report" id="times">
      <div class="section">
        <h2>${t('times')}</h2>
        <p class="small quiet">${t('timesText', { count: all })}</p>
      </div>
      <table>
        <thead>
          <tr>
            <th>${t('days')}</th>
            <th class="numeric">${t('deliveries')}</th>
          </tr>
        </thead>
        <tbody>
          ${overview.deliveryTimes.slice(first, last + 1).map((n, i) => html`
            <tr>
              <td>
                ${digits(classes[first + i])}
                <span class="share" aria-hidden="true">
                  <i style=${{ width: Math.round((100 * n) / most) + '%' }}></i>
                </span>
              </td>
              <td class="numeric">${number(n)}</td>
            </tr>
          `)}
        </tbody>
      </table>
    </section>
  `
}

/** @param {{ chosen: Chosen }} props */
const Couriers = ({ chosen }) => html`
  <${ReportCard}
    name="couriers"
    chosen=${chosen}
    note=${t('note_couriers')}
    shown=${['shipments', 'returned', 'days', 'fees', 'held']}
    bar=${(/** @type {any} */ row) => (row.returnRate ?? 0) / 1000}
  />
`

/** Cities, or their areas. @param {{ chosen: Chosen }} props */
function Places({ chosen }) {
  const areas = useSignal(false)
  return html`
    <${ReportCard}
      key=${areas.value}
      name=${areas.value ? 'areas' : 'places'}
      chosen=${chosen}
      note=${t('note_places')}
      shown=${['orders', 'sales', 'returned', 'days']}
      choices=${html`
        <button
          class="button mini no-print"
          id="other-places"
          onClick=${() => {
            areas.value = !areas.value
          }}
        >
          ${icon('map-pin', 'mini')}
          ${t(areas.value ? 'cities' : 'cityAreas')}
        </button>
      `}
    />
  `
}

/** The customers who have spent most. */
const top = (/** @type {import('../part/report.js').Report} */ { customers }) =>
  (customers ?? []).length > 0 && html`
    <div class="section">
      <h3 class="label">${t('top')}</h3>
    </div>
    <div class="wrap" tabindex="0" role="region" aria-label=${t('top')}>
      <table>
        <thead>
          <tr>
            <th>${t('customer')}</th>
            <th class="numeric">${t('orders')}</th>
            <th class="numeric">${t('spent')}</th>
          </tr>
        </thead>
        <tbody>
          ${(customers ?? []).map((customer) => html`
            <tr>
              <td>
                <a
                  class="under"
                  href=${to('customers', customer._id ?? customer.phoneNumber ?? '')}
                  lang=${langOf(customer.name)}
                >
                  ${customer.name || phone(customer.phoneNumber ?? '')}
                </a>
              </td>
              <td class="numeric">${number(customer.orders)}</td>
              <td class="numeric">${money(customer.spent)}</td>
            </tr>
          `)}
        </tbody>
      </table>
    </div>
  `
