// Changing an order: the form as it is, the new total before it is saved, and both versions if
// somebody else has changed the order meanwhile.

import { html, useEffect, useLayoutEffect, useRef, useSignal } from '../html.js'
import { act, Problem, send } from '../api.js'
import { focusFault } from '../focus.js'
import { digits } from '../i18n.js'
import { refreshCounts, touched } from '../live.js'
import { changed } from '../resource.js'
import { before as cameFrom, guard, open, route, to } from '../router.js'
import { session } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/order_form.js'
import { explain, reason } from '../strings/problem.js'
import { Warnings } from '../part/buyer.js'
import { Conflict } from '../part/conflict.js'
import { errorsOf, formError } from '../part/form.js'
import { icon } from '../part/icon.js'
import {
  addressOf,
  amountErrors,
  changeOf,
  differences,
  draftOf,
  itemsOf,
  merge,
  parts as orderParts,
} from '../part/order_draft.js'
import { BuyerFields, Delivery, Goods, MoreFields, Sums } from '../part/order_form.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'
import { showToast } from '../part/toast.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {import('../part/order_draft.js').Draft} Draft */

export const view = () =>
  allowed('orders.write', () => html`<${Edit} key=${route.value.id} id=${route.value.id} />`)

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
]

/** Shows the order, or the call that the edit was begun in. */
const back = (/** @type {string} */ id) =>
  /\/call(\/|\?|$)/.test(cameFrom()) || cameFrom().includes('/' + id)
    ? history.back()
    : open(to('order', id), { replace: true })

function Edit(/** @type {{ id: string }} */ { id }) {
  const path = 'orders/' + encodeURIComponent(id)
  const loaded = useSignal(/** @type {{ order: StaffOrder, etag: string | null } | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  const load = () =>
    send('GET', path).then(
      ({ data, etag }) => {
        loaded.value = { order: data, etag }
        problem.value = null
      },
      (error) => {
        problem.value = error
      },
    )
  useEffect(() => {
    load()
  }, [])
  const bar = (/** @type {string} */ title) => html`
    <header class="top plain over">
      <button class="icon-button" aria-label=${common('back')} onClick=${() => back(id)}>
        ${icon('arrow-left')}
      </button>
      <div class="title">
        <h1 tabindex="-1">${title}</h1>
      </div>
    </header>
  `
  if (problem.value)
    return html`
      ${bar('')}
      <${Failed} problem=${problem.value} retry=${load} />
    `
  if (!loaded.value)
    return html`
      ${bar('')}
      <${Skeleton}>${skeletonRows(4)}<//>
    `
  const { order, etag } = loaded.value
  const title = t('editTitle', { number: digits(order.orderNumber) })
  if (!order.actions.edit.allowed)
    return html`
      ${bar(title)}
      <${Empty} icon="lock" title=${t('notAllowed')} text=${reason(order.actions.edit)} />
    `
  return html`
    ${bar(title)}
    <${Form} path=${path} first=${order} firstTag=${etag} />
  `
}

/** @param {{ path: string, first: StaffOrder, firstTag: string | null }} props */
function Form({ path, first, firstTag }) {
  const base = useSignal({ order: first, etag: firstTag })
  const draft = useSignal(/** @type {Draft} */ (draftOf(first)))
  const conflict = useSignal(
    /** @type {{ order: StaffOrder, etag: string | null } | null} */ (null),
  )
  const errors = useSignal(/** @type {Record<string, string>} */ ({}))
  const busy = useSignal(false)
  const others = useSignal(false)
  const seed = useSignal(0)
  const left = useRef(false) // nothing is unsaved any more
  const { order } = base.value
  const goods = order.actions.editItems.allowed
  const number = digits(order.orderNumber)
  const before = draftOf(order)
  const changes = differences(draft.value, before)
  const change = (/** @type {Partial<Draft>} */ to) => {
    draft.value = { ...draft.value, ...to }
  }
  useLayoutEffect(
    () => guard(() => (changes.length > 0 && !left.current ? t('unsaved') : null)),
    [changes.length],
  )
  useEffect(() => {
    // what a courier would refuse, or the part that is to be changed
    const field = ['goods', ...fields].find((field) => field === route.value.query.get('field'))
    if (field) document.getElementById(field)?.focus()
  }, [])
  useEffect(() => {
    const event = touched.value
    if (event?.subject === order._id && event.actor !== session.value?.staffMember._id)
      others.value = true
  }, [touched.value])
  const [wrong] = Object.values(amountErrors(draft.value, order.total.currency))
  const { preview, problem } = usePreview(path, draft.value, changes, order)
  const quote = preview ?? order
  const options = useOptions(draft.value, order, goods, (to) =>
    change({ deliveryChargeId: to._id, deliveryName: to.name }),
  )

  function show(/** @type {Record<string, string>} */ faults) {
    errors.value = faults
    focusFault()
  }
  async function save(
    /** @type {Draft} */ next,
    /** @type {{ order: StaffOrder, etag: string | null }} */ from,
  ) {
    if (busy.value) return
    const faults = amountErrors(next, order.total.currency)
    if (Object.keys(faults).length > 0) return show(faults)
    busy.value = true
    errors.value = {}
    try {
      const parts = differences(next, draftOf(from.order))
      const { warnings } =
        parts.length === 0
          ? { warnings: [] }
          : await act(path, changeOf(next, parts, order.total.currency), {
              method: 'PATCH',
              ifMatch: from.etag,
              label: '#' + number,
            })
      changed()
      refreshCounts()
      left.current = true
      showToast(
        t(warnings.includes('shipment_has_old_address') ? 'savedOldAddress' : 'saved', { number }),
        { bad: warnings.length > 0 },
      )
      back(order._id)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.code === 'changed_meanwhile') await compare(next)
      else show(errorsOf(error, fields))
    } finally {
      busy.value = false
    }
  }
  // The order as it is now. Perhaps it is what was to be saved, by a request whose response was
  // lost.
  async function compare(/** @type {Draft} */ next) {
    const { data, etag } = await send('GET', path)
    if (differences(next, draftOf(data)).length > 0) {
      conflict.value = { order: data, etag }
      return
    }
    left.current = true
    changed()
    showToast(t('saved', { number }))
    back(order._id)
  }
  return html`
    <div class="stack form-view">
      ${formError(errors.value)}
      ${others.value && html`
        <p class="banner rounded" role="status">
          ${icon('info')}
          <span>${t('changedMeanwhile')}</span>
        </p>
      `}
      <${Warnings} order=${order} />
      <${BuyerFields}
        draft=${draft.value}
        change=${change}
        errors=${errors.value}
        seed=${seed.value}
      />
      ${goods
        ? html`
            <${Goods} draft=${draft.value} change=${change} errors=${errors.value} />
            <${Delivery}
              options=${options}
              draft=${draft.value}
              change=${change}
              errors=${errors.value}
            />
          `
        : html`
            <p class="banner info rounded">
              ${icon('lock')}
              <span>${t('onlyBuyer', { message: reason(order.actions.editItems) })}</span>
            </p>
          `}
      <${MoreFields}
        draft=${draft.value}
        change=${change}
        errors=${errors.value}
        seed=${seed.value}
        goods=${goods}
      />
    </div>
    <div class="action-bar tall">
      ${problem || wrong
        ? html`
            <p class="error" role="status">
              ${icon('circle-alert', 'mini')}
              <span>${wrong ?? (problem && explain(problem.errors[0] ?? problem))}</span>
            </p>
          `
        : html`<${Sums} quote=${quote} label=${t('total')} before=${order.total} />`}
      <button
        class="button primary big"
        id="save"
        aria-busy=${busy.value}
        disabled=${changes.length === 0}
        onClick=${() => save(draft.value, base.value)}
      >
        ${icon(busy.value ? 'loader' : 'check', busy.value ? 'spin' : '')}
        ${t('save')}
      </button>
      ${changes.length === 0 && html`<p class="small quiet right">${t('nothing')}</p>`}
    </div>
    ${conflict.value && html`
      <${Conflict}
        base=${before}
        mine=${draft.value}
        theirs=${draftOf(conflict.value.order)}
        parts=${orderParts}
        differences=${differences}
        merge=${merge}
        close=${() => {
          conflict.value = null
        }}
        save=${(/** @type {Draft} */ merged) => {
          const from = /** @type {{ order: StaffOrder, etag: string | null }} */ (conflict.value)
          conflict.value = null
          base.value = from
          draft.value = merged
          others.value = false
          seed.value++
          save(merged, from)
        }}
      />
    `}
  `
}

/**
 * Loads the delivery charges for the address as it is typed, and the order's own. Where that does
 * not deliver, the charge for the new address is chosen.
 * @param {Draft} draft
 * @param {StaffOrder} order
 * @param {boolean} isOpen whether the charge can still be changed
 * @param {(to: { _id: string, name: any }) => void} choose
 */
function useOptions(draft, order, isOpen, choose) {
  const options = useSignal(/** @type {{ _id: string, name: any, charge: any }[]} */ ([]))
  const currency = order.total.currency
  const moved = differences(draft, draftOf(order)).includes('address')
  const isWrong = Object.keys(amountErrors(draft, currency)).length > 0
  const body = JSON.stringify({
    items: itemsOf(draft, currency),
    source: 'phone',
    paymentMethod: 'cod',
    shippingAddress: addressOf(draft),
  })
  useEffect(() => {
    if (!isOpen || draft.items.length === 0 || !draft.city.trim() || isWrong) return
    const abort = new AbortController()
    const show = (
      /** @type {typeof options.value} */ found,
      /** @type {string | undefined} */ usual,
    ) => {
      const own = order.delivery && { ...order.delivery, charge: order.deliveryCharge }
      const isOffered = !own || found.some((choice) => choice._id === own._id)
      options.value = isOffered ? found : [...found, own]
      const next = found.find((choice) => choice._id === usual) ?? found[0]
      if (
        moved &&
        !isOffered &&
        next &&
        !draft.deliveryCharge &&
        draft.deliveryChargeId === own?._id
      )
        choose(next)
    }
    const timer = setTimeout(
      () =>
        send('POST', 'orders', {
          query: { dryRun: true },
          body: JSON.parse(body),
          signal: abort.signal,
        }).then(
          ({ data }) => show(data.quote.deliveryOptions, data.quote.delivery?._id),
          (problem) => {
            if (!(problem instanceof Problem) || problem.code !== 'delivery_charge_required') return
            show(problem.details.deliveryCharges ?? [], undefined)
          },
        ),
      250,
    )
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [body])
  return options.value
}

/** Loads the order as it would be. */
function usePreview(
  /** @type {string} */ path,
  /** @type {Draft} */ draft,
  /** @type {string[]} */ changes,
  /** @type {StaffOrder} */ order,
) {
  const state = useSignal(
    /** @type {{ preview: any, problem: Problem | null }} */ ({ preview: null, problem: null }),
  )
  const priced = changes.filter(
    (part) =>
      /^(items|delivery|coupon|discount|address)$/.test(part) &&
      (part !== 'discount' || draft.reason),
  )
  const body = JSON.stringify(changeOf(draft, priced, order.total.currency))
  useEffect(() => {
    if (priced.length === 0) {
      state.value = { preview: null, problem: null }
      return
    }
    if (Object.keys(amountErrors(draft, order.total.currency)).length > 0) return
    const abort = new AbortController()
    const timer = setTimeout(
      () =>
        send('PATCH', path, {
          body: JSON.parse(body),
          query: { dryRun: true },
          signal: abort.signal,
        }).then(
          ({ data }) => {
            state.value = { preview: data, problem: null }
          },
          (problem) => {
            if (problem instanceof Problem) state.value = { preview: null, problem }
          },
        ),
      250,
    )
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [body])
  return state.value
}
