// A new order, by phone or chat: paste what the buyer wrote, check it, see the total, place it.

import { html, useEffect, useMemo, useSignal } from '../html.js'
import { act, Problem, send } from '../api.js'
import { focusFault } from '../focus.js'
import { digits, plainDigits, typedAmount } from '../i18n.js'
import { draftLife, draftOf, loadJSON, save, saveJSON, shared } from '../device.js'
import { refreshCounts } from '../live.js'
import { changed, useGet } from '../resource.js'
import { goBack, open, shopUID, to } from '../router.js'
import { can, session } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/order_form.js'
import { t as orders } from '../strings/orders.js'
import { explain } from '../strings/problem.js'
import { contactBanners, duplicateBanner, useContact, useOpenOrders } from '../part/buyer.js'
import { Dialog } from '../part/dialog.js'
import { errorsOf, Field, formError } from '../part/form.js'
import { icon } from '../part/icon.js'
import { addressOf, amountErrors, emptyDraft, itemsOf } from '../part/order_draft.js'
import {
  BuyerFields,
  Delivery,
  findProducts,
  Goods,
  lineOf,
  MoreFields,
  Sums,
} from '../part/order_form.js'
import {
  filledBy,
  goodsHint,
  hintOf,
  isChat,
  messageOf,
  Proposed,
  ReplyDialog,
  sourceOf,
} from '../part/order_message.js'
import { allowed } from '../part/states.js'
import { showToast } from '../part/toast.js'
import { word } from '../part/status.js'

export const view = () => allowed('orders.write', () => html`<${NewOrder} />`)

const sources = ['phone', 'facebook', 'whatsapp', 'instagram', 'shop', 'other']
const paymentMethods = ['cod', 'gateway_a', 'gateway_b']
const methods = ['bkash', 'nagad', 'rocket', 'upay', 'bank', 'cash', 'other']
const fields = [
  'name',
  'phoneNumber',
  'email',
  'line1',
  'area',
  'city',
  'postcode',
  'couponCode',
  'reason',
  'note',
  'advance.amount',
  'text',
]

/** @typedef {import('../part/order_form.js').Wanted} Wanted */
/**
 * @typedef {import('../part/order_draft.js').Draft & { source: string, advance: string, method:
 *   string, text: string, paymentMethod: string, sendLink: boolean, incompleteOrderId: string }}
 *   Draft
 */

/** @type {Draft} */
const empty = {
  ...emptyDraft,
  source: 'phone',
  advance: '',
  method: 'bkash',
  text: '',
  paymentMethod: 'cod',
  sendLink: false,
  incompleteOrderId: '',
}

/**
 * Returns the order that was begun on this device, and its idempotency key: perhaps it was placed,
 * and the response was lost.
 * @returns {{ draft: Draft, key: string } | null}
 */
function stored() {
  const { at = 0, draft, key = crypto.randomUUID() } = loadJSON(draftOf(shopUID.value), {})
  return Date.now() - at < draftLife ? { draft: { ...empty, ...draft }, key } : null
}

const currencyOf = () => session.value?.shop.currency ?? ''

function NewOrder() {
  const begun = useMemo(stored, [])
  const draft = useSignal(begun?.draft ?? empty)
  const restored = useSignal(begun !== null && !begun.draft.incompleteOrderId)
  const seed = useSignal(0)
  const errors = useSignal(/** @type {Record<string, string>} */ ({}))
  const busy = useSignal(false)
  const choosing = useSignal(false)
  const wanted = useSignal(/** @type {Wanted[]} */ ([]))
  const key = useSignal(begun?.key ?? crypto.randomUUID())
  const message = useSignal(/** @type {import('../part/order_message.js').Message | null} */ (null))
  const reply = useSignal(/** @type {import('../part/order_message.js').Reply | null} */ (null))
  const waiting = useSignal('') // a message that was shared while an order is begun
  const d = draft.value
  const change = (/** @type {Partial<Draft>} */ to) => {
    draft.value = { ...draft.value, ...to }
    key.value = crypto.randomUUID() // another order than the one that was perhaps placed
    saveJSON(draftOf(shopUID.value), { at: Date.now(), draft: draft.value, key: key.value })
  }
  const clear = () => {
    key.value = crypto.randomUUID()
    save(draftOf(shopUID.value), null)
    draft.value = empty
    wanted.value = []
    message.value = null
    restored.value = false
    seed.value++
  }
  useEffect(() => {
    const text = shared.text()
    if (text === '') return
    shared.forget()
    if (begun && JSON.stringify(begun.draft) !== JSON.stringify(empty)) waiting.value = text
    else fill(text)
  }, [])
  const { quote, warnings, problem } = useQuote(d)
  const phoneNumber = usePhone(d.phoneNumber)
  const contact = useContact(phoneNumber)
  const others = useOpenOrders(phoneNumber)
  const advance = typedAmount(d.advance, currencyOf()) || 0
  const methodsOf = usePaymentMethods()
  const wrong = amountErrors(d, currencyOf(), { advance: d.advance })
  const isWrong = Object.keys(wrong).length > 0

  const parse = (/** @type {Event} */ event) => {
    event.preventDefault()
    if (d.text.trim() !== '') fill(d.text)
  }
  async function fill(/** @type {string} */ text) {
    busy.value = true
    try {
      if (text !== draft.value.text) change({ text })
      const { data } = await send('POST', 'parse/order', { body: { text } })
      const found = messageOf(data)
      change({
        ...filledBy(found, message.value, draft.value),
        ...(draft.value.source === empty.source && { source: sourceOf(text) }),
      })
      message.value = found
      await addProducts(data.quantities)
      seed.value++
      showToast(t('filled'))
    } catch (error) {
      fail(error)
    } finally {
      busy.value = false
    }
  }
  /** Fills in a shared message: beside what is entered, or in a new order. */
  const receive = (/** @type {boolean} */ adds) => {
    const text = waiting.value
    waiting.value = ''
    if (!adds) clear()
    fill(adds && d.text.trim() !== '' ? d.text.trim() + '\n' + text : text)
  }
  // A product that the message certainly means is added; the others are searched by hand.
  async function addProducts(/** @type {Wanted[]} */ quantities) {
    const rest = []
    for (const entry of quantities) {
      const words = entry.title ?? entry.text
      let found = words.trim().length > 1 ? await findProducts(words) : []
      if (entry.productId) found = found.filter((product) => product._id === entry.productId)
      const [product] = found
      const variants = (product?.variants ?? []).filter(
        (variant) => !entry.variantId || variant._id === entry.variantId,
      )
      if (found.length !== 1 || variants.length !== 1 || !variants[0].available) rest.push(entry)
      else if (!draft.value.items.some((item) => item.variantId === variants[0]._id)) {
        change({ items: [...draft.value.items, lineOf(product, variants[0], entry.quantity)] })
      }
    }
    wanted.value = rest
  }
  function fail(/** @type {unknown} */ error) {
    if (!(error instanceof Problem)) throw error
    const { 'advance.amount': advance, ...faults } = errorsOf(error, fields)
    show(advance ? { ...faults, advance } : faults)
  }
  function show(/** @type {Record<string, string>} */ faults) {
    errors.value = faults
    focusFault()
  }
  async function place(/** @type {string} */ how) {
    if (busy.value) return
    choosing.value = false
    if (isWrong) return show(wrong)
    busy.value = true
    errors.value = {}
    try {
      const { order, reply: text } = await act(
        'orders',
        { ...input(d), confirm: d.paymentMethod === 'cod' ? how !== 'placeOnly' : undefined },
        { label: t('newTitle'), key: key.value },
      )
      const number = digits(order.orderNumber)
      clear()
      changed()
      refreshCounts()
      const books = how === 'placeBook'
      const next = books ? to('book', '', { id: order._id }) : to('order', order._id)
      if (text && isChat(order.source)) {
        const { orderNumber, customer } = order
        reply.value = { number: orderNumber, phoneNumber: customer.phoneNumber, text, next, books }
        return
      }
      showToast(t('placed', { number }))
      open(next, { replace: true })
    } catch (error) {
      fail(error)
    } finally {
      busy.value = false
    }
  }
  const isBegun = JSON.stringify(d) !== JSON.stringify(empty)
  return html`
    <header class="top plain over">
      <button
        class="icon-button"
        aria-label=${common('back')}
        onClick=${() => goBack(to('orders'))}
      >
        ${icon('arrow-left')}
      </button>
      <div class="title">
        <h1 tabindex="-1">${t('newTitle')}</h1>
      </div>
      ${isBegun && html`<button class="button mini" onClick=${clear}>${t('clear')}</button>`}
    </header>
    <div class="stack form-view">
      ${restored.value && !waiting.value && html`
        <p class="banner info rounded">
          ${icon('info')}
          <span>${t('restored')}</span>
        </p>
      `}
      ${waiting.value && html`
        <div class="banner info rounded" id="shared-text">
          ${icon('info')}
          <div class="grow stack">
            <span>${t('shared')}</span>
            <div class="row wraps">
              <button class="button" id="shared-new" onClick=${() => receive(false)}>
                ${t('sharedNew')}
              </button>
              <button class="button" id="shared-add" onClick=${() => receive(true)}>
                ${t('sharedAdd')}
              </button>
            </div>
          </div>
        </div>
      `}
      ${formError(errors.value)}
      <form class="card section stack" onSubmit=${parse}>
        <div class="field">
          <label for="text">${t('message')}</label>
          <textarea
            id="text"
            name="text"
            rows="3"
            maxlength="5000"
            aria-describedby="text-hint"
            value=${d.text}
            onInput=${(/** @type {any} */ e) => change({ text: e.target.value })}
          ></textarea>
          <p class="hint" id="text-hint">${t('messageHint')}</p>
        </div>
        <button class="button" id="parse" disabled=${d.text.trim() === ''}>
          ${icon('clipboard-paste')}
          ${t('fill')}
        </button>
      </form>
      <section class="card section">
        ${chips(
          'source',
          t('source'),
          sources,
          d.source,
          (source) => orders.dynamic('from_' + source),
          (source) => change({ source }),
        )}
      </section>
      <${BuyerFields}
        draft=${d}
        change=${change}
        errors=${errors.value}
        seed=${seed.value}
        hint=${(/** @type {keyof import('../part/order_message.js').Buyer} */ field) =>
          hintOf(message.value, field, d[field])}
      >
        <${Proposed}
          message=${message.value}
          draft=${d}
          change=${(/** @type {Partial<Draft>} */ buyer) => {
            change(buyer)
            seed.value++
          }}
        />
      <//>
      ${contactBanners(contact)}
      ${others.map((row) => duplicateBanner(row))}
      <${Goods}
        draft=${d}
        change=${change}
        errors=${errors.value}
        wanted=${wanted.value}
        onWanted=${(/** @type {Wanted[]} */ rest) => {
          wanted.value = rest
        }}
      >
        ${goodsHint(message.value)}
      <//>
      <${Delivery}
        options=${quote?.deliveryOptions ?? []}
        draft=${d}
        chosen=${quote?.delivery?._id}
        change=${change}
        errors=${errors.value}
      />
      <${MoreFields} draft=${d} change=${change} errors=${errors.value} seed=${seed.value} goods />
      <section class="card section stack">
        ${chips('paymentMethod', t('payment'), methodsOf, d.paymentMethod, word, (paymentMethod) =>
          change({ paymentMethod, ...(paymentMethod === 'cod' ? {} : { advance: '' }) }),
        )}
        ${d.paymentMethod !== 'cod' && html`
          <label class="row choice">
            <input
              type="checkbox"
              class="checkbox"
              id="sendLink"
              checked=${d.sendLink}
              onChange=${(/** @type {FieldEvent} */ event) =>
                change({ sendLink: event.target.checked })}
            />
            <span class="grow">${t('sendLink')}</span>
          </label>
        `}
      </section>
      ${d.paymentMethod === 'cod' && html`
        <section class="card section stack" key=${'advance' + seed.value}>
          <${Field}
            name="advance"
            label=${t('advance')}
            hint=${t('advanceHint')}
            value=${d.advance}
            errors=${errors.value}
            inputmode="decimal"
            autocomplete="off"
            onInput=${(/** @type {FieldEvent} */ event) => change({ advance: event.target.value })}
          />
          ${d.advance &&
            chips(
              'method',
              t('method'),
              methods,
              d.method,
              (method) => word('by_' + method),
              (method) => change({ method }),
            )}
        </section>
      `}
    </div>
    <div class="action-bar tall">
      ${problem || isWrong
        ? html`
            <p class="error" role="status">
              ${icon('circle-alert', 'mini')}
              <span>
                ${isWrong
                  ? Object.values(wrong)[0]
                  : problem && explain(problem.errors[0] ?? problem)}
              </span>
            </p>
          `
        : quote
          ? html`
              <${Sums}
                quote=${quote}
                label=${t(advance > 0 ? 'toCollect' : 'total')}
                advance=${advance}
              />
            `
          : html`<p class="small quiet">${t('noTotal')}</p>`}
      ${wanted.value.length > 0 && html`
        <p class="small bold tone-warn" role="status" id="not-added">
          ${icon('circle-alert', 'mini')} ${t('notAdded', {
            list: wanted.value
              .map((item) => digits(item.quantity) + ' × ' + (item.text || t('noWords')))
              .join(', '),
          })}
        </p>
      `}
      ${warnings.includes('contact_blocked') && !contact && html`
        <p class="error">${t('buyer')}</p>
      `}
      <div class="row">
        <button
          class="button primary big"
          id="place"
          aria-busy=${busy.value}
          disabled=${d.items.length === 0}
          onClick=${() => place('place')}
        >
          ${icon(busy.value ? 'loader' : 'check', busy.value ? 'spin' : '')}
          ${t('place')}
        </button>
        <button
          class="button square"
          aria-label=${t('otherWays')}
          aria-haspopup="dialog"
          disabled=${d.items.length === 0}
          onClick=${() => {
            choosing.value = true
          }}
        >
          ${icon('ellipsis')}
        </button>
      </div>
    </div>
    ${reply.value && html`
      <${ReplyDialog}
        reply=${reply.value}
        close=${() => {
          const next = reply.value?.next ?? ''
          reply.value = null
          open(next, { replace: true })
        }}
      />
    `}
    ${choosing.value && html`
      <${Dialog}
        title=${t('otherWays')}
        close=${() => {
          choosing.value = false
        }}
      >
        <ul class="options">
          ${[
            ['placeBook', 'truck'],
            ['placeOnly', 'clock'],
          ].map(([how, name]) => html`
            <li>
              <button class="option" onClick=${() => place(how)}>
                ${icon(name)}
                <span class="grow">${t.dynamic(how)}</span>
              </button>
            </li>
          `)}
        </ul>
      <//>
    `}
  `
}

/** Cash, and the gateways that are connected: all, if the caller cannot see which ones are. */
function usePaymentMethods() {
  const { data, problem } = useGet(can('providers.read') ? 'providers' : null)
  if (!can('providers.read') || problem) return paymentMethods
  return paymentMethods.filter(
    (method) =>
      method === 'cod' ||
      data?.nodes
        .find((/** @type {any} */ { provider }) => provider === method)
        ?.capabilities.find((/** @type {any} */ { name }) => name === 'payment')?.ready,
  )
}

/** Choices as chips. */
const chips = (
  /** @type {string} */ name,
  /** @type {string} */ label,
  /** @type {string[]} */ all,
  /** @type {string} */ value,
  /** @type {(value: string) => string} */ text,
  /** @type {(value: string) => void} */ choose,
) => html`
  <fieldset class="checks">
    <legend class="label">${label}</legend>
    <div class="row wraps">
      ${all.map((option) => html`
        <label class="chip">
          <input
            type="radio"
            name=${name}
            value=${option}
            checked=${option === value}
            onChange=${() => choose(option)}
          />
          ${text(option)}
        </label>
      `)}
    </div>
  </fieldset>
`

/** Returns the request that places the order. */
const input = (/** @type {Draft} */ d, currency = currencyOf()) => ({
  items: itemsOf(d, currency),
  source: d.source,
  incompleteOrderId: d.incompleteOrderId || undefined,
  paymentMethod: d.paymentMethod,
  sendLink: (d.paymentMethod !== 'cod' && d.sendLink) || undefined,
  customer: { name: d.name, phoneNumber: d.phoneNumber, email: d.email || undefined },
  shippingAddress: addressOf(d),
  deliveryChargeId: (!d.deliveryCharge && d.deliveryChargeId) || undefined,
  deliveryCharge: d.deliveryCharge ? typedAmount(d.deliveryCharge, currency) : undefined,
  couponCode: d.couponCode || undefined,
  advance:
    d.paymentMethod === 'cod' && (typedAmount(d.advance, currency) ?? 0) > 0
      ? { amount: typedAmount(d.advance, currency), method: d.method }
      : undefined,
  note: d.note || undefined,
  staffDiscount: d.discount.trim()
    ? { amount: typedAmount(d.discount, currency), reason: d.reason }
    : undefined,
})

/** Loads the total of what is entered so far. The last one stays until the next is there. */
function useQuote(/** @type {Draft} */ d) {
  const state = useSignal(
    /** @type {{ quote: any, warnings: string[], problem: Problem | null }} */ ({
      quote: null,
      warnings: [],
      problem: null,
    }),
  )
  const { source, ...request } = input(d)
  const body = {
    ...request,
    source,
    customer: undefined,
    shippingAddress: d.city ? request.shippingAddress : undefined,
    staffDiscount: d.reason ? request.staffDiscount : undefined,
  }
  const key = JSON.stringify(body)
  useEffect(() => {
    if (d.items.length === 0) {
      state.value = { quote: null, warnings: [], problem: null }
      return
    }
    if (Object.keys(amountErrors(d, currencyOf())).length > 0) return
    const abort = new AbortController()
    const timer = setTimeout(
      () =>
        send('POST', 'orders', { body, query: { dryRun: true }, signal: abort.signal }).then(
          ({ data }) => {
            state.value = { ...data, problem: null }
          },
          (problem) => {
            if (problem instanceof Problem) state.value = { ...state.peek(), problem }
          },
        ),
      250,
    )
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [key])
  return state.value
}

/**
 * Whether a phone number is complete: a mobile number of Bangladesh has eleven digits, one with its
 * country up to fifteen.
 */
const isComplete = (/** @type {string} */ phone) =>
  (/^(\+?880|0)1/.test(phone) ? /^(\+?880|0)1[3-9]\d{8}$/ : /^(\+\d{8,15}|0\d{9,11})$/).test(phone)

/** Returns a phone number once it is complete, as the API writes it. */
function usePhone(/** @type {string} */ entered) {
  const found = useSignal(/** @type {string | null} */ (null))
  useEffect(() => {
    found.value = null
    const phone = plainDigits(entered).replace(/[\s().-]/g, '')
    if (!isComplete(phone)) return
    const abort = new AbortController()
    const timer = setTimeout(
      () =>
        send('GET', 'contacts/' + encodeURIComponent(phone), {
          signal: abort.signal,
          recover: false,
        }).then(
          ({ data }) => {
            found.value = data.phoneNumber
          },
          () => {},
        ),
      300,
    )
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [entered])
  return found.value
}
