// The dialogs of an order's actions: what will happen, and what the action needs to know.

import { html, useSignal } from '../html.js'
import { Problem } from '../api.js'
import { digits, money, typedAmount } from '../i18n.js'
import { refreshCounts } from '../live.js'
import { changed } from '../resource.js'
import { t } from '../strings/order.js'
import { t as returns } from '../strings/returns.js'
import { couriers, lastCourier } from './courier.js'
import { Dialog } from './dialog.js'
import { Field, formError, Segments, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { Later } from './later.js'
import { Book } from './order_book.js'
import { isInPart } from './order_part.js'
import { Refund } from './refund.js'
import { backBody, backOf, CameBack, faultOf, Restock, restockBody } from './restock.js'
import { word } from './status.js'
import { showToast } from './toast.js'

const loadCredit = () => import('./credit_remove.js')

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {import('./order_details.js').Run} Run */

/**
 * @param {{ action: string, order: StaffOrder, others: readonly string[], icons: Record<string,
 *   string>, choose: (action: string) => void, run: Run, close: () => void }} props
 */
export function view({ action, order, others, icons, choose, run, close }) {
  const number = digits(order.orderNumber)
  const words = (/** @type {string} */ key) => t.dynamic(key, { number })
  if (action === 'more') {
    return html`
      <${Dialog} title=${t('moreActions')} close=${close}>
        <ul class="options">
          ${others.map((action) => html`
            <li>
              <button
                class="option ${action === 'cancel' ? 'tone-bad' : ''}"
                onClick=${() => choose(action)}
              >
                ${icon(icons[action])}
                <span class="grow">${words(action)}</span>
              </button>
            </li>
          `)}
        </ul>
      <//>
    `
  }
  const props = { order, run, close, words }
  if (action === 'book') return html`<${Book} ...${props} />`
  if (action === 'enter') return html`<${Enter} ...${props} />`
  if (action === 'advance') return html`<${Advance} ...${props} />`
  if (action === 'restock') return html`<${Back} ...${props} />`
  if (action.startsWith('removeCredit ')) {
    return html`<${Later} load=${loadCredit} ...${props} id=${action.split(' ')[1]} />`
  }
  if (action === 'refundPart') {
    const payment = order.payments.find(({ refundable }) => refundable.amount > 0)
    const held = { ...order.paid, amount: order.paid.amount - order.refunded.amount }
    return html`
      <${Refund}
        order=${order}
        title=${words('ask_refundPart')}
        text=${payment ? t('askText_refundOnline') : words('askText_refund')}
        path=${payment ? `payments/${payment._id}/refund` : `orders/${order._id}/refund`}
        label=${'#' + number}
        most=${payment ? payment.refundable : held}
        close=${close}
      />
    `
  }
  return html`<${Plain} ...${props} action=${action} />`
}

/**
 * @typedef {{ order: StaffOrder, run: Run, close: () => void, words: (key: string) => string }}
 *   Props
 */

/** Records what came back of an order, the rest of which is delivered. @param {Props} props */
function Back({ order, run, close, words }) {
  const back = useSignal(backOf(order))
  const { form, errors, busy, onSubmit } = useForm([], async (values, keyOf) => {
    const body = backBody(order, back.value)
    await run('restock', 'deliver', body, { key: keyOf(body) })
    close()
  })
  return html`
    <${Dialog} title=${words('ask_restock')} close=${close} id="came-back-of">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${CameBack}
          order=${order}
          back=${back.value}
          change=${(/** @type {any} */ to) => {
            back.value = to
          }}
        />
        <${Submit} busy=${busy.value} disabled=${faultOf(order, back.value) !== ''}>
          ${isInPart(order) ? returns('complete') : words('restock')}
        <//>
      </form>
    <//>
  `
}

function Plain(/** @type {Props & { action: string }} */ { action, order, run, close, words }) {
  const damaged = useSignal(/** @type {Record<string, number>} */ ({}))
  const { form, errors, busy, onSubmit } = useForm(['reason'], async (values, keyOf) => {
    const body =
      action === 'cancel'
        ? { reason: values.reason }
        : action === 'return'
          ? restockBody(order, damaged.value)
          : {}
    await run(action, action, body, { key: keyOf(body) })
    close()
  })
  return html`
    <${Dialog} title=${words('ask_' + action)} text=${words('askText_' + action)} close=${close}>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        ${action === 'cancel' && html`
          <${Field}
            name="reason"
            label=${t('reason')}
            hint=${t('reasonHint')}
            errors=${errors.value}
            maxlength="500"
          />
        `}
        ${action === 'return' && html`
          <${Restock}
            order=${order}
            damaged=${damaged.value}
            change=${(/** @type {any} */ to) => {
              damaged.value = to
            }}
          />
        `}
        <${Submit} busy=${busy.value} kind=${action === 'cancel' ? 'big bad' : 'primary big'}>
          ${words(action)}
        <//>
      </form>
    <//>
  `
}

function Enter(/** @type {Props} */ { run, close, words }) {
  const courier = useSignal(lastCourier())
  const { form, errors, busy, onSubmit } = useForm(
    ['consignmentId', 'trackingCode'],
    async (values, keyOf) => {
      if (!values.consignmentId)
        throw new Problem(422, {
          errors: [{ field: 'consignmentId', code: 'required', message: '' }],
        })
      const body = {
        provider: courier.value,
        consignmentId: values.consignmentId,
        trackingCode: values.trackingCode || undefined,
      }
      await run('enter', 'shipments', body, { key: keyOf(body) })
      close()
    },
  )
  return html`
    <${Dialog} title=${words('ask_enter')} text=${words('askText_enter')} close=${close}>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Segments}
          name="courier"
          label=${t('courier')}
          value=${courier.value}
          choices=${couriers.map((courier) => [courier, word(courier)])}
          onChange=${(/** @type {string} */ to) => {
            courier.value = to
          }}
        />
        <${Field}
          name="consignmentId"
          label=${t('consignment')}
          errors=${errors.value}
          autocomplete="off"
          autocapitalize="characters"
        />
        <${Field}
          name="trackingCode"
          label=${t('tracking')}
          errors=${errors.value}
          autocomplete="off"
        />
        <${Submit} busy=${busy.value}>${words('enter')}<//>
      </form>
    <//>
  `
}

const methods = ['bkash', 'nagad', 'rocket', 'upay', 'bank', 'cash', 'other']

function Advance(/** @type {Props} */ { order, run, close, words }) {
  const method = useSignal(methods[0])
  const { form, errors, busy, onSubmit } = useForm(
    ['amount', 'reference'],
    async (values, keyOf) => {
      if (values.amount === '')
        throw new Problem(422, { errors: [{ field: 'amount', code: 'required', message: '' }] })
      const amount = typedAmount(values.amount, order.total.currency)
      const message = t('noAmount', { text: values.amount })
      if (Number.isNaN(amount))
        throw new Problem(422, { errors: [{ field: 'amount', code: 'amount', message }] })
      const body = { amount, method: method.value, reference: values.reference || undefined }
      await run('advance', 'advances', body, { key: keyOf(body) })
      close()
    },
  )
  return html`
    <${Dialog}
      title=${words('ask_advance')}
      text=${words('askText_advance')}
      close=${close}
      id="advance"
    >
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="amount"
          label=${t('amount')}
          hint=${t('restIs', { amount: money(order.cashToCollect) })}
          errors=${errors.value}
          inputmode="decimal"
          autocomplete="off"
        />
        <fieldset class="checks">
          <legend class="label">${t('method')}</legend>
          <div class="row wraps">
            ${methods.map((value) => html`
              <label class="chip">
                <input
                  type="radio"
                  name="method"
                  value=${value}
                  checked=${value === method.value}
                  onChange=${() => {
                    method.value = value
                  }}
                />
                ${word('by_' + value)}
              </label>
            `)}
          </div>
        </fieldset>
        <${Field}
          name="reference"
          label=${t('reference')}
          errors=${errors.value}
          maxlength="100"
          autocomplete="off"
        />
        <${Submit} busy=${busy.value}>${words('advance')}<//>
      </form>
    <//>
  `
}
