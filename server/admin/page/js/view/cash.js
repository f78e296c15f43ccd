// Cash that couriers have collected: what each owes, its shipments, and its statements.

import { html } from '../html.js'
import { date, digits, money, sum } from '../i18n.js'
import { useGet } from '../resource.js'
import { route, to } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/cash.js'
import { CourierAccount, NoBalances } from '../part/cash_balance.js'
import { icon } from '../part/icon.js'
import { Pages } from '../part/pages.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'
import { bare, word } from '../part/status.js'
import { bar, Differences } from '../part/statement.js'
import { Statement } from '../part/statement_enter.js'
import { History } from '../part/statements.js'

/** @typedef {import('../api.js').Schemas['CourierCash']} Courier */
/** @typedef {import('../api.js').Schemas['CashDifference']} Difference */
/** @typedef {import('../api.js').Schemas['CourierBalance']} Balance */

export function view() {
  const { id } = route.value
  return allowed('cash.read', () =>
    id === 'statement'
      ? allowed('cash.write', () => html`<${Statement} />`)
      : id === 'history'
        ? html`<${History} />`
        : id === 'shipments'
          ? html`<${Shipments} />`
          : html`<${Overview} />`,
  )
}

const late = 7 // days after which cash that is held stands out

function Overview() {
  const { data, problem, reload } = useGet('cash')
  // of the couriers that report them, later than the ledger
  const accounts = useGet('cash/balances')
  /** @type {Balance[]} */
  const balances = accounts.data?.nodes ?? []
  /** @type {Courier[]} */
  const couriers = (data?.couriers ?? []).filter(
    (/** @type {Courier} */ courier) =>
      courier.holding > 0 || courier.underWay > 0 || courier.paidOut.amount !== 0,
  )
  /** @type {Difference[]} */
  const differences = data?.differences ?? []
  return html`
    <div class="stack narrow cash">
      <div class="head first">
        <h1 tabindex="-1">${t('title')}</h1>
        <a class="button" id="history" href=${to('cash', 'history')}>
          ${icon('clock')}
          ${t('history')}
        </a>
      </div>
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(2)}<//>`
          : couriers.length === 0
            ? html`<${Empty} icon="hand-coins" title=${t('empty')} text=${t('emptyText')} />`
            : couriers.map((courier) => html`
                <${Card}
                  key=${courier.provider}
                  courier=${courier}
                  reload=${accounts.reload}
                  balance=${balances.find((other) => other.provider === courier.provider)}
                />
              `)}
      ${data &&
        balances
          .filter((balance) => !couriers.some((other) => other.provider === balance.provider))
          .map((balance) => html`
            <section class="card" key=${balance.provider}>
              <div class="section">
                <h2>${word(balance.provider)}</h2>
              </div>
              <${CourierAccount} balance=${balance} retry=${accounts.reload} />
            </section>
          `)}
      ${data && accounts.problem && !accounts.data && html`
        <${NoBalances} problem=${accounts.problem} retry=${accounts.reload} />
      `}
      ${differences.length > 0 && html`
        <section>
          <h2 class="row">${t('toClarify', { count: differences.length })}</h2>
          <${Differences} all=${differences} />
        </section>
      `}
      ${can('cash.write') && data && html`
        <div class="action-bar above">
          <a class="button primary big" id="enter" href=${to('cash', 'statement')}>
            ${icon('file-up')}
            ${t('enter')}
          </a>
        </div>
      `}
    </div>
  `
}

/** @param {{ courier: Courier, balance: Balance | undefined, reload: () => void }} props */
function Card({ courier, balance, reload }) {
  const old = courier.oldestDays
  const list = (/** @type {string} */ status) =>
    to('cash', 'shipments', { courier: courier.provider, status })
  return html`
    <section class="card" id=${'cash-' + courier.provider}>
      <div class="section">
        <div class="row spread">
          <h2>${word(courier.provider)}</h2>
          ${old !== null && html`
            <span class=${old > late ? 'small tone-warn bold' : 'small quiet'}>
              ${old === 0 ? t('oldestToday') : t('oldest', { count: old })}
            </span>
          `}
        </div>
        <div class="row spread ends wraps">
          <a href=${list('held')}>
            <span class="small quiet">${t('held', { count: courier.holding })}</span>
            <br />
            <b class="pay">${money(courier.held)}</b>
          </a>
          <span class="right">
            <span class="small quiet">
              ${t('fees')} ${money({ ...courier.fees, amount: -courier.fees.amount })}
            </span>
            <br />
            <b>${t('payable')} ${money(courier.payable)}</b>
          </span>
        </div>
      </div>
      <div class="section row spread wraps small">
        <a class="under" href=${list('underWay')}>
          ${t('underWay', { count: courier.underWay })} ${money(courier.expected)}
        </a>
        <a class="quiet reach" href=${list('paid')}>${t('paidOut')} ${money(courier.paidOut)}</a>
      </div>
      ${balance && html`
        <${CourierAccount} balance=${balance} payable=${courier.payable} retry=${reload} />
      `}
    </section>
  `
}

const statuses = ['underWay', 'held', 'paid', 'different']

function Shipments() {
  const { query } = route.value
  const courier = query.get('courier') ?? ''
  const status = query.get('status') ?? 'held'
  const { data, problem, reload } = useGet('cash/shipments', {
    courier: courier || undefined,
    status,
    page: query.get('page'),
  })
  /** @type {import('../api.js').Schemas['LedgerLine'][]} */
  const rows = data?.nodes ?? []
  const all = rows.length > 0 && sum(rows.map((line) => line.collected ?? line.due))
  return html`
    ${bar(courier ? word(courier) : t('title'))}
    <div class="narrow">
      <nav class="views" aria-label=${t('title')}>
        ${statuses.map((value) => html`
          <a
            href=${to('cash', 'shipments', { courier, status: value })}
            aria-current=${value === status ? 'page' : undefined}
          >
            ${t.dynamic('list_' + value)}
          </a>
        `)}
      </nav>
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(4)}<//>`
          : rows.length === 0
            ? html`<${Empty} icon="hand-coins" title=${t('noShipments')} />`
            : html`
                ${all && html`
                  <p class="row spread pad-y">
                    <span class="quiet">
                      ${t('shipments', { count: data.meta.totalCount ?? rows.length })}
                    </span>
                    <b>${t('onPage')} ${money(all)}</b>
                  </p>
                `}
                <ul class="card list">
                  ${rows.map((line) => html`
                    <li>
                      <a class="fold" href=${to('order', line.orderId)}>
                        <span class="grow">
                          <b>#${digits(line.orderNumber)}</b>
                          ${' '}
                          <span class="small quiet mono">${line.consignmentId ?? '–'}</span>
                          <br />
                          <span class="small quiet">${date(line.at)}</span> ${bare(
                            'ship_' + line.status,
                          )}
                        </span>
                        <span class="right nowrap">
                          <b>${money(line.collected ?? line.due)}</b>
                          ${line.fee && html`
                            <br />
                            <span class="small quiet">${t('fees')} ${money(line.fee)}</span>
                          `}
                        </span>
                        ${icon('chevron-right', 'mini')}
                      </a>
                    </li>
                  `)}
                </ul>
                <${Pages} meta=${data.meta} label=${t('title')} />
              `}
    </div>
  `
}
