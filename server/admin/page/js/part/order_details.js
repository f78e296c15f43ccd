// The parts of an order that fold: what must be checked, shipments, payments and the history, in
// which staff comment.

import { html, useSignal } from '../html.js'
import { dateTime, digits, langOf, language, money } from '../i18n.js'
import { can } from '../session.js'
import { t } from '../strings/order.js'
import { document, t as print } from '../strings/print.js'
import { icon } from './icon.js'
import { AddNote, NoteText } from './order_notes.js'
import { openPrint } from './printing.js'
import { bare, statusWord, word } from './status.js'
import { Details as Words } from './toast.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/**
 * @typedef {(action: string, path?: string, body?: any, options?: { method?: string, key?: string
 *   }) => Promise<void>} Run
 */

/** A part with its summary, open if it matters now. */
const fold = (
  /** @type {string} */ name,
  /** @type {string} */ title,
  /** @type {any} */ summary,
  /** @type {boolean} */ open,
  /** @type {any} */ content,
) => html`
  <details open=${open} class=${content ? '' : 'empty-fold'}>
    <summary class="fold">
      ${icon(name)}
      <span class="grow">${title}</span>
      <span class="small quiet">${summary}</span>
      ${icon('chevron-down', 'mini')}
    </summary>
    ${content}
  </details>
`

/** @param {{ order: StaffOrder, run: Run }} props */
export function Details({ order, run }) {
  const advances = order.advances ?? []
  const flags = order.flags.filter((flag) => flag.code !== oldAddress)
  return html`
    ${flags.length > 0 && html`
      <section class="card bad-edge">
        <div class="section">
          <h2>${t('flags')}</h2>
          ${flags.map((flag) => html`
            <p class="row top-aligned">
              <span class="tone-warn">${icon('flag', 'mini')}</span>
              <span class="grow">
                ${t(`flag_${flag.code}`, { message: flag.message })}
                <span class="small quiet"> ${dateTime(flag.raisedAt)}</span>
              </span>
            </p>
          `)}
          ${can('orders.write') && html`
            <button class="button mini" onClick=${() => run('flags', 'resolve-flags')}>
              ${t('flagsDone')}
            </button>
          `}
        </div>
      </section>
    `}
    <section class="card list">
      ${fold(
        'truck',
        t('shipments'),
        order.shipments.length === 0 ? t('noneYet') : digits(order.shipments.length),
        order.shipments.length > 0,
        order.shipments.length > 0 && html`<${Shipments} order=${order} run=${run} />`,
      )}
      ${can('prices.read') &&
        (order.payments.length > 0 || advances.length > 0) &&
        fold(
          'wallet',
          t('payments'),
          word(order.payment.method),
          order.paymentStatus === 'needs_review' || order.status === 'pending_payment',
          html`<${Payments} order=${order} run=${run} />`,
        )}
      ${order.attribution?.last &&
        fold('globe', t('cameFrom'), touchName(order.attribution.last), false, html`
          <${CameFrom} of=${order.attribution} />
        `)}
      ${fold(
        'clock',
        t('timeline'),
        order.notes.length > 0 && t('notesCount', { count: order.notes.length }),
        true,
        html`<${History} order=${order} run=${run} />`,
      )}
      ${can('audit.read') && html`<${Changes} id=${order._id} />`}
    </section>
  `
}

/** @typedef {import('../api.js').Schemas['Touch']} Touch */

/** Returns the campaign of a touch, or its source. */
const touchName = (/** @type {Touch} */ { campaign, source, medium }) =>
  campaign ?? [source, medium].filter(Boolean).join(' / ')

/**
 * What led the buyer to the order: the last advertisement, and the first if it is another.
 * @param {{ of: import('../api.js').Schemas['Attribution'] }} props
 */
function CameFrom({ of: { first, last } }) {
  const rows = first?.at === last?.at ? [last] : [first, last]
  return html`
    <ul class="section small" id="came-from">
      ${rows.map(
        (touch) =>
          touch && html`
            <li>
              ${touch.at && html`<span class="quiet">${dateTime(touch.at)}</span>`}
              ${' '}
              <b>${touchName(touch)}</b>
              ${[
                touch.campaign && [touch.source, touch.medium].filter(Boolean).join(' / '),
                touch.content,
                touch.referrer,
                touch.landing,
              ]
                .filter(Boolean)
                .map((text) => ' · ' + text)}
            </li>
          `,
      )}
    </ul>
  `
}

/** Who has changed what: loaded when it is opened. @param {{ id: string }} props */
function Changes({ id }) {
  const List = useSignal(/** @type {import('../html.js').Component | null} */ (null))
  const load = (/** @type {{ target: HTMLDetailsElement }} */ { target }) => {
    if (target.open && !List.value)
      import('../part/order_changes.js').then(
        (module) => {
          List.value = module.view
        },
        () => {
          target.open = false
        },
      )
  }
  return html`
    <details id="changes" class="no-print" onToggle=${load}>
      <summary class="fold">
        ${icon('list-checks')}
        <span class="grow">${t('changes')}</span>
        ${icon('chevron-down', 'mini')}
      </summary>
      ${List.value && html`<${List.value} id=${id} />`}
    </details>
  `
}

/** The flag that has a banner of its own. */
const oldAddress = 'old_address'

/**
 * A courier has the recipient before a change. It stays until the courier knows.
 * @param {{ order: StaffOrder, run: Run }} props
 */
export function OldAddress({ order, run }) {
  const raised = order.flags.find((flag) => flag.code === oldAddress)
  if (!raised) return null
  const reprinted = order.printed.find(
    (print) => print.kind === 'label' && print.at > raised.raisedAt,
  )
  return html`
    <section class="card bad-edge no-print" id="old-address">
      <div class="section stack">
        <h2 class="row tone-bad">
          ${icon('map-pin')}
          ${t('oldAddress', {
            courier: word(raised.provider ?? order.shipments.at(-1)?.provider ?? 'courier'),
          })}
        </h2>
        <p class="small">${t('oldAddressText')}</p>
        ${reprinted && html`
          <p class="small tone-good row">
            ${icon('check', 'mini')}
            ${t('printedAgain', { time: dateTime(reprinted.at) })}
          </p>
        `}
        <div class="row wraps">
          <button class="button" onClick=${() => openPrint([order._id])}>
            ${icon('printer')}
            ${t('printAgain')}
          </button>
          ${can('orders.write') && order.flags.length === 1 && html`
            <button
              class="button"
              id="courier-knows"
              onClick=${() => run('flags', 'resolve-flags')}
            >
              ${icon('check')}
              ${t('courierKnows')}
            </button>
          `}
        </div>
      </div>
    </section>
  `
}

function Shipments(/** @type {{ order: StaffOrder, run: Run }} */ { order, run }) {
  return html`
    <div class="section stack">
      ${order.shipments.map((shipment) => html`
        <div>
          <div class="row spread">
            <b>${word(shipment.provider)}</b>
            ${bare('ship_' + shipment.status)}
          </div>
          <div class="small quiet">
            <span class="mono">${shipment.consignmentId ?? '–'}</span>
            ${can('prices.read') &&
              shipment.amountToCollect.amount > 0 && html` · ${shipment.collected
                ? t('collected', { amount: money(shipment.collected) })
                : t('collect', { amount: money(shipment.amountToCollect) })}
            `}
          </div>
          <ol class="timeline small">
            ${order.shipmentHistory
              .filter(
                (event) =>
                  event.consignmentId === shipment.consignmentId &&
                  event.provider === shipment.provider,
              )
              .reverse()
              .map((event, i) => html`
                <li class=${i === 0 ? 'on' : ''}>
                  <b>${event.status ? word('ship_' + event.status) : t('otherEvent')}</b>
                  ${event.note && html`
                    <br />
                    <q lang=${langOf(event.note)}>${event.note}</q>
                  `}
                  <br />
                  <span class="quiet">${dateTime(event.at)}</span>
                </li>
              `)}
          </ol>
        </div>
      `)}
      ${can('orders.fulfill') && html`
        <button class="button mini no-print" onClick=${() => run('track')}>
          ${icon('rotate-cw', 'mini')}
          ${t('track')}
        </button>
      `}
    </div>
  `
}

function Payments(/** @type {{ order: StaffOrder, run: Run }} */ { order, run }) {
  return html`
    <ul class="section stack">
      ${(order.advances ?? []).map((advance) => html`
        <li class="row">
          <span class="grow">
            <b>${money(advance.amount)}</b>
            ${' '}
            ${t('advanceBy', { method: word('by_' + advance.method) })}
            ${advance.reference && html`
              ${' '}
              <span class="mono small">${advance.reference}</span>
            `}
            <br />
            <span class="small quiet">
              ${dateTime(advance.at)} · <span lang=${langOf(advance.by.name)}>
                ${advance.by.name}
              </span>
            </span>
          </span>
          ${order.actions.advance.allowed && html`
            <button
              class="button mini no-print"
              onClick=${() =>
                run('removeAdvance', 'advances/' + advance._id, {}, { method: 'DELETE' })}
            >
              ${t('removeAdvance')}
            </button>
          `}
        </li>
      `)}
      ${order.payments.map((payment) => html`
        <li>
          <div class="row spread">
            <span>
              <b>${money(payment.amount)}</b> ${word(payment.method)}
            </span>
            ${bare('try_' + payment.status)}
          </div>
          <div class="small quiet">
            ${dateTime(payment.createdAt)}
            ${payment.transactionId && html` · <span class="mono">${payment.transactionId}</span>
            `}
          </div>
          <${Words} words=${payment.reason} />
        </li>
      `)}
    </ul>
  `
}

/** Prefixes of events, and those of the words of the status that they report. */
const prefixes = { payment_: 'pay_', fulfillment_: 'ship_', shipment_: 'ship_', attempt_: 'try_' }

/**
 * What an entry says. The API's texts are English: in Bangla the words of the status replace them.
 */
function eventText(/** @type {StaffOrder['timeline'][number]} */ { type, message }) {
  if (language.value === 'en') return message.replace(/(\d)\.00\b/g, '$1') // as all amounts here
  if (type === 'edited') return t('edited')
  const prefix = Object.keys(prefixes).find((prefix) => type.startsWith(prefix))
  return (
    statusWord(
      prefix
        ? prefixes[/** @type {keyof typeof prefixes} */ (prefix)] + type.slice(prefix.length)
        : type === 'pending'
          ? 'placed'
          : type,
    ) ?? message
  )
}

/**
 * Who caused an entry: a person or program by name, the shop's rules, or a courier or gateway.
 * @param {StaffOrder['timeline'][number]} entry
 */
function author({ cause, by }) {
  if (by?.name) {
    const [before, after] = t.dynamic('by_' + by.kind, { name: '\n' }).split('\n')
    return html`
      ${before}
      <span lang=${langOf(by.name)}>${by.name}</span>
      ${after}
    `
  }
  return cause === 'buyer' || cause === 'staff' || cause === 'shop'
    ? t.dynamic('by_' + cause + (cause === 'staff' ? '_unknown' : ''))
    : word(cause)
}

/**
 * What has happened to the order, the newest first: events, and between them what staff have noted,
 * called and printed.
 * @param {{ order: StaffOrder, run: Run }} props
 */
function History({ order, run }) {
  /** @type {{ at: string, rank: number, shown: any }[]} */
  const entries = [
    ...order.timeline.map((entry, i) => ({
      at: entry.at,
      rank: i,
      shown: html`
        <li key=${'event' + i} data-cause=${entry.cause}>
          <span class="bold" lang=${langOf(eventText(entry))}>${eventText(entry)}</span>
          <br />
          ${entry.type === 'cancelled' && eventText(entry) !== entry.message && html`
            <span class="small" lang=${langOf(entry.message)}>${entry.message}</span>
            <br />
          `}
          <span class="small quiet">${dateTime(entry.at)} · ${author(entry)}</span>
        </li>
      `,
    })),
    ...order.notes.map((note) => ({
      at: note.at,
      rank: 1000,
      shown: html`
        <li key=${note._id} class="by-staff">
          <${NoteText} note=${note} run=${run} />
        </li>
      `,
    })),
    ...order.printed.map((copy, i) => ({
      at: copy.at,
      rank: 2000,
      shown: html`
        <li key=${'print' + i}>
          <span class="bold">${print('wasPrinted', { what: document(copy.kind) })}</span>
          <br />
          <span class="small quiet">
            ${print('printedBy', { time: dateTime(copy.at), name: copy.by.name })}
          </span>
        </li>
      `,
    })),
  ]
  entries.sort((a, b) => Date.parse(b.at) - Date.parse(a.at) || b.rank - a.rank)
  return html`
    <div class="section stack">
      ${can('orders.write') && html`<${AddNote} run=${run} />`}
      <ol class="timeline">${entries.map((entry) => entry.shown)}</ol>
    </div>
  `
}
