// The report by campaign: visits, orders, and what was spent and came back.

import { html, useSignal } from '../html.js'
import { digits, money, number } from '../i18n.js'
import { useGet } from '../resource.js'
import { open, route, to, withQuery } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/campaigns.js'
import { t as common } from '../strings/common.js'
import { nameOf } from './campaign_name.js'
import { icon } from './icon.js'
import { Later } from './later.js'
import { days, Period, period } from './period.js'
import { Save } from './report.js'
import { skeletonRows, Empty, Failed, Skeleton } from './states.js'
import { copy } from './toast.js'

/** @typedef {import('../api.js').Schemas['CampaignReport']} Report */
/** @typedef {import('../api.js').Schemas['CampaignRow']} Row */
/** @typedef {import('../api.js').Schemas['CampaignFigures']} Figures */
/** @typedef {import('../i18n.js').Money} Money */

const loadForm = () => import('../part/campaign_spend.js')
const loadFile = () => import('../part/campaign_file.js')
const loadEntered = () => import('../part/campaign_entered.js')

/** The parameters that Meta fills in. */
const parameters = [
  'utm_source={{site_source_name}}',
  'utm_medium=paid',
  'utm_campaign={{campaign.name}}',
  'utm_content={{ad.name}}',
].join('&')

/** What nobody knows. */
const unknown = '–'

const moneyOr = (/** @type {Money | null} */ of) => (of ? money(of) : unknown)

/** Money per money: 2.5×. */
const times = (/** @type {number | null} */ n) =>
  n === null ? unknown : t('times', { n: digits((n / 1000).toFixed(n < 10_000 ? 2 : 1)) })

/** @type {Record<string, (of: Figures) => any>} */
const figures = {
  visits: (of) => (of.visits === null ? unknown : number(of.visits)),
  orders: (of) => number(of.orders),
  confirmed: (of) => number(of.confirmed),
  delivered: (of) => number(of.delivered),
  returned: (of) => number(of.returned),
  revenue: (of) => money(of.deliveredRevenue),
  margin: (of) => moneyOr(of.margin),
  spend: (of) => moneyOr(of.spend),
  back: (of) => times(of.returnOnSpend),
}

const isShown = (/** @type {string} */ name, /** @type {Figures} */ of) =>
  (name !== 'margin' || can('costs.read')) && (of.spend || (name !== 'spend' && name !== 'back'))

/**
 * Figures, each beside the earlier period's.
 * @param {{ of: Figures, before?: Figures | null }} props
 */
const FigureList = ({ of, before }) => html`
  <dl class="figures campaign">
    ${Object.keys(figures)
      .filter((name) => isShown(name, of))
      .map((name) => {
        const loses = name === 'back' && of.returnOnSpend !== null && of.returnOnSpend < 1000
        const was = before && figures[name](before)
        return html`
          <div class="figure">
            <dt class="small quiet">${t.dynamic(name)}</dt>
            <dd>
              <b class=${loses ? 'tone-bad' : ''}>${figures[name](of)}</b>
              ${name === 'spend' && of.costPerDelivered && html`
                <br />
                <span class="small quiet">
                  ${t('cost', { amount: money(of.costPerDelivered) })}
                </span>
              `}
              ${was && was !== unknown && html`
                <br />
                <span class="small quiet">${t('before')} ${was}</span>
              `}
            </dd>
          </div>
        `
      })}
  </dl>
`

/** @param {{ row: Row }} props */
const Campaign = ({ row }) => html`
  <li>
    <div class="section">
      <h2 class="label">${nameOf(row)}</h2>
      ${row.sources.length > 0 && html`<p class="small quiet">${row.sources.join(' · ')}</p>`}
    </div>
    <${FigureList} of=${row} before=${row.before} />
  </li>
`

export function view() {
  const chosen = period()
  const touch = route.value.query.get('touch') === 'first' ? 'first' : 'last'
  const limit = useSignal(20)
  const opened = useSignal('')
  const isOpen = useSignal(false)
  const { data, problem, loading, reload } = useGet('analytics/campaigns', {
    from: chosen.from,
    to: chosen.to,
    compare: chosen.compare,
    touch,
    limit: limit.value,
  })
  /** @type {Report | undefined} */
  const report = data
  const close = () => {
    opened.value = ''
  }
  const button = (
    /** @type {string} */ name,
    /** @type {string} */ symbol,
    /** @type {string} */ text,
  ) => html`
    <button
      type="button"
      class="button"
      id=${name}
      onClick=${() => {
        opened.value = name
      }}
    >
      ${icon(symbol)}
      ${text}
    </button>
  `
  return html`
    <div class="analytics stack campaigns">
      <div class="head first row">
        <a
          class="icon-button"
          data-back
          aria-label=${common('back')}
          href=${to('analytics', '', { period: chosen.name })}
        >
          ${icon('arrow-left')}
        </a>
        <h1 class="grow" tabindex="-1">${t('campaigns')}</h1>
        <${Save} name="campaigns" chosen=${chosen} query=${{ touch }} />
      </div>
      <${Period} />
      <div class="chips no-print">
        <label class="chip">
          <span>${t('touch')}</span>
          <select
            id="touch"
            onChange=${(/** @type {FieldEvent} */ event) =>
              open(withQuery({ touch: event.target.value }), { replace: true })}
          >
            ${['last', 'first'].map((name) => html`
              <option value=${name} selected=${name === touch}>${t.dynamic(name)}</option>
            `)}
          </select>
        </label>
      </div>
      ${can('analytics.write') && html`
        <div class="row wraps no-print">
          ${button('enter-spend', 'pencil', t('enter'))} ${button(
            'spend-file',
            'file-up',
            t('file'),
          )}
        </div>
      `}
      ${problem && !report
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !report
          ? html`<${Skeleton}>${skeletonRows(3)}<//>`
          : report.rows.length === 0
            ? html`<${Empty} icon="chart-column" title=${t('empty')} text=${t('emptyText')} />`
            : html`
                <section class="card" id="campaign-total" aria-busy=${loading}>
                  <div class="section">
                    <h2>${t('total')}</h2>
                    <p class="small quiet">${days(report.from, report.to)}</p>
                  </div>
                  <${FigureList} of=${report.total} before=${report.before?.total} />
                </section>
                <ul class="card list" id="campaigns">
                  ${report.rows.map((row) => html`
                    <${Campaign} key=${row.kind + ' ' + row.name} row=${row} />
                  `)}
                </ul>
                ${report.moreRows && html`
                  <button
                    type="button"
                    class="button no-print"
                    onClick=${() => {
                      limit.value = limit.value === 20 ? 100 : 1000
                    }}
                  >
                    ${t('more')}
                  </button>
                `}
                <p class="small quiet">${t('note')}</p>
              `}
      <section class="card list no-print">
        <details
          id="entered"
          onToggle=${(/** @type {any} */ { target }) => {
            isOpen.value = target.open
          }}
        >
          <summary class="fold">
            ${icon('list')}
            <span class="grow">${t('entered')}</span>
            ${icon('chevron-down', 'mini')}
          </summary>
          ${isOpen.value && html`<${Later} load=${loadEntered} chosen=${chosen} />`}
        </details>
        <details id="tagging">
          <summary class="fold">
            ${icon('circle-question-mark')}
            <span class="grow">${t('tagging')}</span>
            ${icon('chevron-down', 'mini')}
          </summary>
          <div class="section stack">
            <p class="small">${t('taggingText')}</p>
            <p class="mono small breaks" id="parameters">${parameters}</p>
            <button type="button" class="button mini" onClick=${() => copy(parameters)}>
              ${icon('copy', 'mini')}
              ${t('copy')}
            </button>
          </div>
        </details>
      </section>
      ${opened.value === 'enter-spend' && html`
        <${Later} load=${loadForm} close=${close} rows=${report?.rows ?? []} />
      `}
      ${opened.value === 'spend-file' && html`<${Later} load=${loadFile} close=${close} />`}
    </div>
  `
}
