// What is done about an order in doubt: one that is probably the same as another, or whose address
// a courier would refuse.

import { html, useEffect, useSignal } from '../html.js'
import { act, Problem, send } from '../api.js'
import { digits, money } from '../i18n.js'
import { refreshCounts } from '../live.js'
import { changed } from '../resource.js'
import { to } from '../router.js'
import { t } from '../strings/doubt.js'
import { explain } from '../strings/problem.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { itemLine } from './item_line.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */
/** @typedef {{ order: StaffOrder, other: OrderRow, close: () => void }} Props */

/** @param {{ action: 'cancel' | 'merge' | 'confirm' } & Record<string, any>} props */
export const view = ({ action, ...props }) =>
  action === 'cancel'
    ? html`<${Cancel} ...${props} />`
    : action === 'merge'
      ? html`<${Merge} ...${props} />`
      : html`<${ShortAddress} ...${props} />`

/** Sends a change of an order, and shows the order as it is then. */
async function change(
  /** @type {StaffOrder} */ order,
  /** @type {string} */ path,
  /** @type {any} */ body,
  /** @type {string} */ key,
) {
  try {
    await act(`orders/${order._id}/${path}`, body, { label: '#' + digits(order.orderNumber), key })
  } finally {
    changed()
    refreshCounts()
  }
}

/** Cancels the order, of which another one stays. @param {Props} props */
function Cancel({ order, other, close }) {
  const numbers = { number: digits(order.orderNumber), other: digits(other.orderNumber) }
  const { form, errors, busy, onSubmit } = useForm(['reason'], async ({ reason }, keyOf) => {
    await change(order, 'cancel', { reason }, keyOf(reason))
    showToast(t('cancelled', numbers))
    close()
  })
  return html`
    <${Dialog} title=${t('askCancel', numbers)} text=${t('cancelText', numbers)} close=${close}>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="reason"
          label=${t('reason')}
          value=${t('sameAs', { number: numbers.other })}
          errors=${errors.value}
          maxlength="500"
        />
        <${Submit} busy=${busy.value} kind="big bad">${t('cancelNumber', numbers)}<//>
      </form>
    <//>
  `
}

/** Adds the items of the other order, which is cancelled. @param {Props} props */
function Merge({ order, other, close }) {
  const numbers = { number: digits(order.orderNumber), other: digits(other.orderNumber) }
  const body = { orderId: other._id }
  const plan = useSignal(/** @type {StaffOrder | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  useEffect(() => {
    const abort = new AbortController()
    const query = { dryRun: true }
    send('POST', `orders/${order._id}/merge`, { query, body, signal: abort.signal }).then(
      ({ data }) => {
        plan.value = data
      },
      (error) => {
        if (abort.signal.aborted) return
        if (!(error instanceof Problem)) throw error
        problem.value = error
      },
    )
    return () => abort.abort()
  }, [])
  const { form, errors, busy, onSubmit } = useForm([], async (values, keyOf) => {
    await change(order, 'merge', body, keyOf(body))
    showToast(t('merged', numbers))
    close()
  })
  return html`
    <${Dialog}
      title=${t('askMerge', numbers)}
      text=${t('mergeText', numbers)}
      close=${close}
      id="merge"
    >
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <div role="status" class="stack">
          ${problem.value
            ? html`
                <p class="error">
                  ${icon('circle-alert', 'mini')}
                  <span class="grow">${explain(problem.value)}</span>
                </p>
              `
            : plan.value
              ? html`<${Merged} order=${plan.value} />`
              : html`<p class="quiet">${t('preparing')}</p>`}
        </div>
        <${Submit} busy=${busy.value} disabled=${!plan.value}>${t('merge')}<//>
      </form>
    <//>
  `
}

/** The order as it would be. @param {{ order: StaffOrder }} props */
const Merged = ({ order }) => html`
  <div class="card section tight">${order.items.map(itemLine)}</div>
  <p class="row spread">
    <span class="quiet">${t('withDelivery', { amount: money(order.deliveryCharge) })}</span>
    <b>${money(order.cashToCollect)}</b>
  </p>
`

/**
 * Shows an address before its order is confirmed.
 * @param {{ order: StaffOrder, address: { lines: string, town: string }, confirm: () => void,
 *   close: () => void }} props
 */
const ShortAddress = ({ order, address: { lines, town }, confirm, close }) => html`
  <${Dialog} title=${t('shortTitle')} text=${t('shortText')} close=${close} id="short-address">
    <address class="card section">
      <b>${lines}</b>
      ${lines && html`<br />`}
      ${town}
    </address>
    <div class="stack">
      <a
        class="button primary big"
        href=${to('edit', order._id, { field: 'line1' })}
        onClick=${close}
      >
        ${icon('map-pin')}
        ${t('correct')}
      </a>
      <button
        class="button big"
        onClick=${() => {
          close()
          confirm()
        }}
      >
        ${t('confirmAsItIs')}
      </button>
    </div>
  <//>
`
