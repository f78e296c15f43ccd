// The call queue: the orders to confirm one by one, the calls that are due first, each with what to
// say and one tap for how the call ended.

import { html, signal, useEffect, useRef, useSignal } from '../html.js'
import { Problem, send } from '../api.js'
import {
  addDays,
  dateTime,
  dayOfShop,
  digits,
  instant,
  langOf,
  money,
  name,
  phone,
} from '../i18n.js'
import { shortcuts, singleKeys } from '../keys.js'
import { counts, refreshCounts, touched } from '../live.js'
import { isWide } from '../media.js'
import { changed, prefetch, useGet } from '../resource.js'
import { open, route, to } from '../router.js'
import { session } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/call.js'
import { explain } from '../strings/problem.js'
import {
  addressLines,
  callsText,
  hasShortAddress,
  ShortAddress,
  Warnings,
  whatsapp,
} from '../part/buyer.js'
import { Dialog } from '../part/dialog.js'
import { errorsOf, Field, formError, Submit, useForm } from '../part/form.js'
import { icon } from '../part/icon.js'
import { itemLine } from '../part/item_line.js'
import { allowed, Empty, Failed, OrderSkeleton, Skeleton } from '../part/states.js'
import { pill, recordSignal, word } from '../part/status.js'
import { HeaderToast, showToast } from '../part/toast.js'
import { actUndoable } from '../part/undo.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */

export const view = () => allowed('orders.write', () => html`<${Queue} />`)

// What was done in this run of calls, while orders are opened and edited in between.
// by ID; '' for those that are left out
const results = signal(/** @type {Map<string, string>} */ (new Map()))
// when to call those again, by ID
const nextCalls = signal(/** @type {Map<string, string>} */ (new Map()))
const skipped = signal(/** @type {string[]} */ ([]))
const close = (/** @type {string} */ address) => {
  results.value = new Map()
  skipped.value = []
  open(address)
}

/** Makes an order wait for its call again, and shows it. */
function forget(/** @type {string} */ id) {
  results.value = new Map([...results.value].filter(([done]) => done !== id))
  nextCalls.value = new Map([...nextCalls.value].filter(([done]) => done !== id))
  if (route.value.view === 'call') open(to('call', id), { replace: true })
}

const outcomes = ['confirmed', 'no_answer', 'call_later', 'wrong_number', 'refused']
const hour = 3_600_000

/** Whether somebody else works on an order. */
const isClaimedByOther = (/** @type {OrderRow} */ row) =>
  row.claimedBy !== null && row.claimedBy._id !== session.value?.staffMember._id

/** Returns the orders to call now: those that are due, those nobody has called, then the rest. */
function sorted(
  /** @type {OrderRow[]} */ called,
  /** @type {OrderRow[]} */ uncalled,
  /** @type {boolean} */ early,
) {
  const isDue = (/** @type {OrderRow} */ row) =>
    row.calls.dueAt !== null && Date.parse(row.calls.dueAt) <= Date.now()
  return [
    ...called.filter(isDue),
    ...uncalled,
    ...called.filter((row) => row.calls.dueAt === null),
    ...(early ? called.filter((row) => row.calls.dueAt !== null && !isDue(row)) : []),
  ].filter((row) => !isClaimedByOther(row))
}

/** Whether the time of another call has come, to a buyer who was called in this run. */
const isDueAgain = (/** @type {OrderRow} */ row) =>
  Date.parse(nextCalls.value.get(row._id) ?? '') <= Date.now()

/** Loads the queue again when a call becomes due, and when others change an order. */
function useQueueChanges(/** @type {OrderRow[]} */ called, /** @type {() => void} */ reload) {
  const now = useSignal(0)
  const next = Math.min(
    ...called.map((row) => Date.parse(row.calls.dueAt ?? '')).filter((at) => at > Date.now()),
    Date.now() + hour,
  )
  useEffect(() => {
    const timer = setTimeout(
      () => {
        now.value++
      },
      next - Date.now() + 100,
    )
    return () => clearTimeout(timer)
  }, [next, now.value])
  useEffect(() => {
    const event = touched.value
    if (!event || event.actor === session.value?.staffMember._id) return
    const timer = setTimeout(reload, 400)
    return () => clearTimeout(timer)
  }, [touched.value])
  return now.value + (counts.value.toConfirm ?? 0) // which shows the queue again
}

function Queue() {
  const query = { view: 'toConfirm', limit: 100 }
  const some = useGet('orders', { ...query, calls: 'some', sortBy: 'callDue' })
  const none = useGet('orders', { ...query, calls: 'none', sort: 'asc' })
  const early = useSignal(false)
  useQueueChanges(some.data?.nodes ?? [], () => {
    some.reload()
    none.reload()
  })
  const bar = (/** @type {any} */ title, /** @type {any} */ more = '') => html`
    <header class="top plain over">
      <button
        class="icon-button"
        aria-label=${common('close')}
        onClick=${() => close(to('orders', '', { view: 'toConfirm' }))}
      >
        ${icon('x')}
      </button>
      <div class="title">
        <h1 tabindex="-1">${title}</h1>
        <${HeaderToast} />
      </div>
      ${more}
    </header>
  `
  const problem = some.problem ?? none.problem
  if (problem && !(some.data && none.data)) {
    return html`
      ${bar(t('titleNone'))}
      <${Failed}
        problem=${problem}
        title=${t('notLoaded')}
        retry=${() => {
          some.reload()
          none.reload()
        }}
      />
    `
  }
  if (!some.data || !none.data) {
    return html`
      ${bar(t('titleNone'))}
      <div class="stack">
        <${OrderSkeleton} />
      </div>
    `
  }
  const waiting = sorted(some.data.nodes, none.data.nodes, early.value).filter(
    (row) => !results.value.has(row._id) || isDueAgain(row),
  )
  const queue = [
    ...waiting.filter((row) => !skipped.value.includes(row._id)),
    ...skipped.value.flatMap((id) => waiting.find((row) => row._id === id) ?? []),
  ]
  const done = [...results.value].filter(([, outcome]) => outcome !== '')
  const current = queue.find((row) => row._id === route.value.id) ?? queue[0]
  const next = queue.find((row) => row !== current)
  const end = (/** @type {string} */ id, /** @type {string} */ outcome) => {
    results.value = new Map(results.value).set(id, outcome)
    if (route.value.id) open(to('call'), { replace: true })
  }
  if (!current) {
    /** @type {OrderRow[]} */
    const later = some.data.nodes.filter(
      (/** @type {OrderRow} */ row) => row.calls.dueAt && !isClaimedByOther(row),
    )
    return html`
      ${bar(t('titleNone'))}
      <${End}
        results=${done}
        later=${later}
        callNow=${() => {
          results.value = new Map(
            [...results.value].filter(([id]) => !later.some((row) => row._id === id)),
          )
          early.value = true
        }}
      />
    `
  }
  const n = done.length + 1,
    all = done.length + queue.length
  /** @type {number} */
  const later = some.data.nodes.filter(
    (/** @type {OrderRow} */ row) =>
      row.calls.dueAt !== null && !queue.includes(row) && !isClaimedByOther(row),
  ).length
  return html`
    ${bar(
      html`
        ${t('title', { n, all })}
        ${later > 0 && html`
          <span class="small quiet later"> · ${t('later', { count: later })}</span>
        `}
      `,
      html`
        ${queue.length > 1 && html`
          <button
            class="button mini"
            onClick=${() => {
              skipped.value = [...skipped.value.filter((id) => id !== current._id), current._id]
              if (route.value.id) open(to('call'), { replace: true })
            }}
          >
            ${t('skip')}
          </button>
        `}
        <a
          class="icon-button"
          aria-label=${t('open', { number: digits(current.orderNumber) })}
          href=${to('order', current._id)}
        >
          ${icon('external-link')}
        </a>
      `,
    )}
    <progress
      class="call-bar"
      max=${all}
      value=${done.length}
      aria-label=${t('title', { n, all })}
    ></progress>
    <${Call} key=${current._id} row=${current} next=${next?._id} end=${end} />
  `
}

/**
 * One order to call about.
 * @param {{ row: OrderRow, next?: string, end: (id: string, outcome: string) => void }} props
 */
function Call({ row, next, end }) {
  const path = 'orders/' + row._id
  const { data, problem, reload } = useGet(path)
  const dialog = useSignal('')
  const busy = useSignal('')
  const number = digits(row.orderNumber)
  /** @type {StaffOrder | undefined} */
  const order = data
  useEffect(() => {
    // Others see who works on the order, as long as it is shown. That it is not known to them harms
    // nothing.
    const claim = () =>
      send('POST', path + '/claim', { recover: false })
        .then(({ data: claimed }) => {
          if (claimed.own || !claimed.claimedBy) return
          showToast(t('claimed', { name: claimed.claimedBy.name, number }))
          end(row._id, '')
        })
        .catch(() => {})
    claim()
    const timer = setInterval(claim, 4 * 60_000)
    return () => {
      clearInterval(timer)
      send('DELETE', path + '/claim', { recover: false }).catch(() => {})
    }
  }, [])
  useEffect(() => {
    if (order && next) prefetch('orders/' + next)
  }, [order, next])
  useEffect(() => {
    if (!order || order.status === 'pending' || busy.value) return
    showToast(t('changed', { number, status: word(order.status) }))
    end(row._id, '')
  }, [order?.status])

  /** Records a call. A form sends a key, and shows why it failed. */
  async function record(/** @type {string} */ outcome, /** @type {any} */ more = {}, key = '') {
    if (busy.value) return
    const callAt = outcome === 'no_answer' ? new Date(Date.now() + hour).toISOString() : more.callAt
    busy.value = outcome
    try {
      const done = await actUndoable(
        path + '/calls',
        { outcome, note: more.note || undefined, callAt },
        { label: '#' + number, key: key || undefined },
        () => forget(row._id),
      )
      done(t.dynamic('done_' + outcome, { number, time: callAt && dateTime(callAt) }))
      nextCalls.value = new Map([...nextCalls.value, [row._id, callAt ?? '']])
      end(row._id, outcome)
    } catch (error) {
      if (!(error instanceof Problem) || key) throw error
      showToast(explain(error), { bad: true })
    } finally {
      busy.value = ''
      changed()
      refreshCounts()
    }
  }
  const choose = (/** @type {string} */ outcome) => {
    const isDoubtful = outcome === 'confirmed' && order && hasShortAddress(order)
    if (outcome === 'call_later' || outcome === 'refused' || isDoubtful) dialog.value = outcome
    else record(outcome)
  }
  useEffect(
    () =>
      shortcuts(
        Object.fromEntries(
          outcomes.map((outcome, i) => [
            String(i + 1),
            () => {
              if (order) choose(outcome)
            },
          ]),
        ),
      ),
    [order],
  )

  if (problem && !order)
    return html`<${Failed} problem=${problem} retry=${reload} title=${t('notLoaded')} />`
  if (!order) {
    return html`
      <div class="stack call">
        <${Skeleton}>
          <div class="card section">
            <span class="placeholder width-60"></span>
            <span class="placeholder width-90 tall"></span>
          </div>
        <//>
      </div>
    `
  }
  const { lines, town } = addressLines(order.shippingAddress)
  const record1 = recordSignal(order.record)
  const calls = callsText(order)
  return html`
    <div class="stack call">
      <section class="card">
        <div class="section">
          <div class="row spread wraps">
            <span class="small quiet">
              ${'#' + number} · ${t('placed', { time: dateTime(order.placedAt) })}
            </span>
            ${order.calls.dueAt && html`
              <span class="status-pill wait">
                ${t('due', { time: dateTime(order.calls.dueAt) })}
              </span>
            `}
          </div>
          <h2 class="callee" lang=${langOf(order.customer.name)}>${order.customer.name}</h2>
          <span class="signals">
            ${calls && html`<span class="tone-warn">${icon('phone-missed', 'mini')}${calls}</span>`}
            ${record1 && html`
              <span class="tone-${record1.tone}">${icon(record1.icon, 'mini')}${record1.text}</span>
            `}
          </span>
        </div>
        <div class="section row spread ends">
          <div>
            <div class="small quiet">${t('toCollect')}</div>
            <div class="pay">${money(order.cashToCollect)}</div>
          </div>
          <div class="right small">
            <div>${t('goods')} ${money(order.subtotal)}</div>
            ${order.discount.amount > 0 && html`
              <div class="quiet">${t('discount')} −${money(order.discount)}</div>
            `}
            <div class="quiet">${t('delivery')} ${money(order.deliveryCharge)}</div>
            ${order.rounding.amount > 0 && html`
              <div class="quiet">${t('rounding')} −${money(order.rounding)}</div>
            `}
            ${order.advances?.map(({ amount }) => html`
              <div class="quiet">${t('advance')} −${money(amount)}</div>
            `)}
          </div>
        </div>
        <div class="section tight">${order.items.map(itemLine)}</div>
        <div class="section row top-aligned">
          <span class="quiet">${icon('map-pin')}</span>
          <address class="grow">
            ${lines}
            ${lines && html`<br />`}
            ${town}
            ${order.delivery && html`
              <br />
              <span class="small quiet">${name(order.delivery.name)}</span>
            `}
          </address>
          ${order.actions.edit.allowed && html`
            <a class="button mini" href=${to('edit', order._id, { field: 'line1' })}>
              ${t('edit')}
            </a>
          `}
        </div>
        ${order.note && html`
          <div class="section row top-aligned">
            <span class="tone-info">${icon('message-square-text')}</span>
            <q class="grow" lang=${langOf(order.note)}>${order.note}</q>
          </div>
        `}
      </section>
      <${Warnings} order=${order} />
    </div>
    <div class="action-bar tall">
      <div class="row">
        <a class="button primary big" href=${'tel:' + order.customer.phoneNumber}>
          ${icon('phone')}
          ${t('callNumber', { phone: phone(order.customer.phoneNumber) })}
        </a>
        <a
          class="button square tone-good"
          aria-label="WhatsApp"
          target="_blank"
          rel="noopener noreferrer"
          href=${whatsapp(order)}
        >
          ${icon('message-circle', 'large')}
        </a>
      </div>
      <div class="outcomes" role="group" aria-label=${t('outcome')}>
        ${outcomes.map((outcome, i) => html`
          <button
            class="button ${{ confirmed: 'soft', refused: 'bad' }[outcome] ?? ''}"
            aria-keyshortcuts=${String(i + 1)}
            aria-busy=${busy.value === outcome}
            onClick=${() => choose(outcome)}
          >
            ${busy.value === outcome
              ? icon('loader', 'spin')
              : outcome === 'confirmed' && icon('check')}
            ${t.dynamic(outcome)}
            ${isWide.value && singleKeys.value && html`<kbd aria-hidden="true">${i + 1}</kbd>`}
          </button>
        `)}
      </div>
    </div>
    ${dialog.value === 'confirmed' && html`
      <${ShortAddress}
        order=${order}
        confirm=${() => record('confirmed')}
        close=${() => {
          dialog.value = ''
        }}
      />
    `}
    ${dialog.value === 'call_later' && html`
      <${Later}
        close=${() => {
          dialog.value = ''
        }}
        record=${(/** @type {any} */ more, /** @type {string} */ key) =>
          record('call_later', more, key)}
      />
    `}
    ${dialog.value === 'refused' && html`
      <${Refuse}
        number=${number}
        close=${() => {
          dialog.value = ''
        }}
        record=${(/** @type {any} */ more, /** @type {string} */ key) =>
          record('refused', more, key)}
      />
    `}
  `
}

/**
 * When to call again.
 * @param {{ close: () => void, record: (more: any, key: string) => Promise<void> }} props
 */
function Later({ close, record }) {
  const today = dayOfShop()
  const times = useRef(
    /** @type {[string, Date][]} */ ([
      ['inHour', new Date(Date.now() + hour)],
      ['evening', instant(today, '19:00')],
      ['tomorrow', instant(addDays(today, 1), '10:00')],
    ]),
  ).current
  const fields = ['day', 'time', 'note', 'callAt']
  const { form, errors, busy, onSubmit, keyOf } = useForm(fields, async (values) => {
    if (!values.day || !values.time)
      throw new Problem(422, {
        errors: [{ field: values.day ? 'time' : 'day', code: 'required', message: '' }],
      })
    const more = { callAt: instant(values.day, values.time).toISOString(), note: values.note }
    await record(more, keyOf(more))
    close()
  })
  const sending = useSignal(false) // one of the times above the form
  const choose = async (/** @type {Date} */ at) => {
    sending.value = true
    const more = {
      callAt: at.toISOString(),
      note: new FormData(/** @type {HTMLFormElement} */ (form.current)).get('note'),
    }
    try {
      await record(more, keyOf(more))
      close()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      errors.value = errorsOf(error, fields)
    } finally {
      sending.value = false
    }
  }
  return html`
    <${Dialog} title=${t('laterTitle')} close=${close} id="later">
      <ul class="options" aria-busy=${sending.value}>
        ${times
          .filter(([key, at]) => key !== 'evening' || at.getTime() > Date.now() + hour)
          .map(([key, at]) => html`
            <li>
              <button class="option" onClick=${() => choose(at)}>
                ${icon('clock')}
                <span class="grow">${t.dynamic(key)}</span>
                <span class="quiet">${dateTime(at)}</span>
              </button>
            </li>
          `)}
      </ul>
      <form ref=${form} class="stack" onSubmit=${onSubmit} novalidate>
        ${formError(errors.value)}
        ${errors.value.callAt && formError({ '': errors.value.callAt })}
        <${Field} name="note" label=${t('note')} errors=${errors.value} maxlength="1000" />
        <fieldset>
          <legend class="label">${t('otherTime')}</legend>
          <div class="two">
            <div class="input">
              <input
                type="date"
                name="day"
                aria-label=${t('otherTime')}
                defaultValue=${today}
                min=${today}
              />
            </div>
            <div class="input">
              <input type="time" name="time" aria-label=${t('otherTime')} defaultValue="" />
            </div>
          </div>
          ${(errors.value.day || errors.value.time) && html`
            <p class="error">${errors.value.day ?? errors.value.time}</p>
          `}
        </fieldset>
        <${Submit} busy=${busy.value} kind="big">${t('set')}<//>
      </form>
    <//>
  `
}

/**
 * @param {{ number: string, close: () => void, record: (more: any, key: string) => Promise<void> }}
 *   props
 */
function Refuse({ number, close, record }) {
  const { form, errors, busy, onSubmit } = useForm(['note'], async ({ note }, keyOf) => {
    await record({ note }, keyOf(note))
    close()
  })
  return html`
    <${Dialog}
      title=${t('refuseTitle', { number })}
      text=${t('refuseText')}
      close=${close}
      id="refuse"
    >
      <form ref=${form} class="stack" onSubmit=${onSubmit} novalidate>
        ${formError(errors.value)}
        <${Field} name="note" label=${t('note')} errors=${errors.value} maxlength="1000" />
        <${Submit} busy=${busy.value} kind="big bad">${t('refuse')}<//>
      </form>
    <//>
  `
}

/**
 * What was done, and the one thing to do next.
 * @param {{ results: [string, string][], later: OrderRow[], callNow: () => void }} props
 */
function End({ results, later, callNow }) {
  const count = (/** @type {string} */ outcome) =>
    results.filter(([, result]) => result === outcome).length
  const confirmed = results.filter(([, outcome]) => outcome === 'confirmed').map(([id]) => id)
  const sums = outcomes
    .filter((outcome) => count(outcome) > 0)
    .map((outcome) => t.dynamic('sum_' + outcome, { count: count(outcome) }))
    .join(', ')
  const first = later.map((row) => /** @type {string} */ (row.calls.dueAt)).sort()[0]
  return html`
    <${Empty}
      icon=${results.length > 0 ? 'check' : 'coffee'}
      title=${t(results.length > 0 ? 'allCalled' : 'none')}
      text=${results.length > 0 ? sums : later.length > 0 ? '' : t('noneText')}
    >
      ${later.length > 0 && html`
        <p class="quiet">${t('waiting', { count: later.length, time: dateTime(first) })}</p>
      `}
      ${confirmed.length > 0
        ? html`
            <button
              class="button primary big wide-button"
              onClick=${() => close(to('book', '', { id: confirmed }))}
            >
              ${icon('truck')}
              ${t('book', { count: confirmed.length })}
            </button>
          `
        : later.length === 0 && html`<a class="button" href=${to('orders')}>${t('toList')}</a>`}
      ${later.length > 0 && html`
        <button class="button" onClick=${callNow}>${icon('phone')}${t('callNow')}</button>
      `}
    <//>
  `
}
