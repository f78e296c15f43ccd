// Booking many shipments with one courier: what it will collect, what it may reject, and the
// results.

import { html, useEffect, useSignal } from '../html.js'
import { Problem, send } from '../api.js'
import { digits, langOf, money, number, sum } from '../i18n.js'
import { useGet } from '../resource.js'
import { goBack, open, route, to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/book.js'
import { explain } from '../strings/problem.js'
import { couriers, fieldToEdit, NotConnected, saveCourier, useCourier } from '../part/courier.js'
import { PlaceFold, PlaceSummary, usePlaces } from '../part/book_place.js'
import { Field, Segments } from '../part/form.js'
import { icon } from '../part/icon.js'
import { start } from '../part/job.js'
import { selectionOf } from '../part/order_filters.js'
import { fits } from '../part/order_fits.js'
import { place } from '../part/order_row.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'
import { word } from '../part/status.js'

/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */

export const view = () => allowed('orders.fulfill', () => html`<${Book} />`)

const most = 100

function Book() {
  const { query } = route.value
  const { data, problem, reload } = useGet('orders', { ...wanted(query), limit: most, sort: 'asc' })
  const { courier, choose, isConnected } = useCourier()
  const begun = useSignal(false) // whether these orders were booked here
  const note = useSignal('')
  const { data: ledger } = useGet(can('cash.read') ? 'cash' : null)
  const out = useSignal(/** @type {string[]} */ ([]))
  useEffect(() => {
    out.value = []
    begun.value = false
  }, [String(query)])
  /** @type {OrderRow[]} */
  const rows = (data?.nodes ?? []).filter(fits.book)
  const bookable = isConnected ? rows : []
  const places = usePlaces(bookable, courier)
  const plan = usePlan(bookable, courier, places.toSend(bookable))
  const refused = rows.filter((row) => plan.refusals.has(row._id))
  const chosen = rows.filter((row) => !out.value.includes(row._id) && !refused.includes(row))
  const doubtful = rows.filter(
    (row) => !refused.includes(row) && row.flags.some((flag) => flag === 'address_short'),
  )
  const certain = rows.filter((row) => !doubtful.includes(row) && !refused.includes(row))
  const cash = can('prices.read') ? sum(chosen.map((row) => row.cashToCollect)) : null
  const fees = feesOf(ledger, courier, chosen.filter((row) => row.cashToCollect.amount > 0).length)
  const back = () => goBack(to('orders', '', { view: 'toPack' }))
  const bar = html`
    <header class="top plain over">
      <button class="icon-button" aria-label=${common('back')} onClick=${back}>
        ${icon('arrow-left')}
      </button>
      <div class="title">
        <h1 tabindex="-1">
          ${!data
            ? t('titleLoading')
            : rows.length > 0
              ? t('title', { count: chosen.length })
              : t(begun.value ? 'booked' : 'none')}
        </h1>
        ${cash && html`<div class="small quiet">${t('toCollect', { amount: money(cash) })}</div>`}
      </div>
    </header>
  `
  if (problem && !data)
    return html`
      ${bar}
      <${Failed} problem=${problem} retry=${reload} title=${t('notLoaded')} />
    `
  if (!data)
    return html`
      ${bar}
      <${Skeleton}>${skeletonRows(4)}<//>
    `
  if (rows.length === 0) {
    return html`
      ${bar}
      <${Empty}
        icon=${begun.value ? 'check' : 'truck'}
        title=${t(begun.value ? 'allBooked' : 'none')}
        text=${t(begun.value ? 'allBookedText' : 'noneText')}
      >
        <a
          class=${begun.value ? 'button primary' : 'button'}
          href=${to('orders', '', { view: 'toHandOver' })}
        >
          ${t('handOver')}
          ${icon('arrow-right')}
        </a>
      <//>
    `
  }
  const book = () => {
    saveCourier(courier)
    begun.value = true
    start('book', { ids: chosen.map((row) => row._id) }, chosen.length, {
      provider: courier,
      note: note.value.trim() || undefined,
      places: places.toSend(chosen),
    })
  }
  const line = (/** @type {OrderRow} */ row) => {
    const refusal = plan.refusals.get(row._id)
    const isOut = out.value.includes(row._id) || refusal !== undefined
    return html`
      <li key=${row._id} class=${isOut ? 'left-out' : ''}>
        <label class="row booking">
          <input
            type="checkbox"
            class="checkbox"
            checked=${!isOut}
            disabled=${refusal !== undefined}
            aria-label=${t('selectOne', { number: digits(row.orderNumber) })}
            onChange=${() => {
              out.value = isOut ? out.value.filter((id) => id !== row._id) : [...out.value, row._id]
            }}
          />
          <span class="grow cut">
            <b lang=${langOf(row.customer.name)}>${row.customer.name}</b>
            <br />
            <span class="small quiet">
              #${digits(row.orderNumber)} · ${isOut
                ? t('left')
                : html`<span lang=${langOf(row.city)}>${place(row)}</span>`}
            </span>
          </span>
          <span class="nowrap right">
            ${can('prices.read') && html`
              <b>${row.cashToCollect.amount > 0 ? money(row.cashToCollect) : t('paid')}</b>
            `}
            ${plan.weights.has(row._id) && html`
              <br />
              <span class="small quiet">${weightOf(plan.weights.get(row._id) ?? 0)}</span>
            `}
          </span>
        </label>
        ${refusal && html`
          <p class="error booking-error">
            ${icon('circle-alert', 'mini')}
            <span>${explain(refusal)}</span>
            <a
              class="link"
              href=${to('edit', row._id, { field: fieldToEdit(refusal.field) })}
              aria-label=${t('mend', { number: digits(row.orderNumber) })}
            >
              ${t('edit')}
            </a>
          </p>
        `}
        ${doubtful.includes(row) && html`
          <p class="error booking-error">
            ${icon('map-pin-off', 'mini')}
            <span>${word('flag_address_short')}</span>
            <a class="link" href=${to('order', row._id)}>#${digits(row.orderNumber)}</a>
          </p>
        `}
        ${!isOut && isConnected && html`<${PlaceFold} places=${places} row=${row} />`}
      </li>
    `
  }
  return html`
    ${bar}
    <div class="stack narrow">
      <${Segments}
        name="courier"
        label=${t('courier')}
        value=${courier}
        choices=${couriers.map((courier) => [courier, word(courier)])}
        onChange=${choose}
      />
      ${data.meta.hasNextPage && html`
        <p class="banner info rounded">
          ${icon('info')}
          <span>${t('atMost', { count: most })}</span>
        </p>
      `}
      ${plan.problem && html`
        <p class="banner bad rounded" role="alert">
          ${icon('circle-alert')}
          <span>${explain(plan.problem)}</span>
        </p>
      `}
      ${isConnected
        ? html`<${PlaceSummary} places=${places} rows=${chosen} />`
        : html`<${NotConnected} courier=${courier} />`}
      ${refused.length > 0 && html`
        <section id="refused">
          <h2 class="tone-bad row">
            ${icon('circle-alert')}
            ${t('refused', { courier: word(courier), count: refused.length })}
          </h2>
          <p class="small quiet">${t('refusedText')}</p>
          <ul class="card list">${refused.map(line)}</ul>
        </section>
      `}
      ${doubtful.length > 0 && html`
        <section>
          <h2 class="tone-bad row">
            ${icon('circle-alert')}
            ${t('doubtful', { courier: word(courier), count: doubtful.length })}
          </h2>
          <p class="small quiet">${t('doubtfulText')}</p>
          <ul class="card list">${doubtful.map(line)}</ul>
        </section>
      `}
      ${certain.length > 0 && html`
        <section>
          <h2 class="row">
            <span class="tone-good">${icon('circle-check')}</span>
            ${t('ready', { count: certain.length })}
          </h2>
          <ul class="card list">${certain.map(line)}</ul>
        </section>
      `}
      <details class="card">
        <summary class="fold">
          ${icon('message-square-text')}
          <span class="grow">${t('note')}</span>
          <span class="small quiet cut summary">${note.value}</span>
          ${icon('chevron-down', 'mini')}
        </summary>
        <div class="section">
          <${Field}
            name="note"
            label=${t('noteLabel')}
            hint=${t('noteHint')}
            value=${note.value}
            errors=${{}}
            maxlength="500"
            autocomplete="off"
            onInput=${(/** @type {FieldEvent} */ event) => {
              note.value = event.target.value
            }}
          />
        </div>
      </details>
    </div>
    <div class="action-bar tall">
      ${cash && html`
        <p class="row spread sums">
          <span>
            <span class="quiet">${t('cash')}</span> <b>${money(cash)}</b>
          </span>
          <span class="quiet">${fees ? t('fees', { amount: money(fees) }) : t('noFees')}</span>
        </p>
      `}
      <button
        class="button primary big"
        id="book"
        aria-busy=${plan.isLoading}
        disabled=${chosen.length === 0 || !isConnected || plan.isLoading}
        onClick=${book}
      >
        ${icon('truck')}
        ${t('book', { count: chosen.length })}
        ${chosen.length < rows.length && html`
          <small>· ${t('leaves', { count: rows.length - chosen.length })}</small>
        `}
      </button>
    </div>
  `
}

/**
 * Returns which orders an address is about: those that it names, or those that its filters find in
 * a view of the list.
 */
function wanted(/** @type {URLSearchParams} */ query) {
  const ids = query.getAll('id')
  if (ids.length > 0) return { ids }
  const view = query.get('view') ?? 'toPack'
  return selectionOf(query, view === 'all' ? 'toPack' : view)
}

/**
 * Returns what a courier will charge for so many shipments, by what it charges for those whose cash
 * it holds. null: not known.
 * @returns {import('../i18n.js').Money | null}
 */
function feesOf(
  /** @type {any} */ ledger,
  /** @type {string} */ courier,
  /** @type {number} */ shipments,
) {
  const held = ledger?.couriers.find((/** @type {any} */ provider) => provider.provider === courier)
  if (!held || held.holding === 0 || held.fees.amount <= 0 || shipments === 0) return null
  const each = held.fees.amount / held.holding
  // in tens: it is an estimate
  return { ...held.fees, amount: Math.round((each * shipments) / 1000) * 1000 }
}

/** A weight in words. */
const weightOf = (/** @type {number} */ grams) =>
  grams < 1000
    ? t('grams', { n: number(grams) })
    : t('kilograms', { n: number(Math.round(grams / 100) / 10) })

/**
 * What the courier would refuse, and what the shipments weigh, by order: the result of a dry run.
 * @param {OrderRow[]} rows
 * @param {string} provider
 * @param {any} places where shipments go, by order
 */
function usePlan(rows, provider, places) {
  const scope = provider + ' ' + rows.map((row) => row._id).join()
  const key = scope + ' ' + JSON.stringify(places)
  const none = {
    key: '',
    scope: '',
    refusals: /** @type {Map<string, any>} */ (new Map()),
    weights: /** @type {Map<string, number>} */ (new Map()),
    problem: /** @type {Problem | null} */ (null),
  }
  const state = useSignal(none)
  useEffect(() => {
    if (rows.length === 0) return
    const abort = new AbortController()
    const body = {
      action: 'book',
      ids: rows.map((row) => row._id),
      options: { provider, places },
      dryRun: true,
    }
    send('POST', 'bulk/orders', { body, signal: abort.signal }).then(
      ({ data }) => {
        /** @type {import('../api.js').Schemas['Job']} */
        const job = data
        state.value = {
          key,
          scope,
          refusals: new Map(
            job.results.filter((result) => !result.ok).map((result) => [result.subject, result]),
          ),
          weights: new Map(
            job.results.flatMap(({ subject, weightGrams: grams }) =>
              grams ? [[subject, grams]] : [],
            ),
          ),
          problem: null,
        }
      },
      (problem) => {
        if (abort.signal.aborted) return
        if (!(problem instanceof Problem)) throw problem
        state.value = { ...none, key, scope, problem } // the job itself refuses what it must
      },
    )
    return () => abort.abort()
  }, [key])
  // while places change, what was known stays
  const latest = state.value.scope === scope ? state.value : none
  return { ...latest, isLoading: rows.length > 0 && state.value.key !== key }
}
