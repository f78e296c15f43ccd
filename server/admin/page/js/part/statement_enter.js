// Enters a courier's statement: its file, what its columns have, what differs, and what arrived.

import { html, useEffect, useSignal } from '../html.js'
import { act, Problem, send } from '../api.js'
import { money, signOf, typedAmount } from '../i18n.js'
import { changed } from '../resource.js'
import { guard, open, to } from '../router.js'
import { session } from '../session.js'
import { t } from '../strings/cash.js'
import { t as common } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { Field } from './form.js'
import { icon } from './icon.js'
import { word } from './status.js'
import { bar, byShipment, Differences, shipmentsOf, Skipped } from './statement.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['Reconciliation']} Reconciliation */
/** @typedef {import('../api.js').Schemas['StatementColumn']} Column */
/** @typedef {import('../api.js').Schemas['StatementTotal']} Total */

const kinds = ['consignment', 'collected', 'fee', 'cashFee', 'paidOut', 'none']

const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const typeOf = (/** @type {Blob} */ file) =>
  file instanceof File && file.name.toLowerCase().endsWith('.xlsx') ? workbook : 'text/csv'

export function Statement() {
  const file = useSignal(/** @type {Blob | null} */ (null))
  const columns = useSignal(/** @type {Column[]} */ ([]))
  const mustChoose = useSignal(false) // the columns are not understood
  const isChosen = useSignal(false) // the columns were corrected
  const preview = useSignal(/** @type {Reconciliation | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  const arrived = useSignal('')
  const busy = useSignal(false)
  useEffect(() => guard(() => (file.value ? common('unsaved') : null)), [])

  const query = () => ({
    columns: isChosen.value ? columns.value.map(({ kind }) => kind).join(',') : '',
  })

  /** Runs what mustChoose the server, and shows why it failed. */
  async function ask(/** @type {() => Promise<void>} */ run) {
    if (busy.value) return
    busy.value = true
    problem.value = null
    try {
      await run()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problem.value = error
    } finally {
      busy.value = false
    }
  }

  async function check() {
    const now = file.value
    if (!now) return
    preview.value = null
    const { data } = await send('POST', 'cash/statements', {
      body: now,
      type: typeOf(now),
      query: { dryRun: true, ...query() },
    })
    if (file.value === now) preview.value = data
  }

  const choose = (/** @type {Blob | null} */ chosen) => {
    file.value = chosen
    columns.value = []
    isChosen.value = false
    preview.value = null
    problem.value = null
    arrived.value = ''
    if (!chosen) return
    ask(async () => {
      const { data } = await send('POST', 'cash/statements/columns', {
        body: chosen,
        type: typeOf(chosen),
      })
      columns.value = data.columns
      mustChoose.value = !data.usable || columns.value.some(({ unclear }) => unclear)
      if (data.usable) await check()
    })
  }

  const correct = (/** @type {number} */ index, /** @type {any} */ kind) => {
    columns.value = columns.value.map((column, i) => ({
      ...column,
      unclear: false,
      // each kind has one column
      kind: i === index ? kind : column.kind === kind && kind !== 'none' ? 'none' : column.kind,
    }))
    isChosen.value = true
    preview.value = null
    const has = (/** @type {string} */ other) =>
      columns.value.some((column) => column.kind === other)
    if (has('consignment') && ['collected', 'fee', 'cashFee', 'paidOut'].some(has)) ask(check)
  }

  const enter = () =>
    ask(async () => {
      const now = file.value
      const amount = typedAmount(arrived.value, currency())
      if (!now) return
      const done = await act('cash/statements', now, {
        type: typeOf(now),
        label: t('enter'),
        query: { ...query(), arrived: Number.isNaN(amount) ? null : amount },
      })
      file.value = null
      changed()
      showToast(t('entered', { count: shipmentsOf(done) }))
      open(to('cash', 'history'), { replace: true })
    })

  const plan = preview.value
  const isUnclear = columns.value.some(({ unclear }) => unclear)
  return html`
    ${bar(t('statement'))}
    <div class="stack narrow form-view">
      ${!plan && columns.value.length === 0 && html`<${Choice} choose=${choose} />`}
      ${busy.value && !plan && html`
        <p class="row quiet" role="status">${icon('loader', 'spin')}${t('reading')}</p>
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
      ${plan && html`<${Preview} plan=${plan} name=${nameOf(file.value)} arrived=${arrived} />`}
      ${columns.value.length > 0 && html`
        <${Columns} all=${columns.value} mustChoose=${mustChoose.value} correct=${correct} />
      `}
      ${plan && html`
        ${plan.differences.length > 0 && html`
          <section>
            <h2 class="row">${t('toCheck')}</h2>
            <${Differences} all=${plan.differences} />
          </section>
        `}
        ${plan.skipped > 0 && html`<${Skipped} plan=${plan} />`}
      `}
      ${columns.value.length > 0 && html`
        <div class="action-bar">
          <button class="button square" aria-label=${t('other')} onClick=${() => choose(null)}>
            ${icon('x')}
          </button>
          <button
            class="button primary big"
            id="enter-it"
            aria-busy=${busy.value}
            disabled=${!plan || isUnclear || shipmentsOf(plan) === 0}
            onClick=${enter}
          >
            ${icon(busy.value ? 'loader' : 'check', busy.value ? 'spin' : '')}
            ${t('enterCount', { count: plan ? shipmentsOf(plan) : 0 })}
          </button>
        </div>
      `}
    </div>
  `
}

const currency = () => session.value?.shop.currency ?? ''
const nameOf = (/** @type {Blob | null} */ file) => (file instanceof File ? file.name : '')

/** Chooses the file, or pastes it. @param {{ choose: (file: Blob) => void }} props */
const Choice = ({ choose }) => html`
  <p class="quiet">${t('statementText')}</p>
  <label class="button primary big file">
    <input
      type="file"
      id="file"
      class="visually-hidden"
      accept=${'.csv,.xlsx,text/csv,text/plain,' + workbook}
      onChange=${(/** @type {FieldEvent} */ event) => {
        const file = event.target.files?.[0]
        if (file) choose(file)
      }}
    />
    ${icon('file-up')}
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
        onChange=${(/** @type {FieldEvent} */ event) => {
          if (event.target.value.trim()) choose(new Blob([event.target.value]))
        }}
      ></textarea>
      <button type="button" class="button" id="check">${t('check')}</button>
    </div>
  </details>
`

/**
 * What the columns of the file have, each to correct.
 * @param {{ all: Column[], mustChoose: boolean,
 *   correct: (index: number, kind: string) => void }} props
 */
const Columns = ({ all, mustChoose, correct }) => html`
  <details class="card" id="columns" open=${mustChoose}>
    <summary class="fold">
      <span class="grow">
        <b>${t('columns')}</b>
        <br />
        <span class="small quiet">${t(mustChoose ? 'columnsAsk' : 'columnsRead')}</span>
      </span>
      ${icon('chevron-down', 'mini')}
    </summary>
    <ul class="list">
      ${all.map(({ name, kind, unclear, examples }, index) => html`
        <li class="section row spread wraps">
          <label class="grow" for=${'column-' + index}>
            <b>${name || t('columnUnnamed', { number: index + 1 })}</b>
            <br />
            <span class="small quiet">${examples.join(' · ') || '–'}</span>
            ${unclear && html`
              <br />
              <span class="small tone-warn bold">${t('columnUnclear')}</span>
            `}
          </label>
          <span class="input">
            <select
              id=${'column-' + index}
              onChange=${(/** @type {FieldEvent} */ event) => correct(index, event.target.value)}
            >
              ${kinds.map((value) => html`
                <option value=${value} selected=${value === kind}>
                  ${t.dynamic('column_' + value)}
                </option>
              `)}
            </select>
          </span>
        </li>
      `)}
    </ul>
  </details>
`

/**
 * The sums of the statement, beside the file's own and what arrived.
 * @param {{ plan: Reconciliation, name: string, arrived: { value: string } }} props
 */
function Preview({ plan, name, arrived }) {
  const differing = byShipment(plan.differences).length
  const matched = matching(plan)
  const amount = typedAmount(arrived.value, currency())
  const missing = amount === null ? 0 : plan.paidOut.amount - amount
  return html`
    <section class="card" id="preview">
      <div class="section">
        <div class="row spread">
          <h2>${word(plan.provider)}</h2>
          <span class="small quiet">
            ${[name, t('shipments', { count: shipmentsOf(plan) })].filter(Boolean).join(' · ')}
          </span>
        </div>
        <dl class="facts">
          <dt class="quiet">${t('collected')}</dt>
          <dd>${plan.collected ? money(plan.collected) : t('notInFile')}</dd>
          <dt class="quiet">${t('fees')}</dt>
          <dd>
            ${plan.fees ? money({ ...plan.fees, amount: -plan.fees.amount }) : t('notInFile')}
          </dd>
          <dt class="grand-total">${t('paysOut')}</dt>
          <dd class="grand-total">${money(plan.paidOut)}</dd>
        </dl>
        ${plan.totals.map((total) => html`<${Sums} key=${total.kind} total=${total} />`)}
      </div>
      <div class="section">
        <${Field}
          name="arrived"
          label=${t('arrived')}
          prefix=${signOf(currency())}
          inputmode="decimal"
          autocomplete="off"
          value=${arrived.value}
          errors=${{ arrived: Number.isNaN(amount) ? t('arrivedInvalid') : '' }}
          onInput=${(/** @type {FieldEvent} */ event) => {
            arrived.value = event.target.value
          }}
        />
        ${missing > 0 && html`
          <p class="small tone-bad bold" id="missing">
            ${t('arrivedLess', { amount: money({ ...plan.paidOut, amount: missing }) })}
          </p>
        `}
        ${missing < 0 && html`
          <p class="small tone-warn bold" id="missing">
            ${t('arrivedMore', { amount: money({ ...plan.paidOut, amount: -missing }) })}
          </p>
        `}
        ${amount !== null && missing === 0 && html`
          <p class="small tone-good bold row">${icon('check', 'mini')}${t('arrivedAll')}</p>
        `}
      </div>
      <div class="section row spread">
        <span class=${matched > 0 ? 'tone-good bold row' : 'quiet'}>
          ${matched > 0 && icon('check', 'mini')}
          ${t('match', { count: matched })}
        </span>
        ${differing > 0 && html`
          <span class="tone-bad bold">${t('rowsDiffer', { count: differing })}</span>
        `}
      </div>
    </section>
  `
}

/** Where the sums of a kind of amount differ. @param {{ total: Total }} props */
function Sums({ total: { kind, stated, rows, entered } }) {
  const what = t.dynamic('column_' + kind)
  return html`
    ${stated && stated.amount !== rows.amount && html`
      <p class="small tone-bad bold">
        ${t('statedDiffers', { what, stated: money(stated), rows: money(rows) })}
      </p>
    `}
    ${rows.amount !== entered.amount && html`
      <p class="small tone-warn bold">
        ${t('leftOut', {
          what,
          amount: money({ ...rows, amount: rows.amount - entered.amount }),
          rows: money(rows),
        })}
      </p>
    `}
  `
}

/** Returns how many shipments of a statement are as the ledger has them. */
function matching(/** @type {Reconciliation} */ plan) {
  const differing = new Set(
    plan.differences
      .filter((difference) => difference.orderId)
      .map((difference) => difference.consignmentId),
  )
  return Math.max(0, shipmentsOf(plan) - differing.size)
}
