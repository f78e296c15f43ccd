// The couriers' statements that were entered, and one of them with what was found in it.

import { html } from '../html.js'
import { date, dateTime, money } from '../i18n.js'
import { useGet } from '../resource.js'
import { route, to } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/cash.js'
import { icon } from './icon.js'
import { Pages } from './pages.js'
import { skeletonRows, Empty, Failed, Skeleton } from './states.js'
import { bar, byShipment, Differences } from './statement.js'
import { word } from './status.js'

/** @typedef {import('../api.js').Schemas['CashStatement']} Statement */

export function History() {
  const id = route.value.query.get('statement')
  return id ? html`<${Record} key=${id} id=${id} />` : html`<${List} />`
}

function List() {
  const { data, problem, reload } = useGet('cash/statements', {
    page: route.value.query.get('page'),
  })
  return html`
    ${bar(t('history'))}
    <div class="stack narrow">
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(3)}<//>`
          : data.nodes.length === 0
            ? html`
                <${Empty} icon="clock" title=${t('noHistory')} text=${t('noHistoryText')}>
                  ${can('cash.write') && html`
                    <a class="button primary" href=${to('cash', 'statement')}>${t('enter')}</a>
                  `}
                <//>
              `
            : html`
                <ul class="card list">
                  ${data.nodes.map((/** @type {Statement} */ statement) => html`
                    <${Row} key=${statement._id} statement=${statement} />
                  `)}
                </ul>
                <${Pages} meta=${data.meta} label=${t('history')} />
              `}
    </div>
  `
}

/** @param {{ statement: Statement }} props */
const Row = ({ statement }) => html`
  <li>
    <a class="fold" href=${to('cash', 'history', { statement: statement._id })}>
      <span class="grow">
        <b>${statement.provider ? word(statement.provider) : t('unknown')}</b> <span class="quiet">
          ${date(statement.at)}
        </span>
        <br />
        <span class="small quiet">
          ${t('shipments', { count: statement.shipments })}
          ${statement.collected && html` · ${t('collected')} ${money(statement.collected)}`}
        </span>
        ${!statement.complete && html`
          <br />
          <span class="small tone-warn bold">${t('incomplete')}</span>
        `}
        ${(statement.differences ?? 0) > 0 && html`
          <br />
          <span class="small tone-bad bold">${t('differ', { count: statement.differences })}</span>
        `}
      </span>
      <b class="nowrap">${money(statement.paidOut)}</b>
      ${icon('chevron-right', 'mini')}
    </a>
  </li>
`

/**
 * One statement, with the differences as they were when it was entered.
 * @param {{ id: string }} props
 */
function Record({ id }) {
  const { data, problem, reload } = useGet('cash/statements/' + encodeURIComponent(id))
  /** @type {import('../api.js').Schemas['StatementRecord'] | null} */
  const statement = data
  const title = statement?.provider ? word(statement.provider) : t('statement')
  return html`
    ${bar(title, to('cash', 'history'), statement && dateTime(statement.at))}
    <div class="stack narrow">
      ${problem && !statement
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !statement
          ? html`<${Skeleton}>${skeletonRows(2)}<//>`
          : html`
              <section class="card" id="record">
                <div class="section">
                  <div class="row spread">
                    <h2>${t('sums')}</h2>
                    <span class="small quiet">
                      ${t('shipments', { count: statement.shipments })}
                    </span>
                  </div>
                  <dl class="facts">
                    <dt class="quiet">${t('collected')}</dt>
                    <dd>${statement.collected ? money(statement.collected) : t('notInFile')}</dd>
                    <dt class="quiet">${t('fees')}</dt>
                    <dd>
                      ${statement.fees
                        ? money({ ...statement.fees, amount: -statement.fees.amount })
                        : t('notInFile')}
                    </dd>
                    <dt class="grand-total">${t('paidOut')}</dt>
                    <dd class="grand-total">${money(statement.paidOut)}</dd>
                    ${statement.arrived && html`
                      <dt class="quiet">${t('arrivedThen')}</dt>
                      <dd>${money(statement.arrived)}</dd>
                    `}
                  </dl>
                </div>
                ${!statement.complete && html`
                  <p class="section tone-warn bold">${t('incomplete')}</p>
                `}
              </section>
              <${Found} statement=${statement} />
            `}
    </div>
  `
}

/** @param {{ statement: import('../api.js').Schemas['StatementRecord'] }} props */
function Found({ statement: { complete, differences: count, found } }) {
  if (found.length > 0) {
    return html`
      <section>
        <h2>${t('rowsDiffer', { count: byShipment(found).length })}</h2>
        <p class="quiet pad-y">${t('foundThen')}</p>
        <${Differences} all=${found} />
        ${(count ?? 0) > found.length && html`
          <p class="quiet pad-y">${t('moreFound', { count: (count ?? 0) - found.length })}</p>
        `}
      </section>
    `
  }
  if (!complete) return null
  if (count === 0)
    return html`
      <p class="row tone-good bold" id="all-matched">${icon('circle-check')}${t('allMatched')}</p>
    `
  return html`
    <p class="quiet">${t('notStored')}</p>
    <a class="button" href=${to('cash')}>${t('toCash')}</a>
  `
}
