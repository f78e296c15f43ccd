// Cash that couriers have collected: what each owes, its shipments, and its statements.

import { html, useEffect, useSignal } from '../html.js'
import { act, Problem, send } from '../api.js'
import { date, money, sum } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { guard, open, route, to } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/cash.js'
import { t as common } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { CourierAccount, NoBalances } from '../part/cash_balance.js'
import { icon } from '../part/icon.js'
import { Pages } from '../part/pages.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'
import { bare, word } from '../part/status.js'
import { bar, byShipment, Differences, shipmentsOf, Skipped } from '../part/statement.js'
import { History } from '../part/statements.js'
import { showToast } from '../part/toast.js'

/** @typedef {import('../api.js').Schemas['CourierCash']} Courier */
/** @typedef {import('../api.js').Schemas['CashDifference']} Difference */
/** @typedef {import('../api.js').Schemas['CourierBalance']} Balance */
/** @typedef {import('../api.js').Schemas['Reconciliation']} Reconciliation */

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
      ${balance && html`<${CourierAccount} balance=${balance} retry=${reload} />`}
    </section>
  `
}

function Statement() {
  const text = useSignal('')
  const fileName = useSignal('')
  const preview = useSignal(/** @type {Reconciliation | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  const busy = useSignal(false)
  useEffect(() => guard(() => (text.value.trim() !== '' ? common('unsaved') : null)), [])
  const fail = (/** @type {unknown} */ error) => {
    if (!(error instanceof Problem)) throw error
    problem.value = error
  }
  async function check(/** @type {string} */ csv) {
    text.value = csv
    preview.value = null
    problem.value = null
    if (csv.trim() === '') return
    busy.value = true
    try {
      const { data } = await send('POST', 'cash/statements', {
        body: csv,
        type: 'text/csv',
        query: { dryRun: true },
      })
      if (text.value === csv) preview.value = data
    } catch (error) {
      fail(error)
    } finally {
      busy.value = false
    }
  }
  async function enter() {
    if (busy.value) return
    busy.value = true
    try {
      const done = await act('cash/statements', text.value, { type: 'text/csv', label: t('enter') })
      text.value = ''
      changed()
      showToast(t('entered', { count: shipmentsOf(done) }))
      open(to('cash', 'history'), { replace: true })
    } catch (error) {
      fail(error)
    } finally {
      busy.value = false
    }
  }
  async function choose(/** @type {FieldEvent} */ event) {
    const file = event.target.files?.[0]
    if (!file) return
    fileName.value = file.name
    await check(await file.text())
  }
  const plan = preview.value
  const differences = plan?.differences ?? []
  return html`
    ${bar(t('statement'))}
    <div class="stack narrow form-view">
      ${!plan && html`
        <p class="quiet">${t('statementText')}</p>
        <label class="button primary big file">
          <input
            type="file"
            id="file"
            class="visually-hidden"
            accept=".csv,text/csv,text/plain"
            onChange=${choose}
          />
          ${icon(busy.value ? 'loader' : 'file-up', busy.value ? 'spin' : '')}
          ${t('choose')}
        </label>
        <details class="card">
          <summary class="fold">
            <span class="grow">${t('paste')}</span>
            ${icon('chevron-down', 'mini')}
          </summary>
          <div class="section field">
            <label for="csv">${t('rows')}</label>
            <textarea
              id="csv"
              placeholder="consignment_id,collected,fee,paid"
              autocomplete="off"
              spellcheck=${false}
              onChange=${(/** @type {FieldEvent} */ event) => check(event.target.value)}
            ></textarea>
            <button type="button" class="button" id="check">${t('check')}</button>
          </div>
        </details>
      `}
      ${problem.value && html`
        <div class="banner bad rounded" role="alert" tabindex="-1">
          ${icon('circle-alert')}
          <ul class="grow">
            ${(problem.value.errors.length > 0 ? problem.value.errors : [problem.value])
              .slice(0, 5)
              .map((refusal) => html`<li>${explain(refusal)}</li>`)}
          </ul>
        </div>
      `}
      ${plan && html`
        <section class="card" id="preview">
          <div class="section">
            <div class="row spread">
              <h2>${word(plan.provider)}</h2>
              <span class="small quiet">
                ${[fileName.value, t('shipments', { count: shipmentsOf(plan) })]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </div>
            <dl class="facts">
              <dt class="quiet">${t('collected')}</dt>
              <dd>${money(plan.collected)}</dd>
              <dt class="quiet">${t('fees')}</dt>
              <dd>${money({ ...plan.fees, amount: -plan.fees.amount })}</dd>
              <dt class="grand-total">${t('paysOut')}</dt>
              <dd class="grand-total">${money(plan.paidOut)}</dd>
            </dl>
          </div>
          <div class="section row spread">
            <span class=${matching(plan) > 0 ? 'tone-good bold row' : 'quiet'}>
              ${matching(plan) > 0 && icon('check', 'mini')}
              ${t('match', { count: matching(plan) })}
            </span>
            ${differences.length > 0 && html`
              <span class="tone-bad bold">
                ${t('rowsDiffer', { count: byShipment(differences).length })}
              </span>
            `}
          </div>
        </section>
        ${differences.length > 0 && html`
          <section>
            <h2 class="row">${t('toCheck')}</h2>
            <${Differences} all=${differences} />
          </section>
        `}
        ${plan.skipped > 0 && html`<${Skipped} plan=${plan} />`}
        <div class="action-bar">
          <button class="button square" aria-label=${t('other')} onClick=${() => check('')}>
            ${icon('x')}
          </button>
          <button
            class="button primary big"
            id="enter-it"
            aria-busy=${busy.value}
            disabled=${shipmentsOf(plan) === 0}
            onClick=${enter}
          >
            ${icon(busy.value ? 'loader' : 'check', busy.value ? 'spin' : '')}
            ${t('enterCount', { count: shipmentsOf(plan) })}
          </button>
        </div>
      `}
    </div>
  `
}

/** Returns how many shipments of a statement are as the ledger has them. */
function matching(/** @type {Reconciliation} */ plan) {
  const differing = new Set(
    (plan.differences ?? [])
      .filter((difference) => difference.orderId)
      .map((difference) => difference.consignmentId),
  )
  return Math.max(0, shipmentsOf(plan) - differing.size)
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
                          <b class="mono">${line.consignmentId ?? '–'}</b>
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
