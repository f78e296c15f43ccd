// Payments to the shop's wallets that buyers have reported: staff compare them with the wallet, and
// confirm or refuse them.

import { html, useEffect, useSignal } from '../html.js'
import { act } from '../api.js'
import { age, digits, langOf, money, number, plainDigits } from '../i18n.js'
import { refreshCounts, touched } from '../live.js'
import { changed, useGet } from '../resource.js'
import { route, to } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/wallets.js'
import { CardList } from '../part/card_list.js'
import { Dialog } from '../part/dialog.js'
import { Field, formError, Submit, useForm } from '../part/form.js'
import { icon } from '../part/icon.js'
import { useListKeys } from '../part/list_keys.js'
import { allowed } from '../part/states.js'
import { word } from '../part/status.js'
import { copy, showToast } from '../part/toast.js'

/** @typedef {import('../api.js').Schemas['StaffWalletPayment']} Payment */
/** @typedef {import('../api.js').Schemas['WalletTotal']} Total */

const lists = ['waiting', 'confirmed', 'refused']

export const view = () => allowed('orders.read', () => html`<${Wallets} />`)

function Wallets() {
  useListKeys('.payments a.reach')
  const { query } = route.value
  const status = lists.find((list) => list === query.get('status')) ?? lists[0]
  const search = query.get('search') ?? ''
  const loaded = useGet('wallet-payments', {
    status,
    search: plainDigits(search),
    page: query.get('page'),
  })
  const totals = useGet('wallet-totals')
  useEffect(() => {
    // a buyer has reported a payment, or somebody else has decided one
    if (!touched.value) return
    loaded.reload()
    totals.reload()
  }, [touched.value])
  const refusing = useSignal(/** @type {Payment | null} */ (null))
  return html`
    <${CardList}
      view="wallets"
      t=${t}
      lists=${lists}
      status=${status}
      loaded=${loaded}
      isFiltered=${Boolean(search)}
      icon="wallet"
      tools=${status === 'waiting' && totals.data?.wallets.length > 0 && html`
        <dl class="facts small padded" id="wallet-totals">
          ${totals.data.wallets.map((/** @type {Total} */ wallet) => html`
            <dt>
              ${word('by_' + wallet.method)}
              ${' '}
              <span class="mono">${wallet.number}</span>
            </dt>
            <dd>
              ${t('total', {
                waiting: money(wallet.waitingAmount),
                today: money(wallet.confirmedToday),
                all: money(wallet.confirmed),
              })}
            </dd>
          `)}
        </dl>
      `}
      cards=${(/** @type {Payment[]} */ all) => html`
        <ul class="stack narrow payments">
          ${all.map((payment) => html`
            <${Reported}
              key=${payment._id}
              payment=${payment}
              refuse=${() => {
                refusing.value = payment
              }}
            />
          `)}
        </ul>
      `}
    />
    ${refusing.value && html`
      <${Refuse}
        payment=${refusing.value}
        close=${() => {
          refusing.value = null
        }}
      />
    `}
  `
}

/** @param {{ payment: Payment, refuse: () => void }} props */
function Reported({ payment, refuse }) {
  const { form, errors, busy, onSubmit } = useForm([], async (_, keyOf) => {
    const body = {}
    try {
      await act(`wallet-payments/${payment._id}/confirm`, body, {
        label: '#' + number(payment.orderNumber),
        key: keyOf(body),
      })
      showToast(t('done_confirmed', { amount: money(payment.amount) }))
    } finally {
      changed()
      refreshCounts()
    }
  })
  const differs =
    payment.advanceDue.amount > 0 && payment.advanceDue.amount !== payment.amount.amount
  return html`
    <li class="card">
      <div class="section">
        <div class="row spread">
          <a class="bold reach" href=${to('order', payment.orderId)}>
            ${t('order', { number: digits(payment.orderNumber) })}
          </a>
          <span class="small quiet">${age(payment.createdAt)}</span>
        </div>
        <div lang=${langOf(payment.customer.name)}>${payment.customer.name}</div>
        <div class="row spread ends">
          <div class="pay">${money(payment.amount)}</div>
          <div class="right small quiet">
            ${word('by_' + payment.method)} <span class="mono">${payment.number}</span>
          </div>
        </div>
        <p class="small row wraps">
          <span class="mono">${payment.transactionId}</span>
          <button class="button mini" onClick=${() => copy(payment.transactionId)}>
            ${icon('copy', 'mini')}
            ${t('copy')}
          </button>
          <span class="quiet">${t('from', { sender: payment.sender || '–' })}</span>
        </p>
        ${differs && payment.status === 'waiting' && html`
          <p class="small tone-warn">${t('differs', { due: money(payment.advanceDue) })}</p>
        `}
        ${payment.refusal && html`
          <p class="small tone-bad" lang=${langOf(payment.refusal)}>${payment.refusal}</p>
        `}
        ${payment.decidedBy && html`
          <p class="small quiet" lang=${langOf(payment.decidedBy.name)}>
            ${payment.decidedBy.name}
          </p>
        `}
      </div>
      ${payment.status === 'waiting' && can('orders.write') && html`
        <form ref=${form} class="section" onSubmit=${onSubmit} novalidate>
          ${formError(errors.value)}
          <div class="actions">
            <${Submit} busy=${busy.value}>${t('confirm')}<//>
            <button type="button" class="button" onClick=${refuse}>
              ${icon('x')}
              ${t('refuse')}
            </button>
          </div>
        </form>
      `}
    </li>
  `
}

/** @param {{ payment: Payment, close: () => void }} props */
function Refuse({ payment, close }) {
  const { form, errors, busy, onSubmit } = useForm(['reason'], async (values, keyOf) => {
    const body = { reason: values.reason }
    try {
      await act(`wallet-payments/${payment._id}/refuse`, body, {
        label: '#' + number(payment.orderNumber),
        key: keyOf(body),
      })
      showToast(t('done_refused', { number: digits(payment.orderNumber) }))
      close()
    } finally {
      changed()
      refreshCounts()
    }
  })
  return html`
    <${Dialog}
      title=${t('askRefuse', { amount: money(payment.amount) })}
      text=${t('askRefuseText')}
      close=${close}
    >
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="reason"
          label=${t('reason')}
          value=${t('usualReason')}
          errors=${errors.value}
          maxlength="200"
          autocomplete="off"
        />
        <${Submit} busy=${busy.value}>${t('refuse')}<//>
      </form>
    <//>
  `
}
