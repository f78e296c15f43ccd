// What buyers typed without ordering: call them, place their order with one tap, or be done.

import { html, useEffect, useSignal } from '../html.js'
import { act } from '../api.js'
import { draftLife, draftOf, loadJSON, saveJSON } from '../device.js'
import { age, date, digits, langOf, money, name, number, phone, plainDigits } from '../i18n.js'
import { refreshCounts, touched } from '../live.js'
import { changed, useGet } from '../resource.js'
import { open, route, shopUID, to } from '../router.js'
import { can, session } from '../session.js'
import { t } from '../strings/incomplete.js'
import { CardList } from '../part/card_list.js'
import { Dialog } from '../part/dialog.js'
import { formError, Submit, useForm } from '../part/form.js'
import { icon } from '../part/icon.js'
import { useListKeys } from '../part/list_keys.js'
import { emptyDraft } from '../part/order_draft.js'
import { allowed } from '../part/states.js'
import { showToast } from '../part/toast.js'

/** @typedef {import('../api.js').Schemas['IncompleteOrder']} Incomplete */

const lists = ['open', 'ordered', 'done', 'blocked']
const reloadEvery = 30_000 // what buyers type is no event of the shop

export const view = () => allowed('orders.write', () => html`<${List} />`)

function List() {
  useListKeys('.incomplete .call')
  const { query } = route.value
  const status = lists.find((list) => list === query.get('status')) ?? lists[0]
  const search = query.get('search') ?? ''
  const loaded = useGet('incomplete-orders', {
    status,
    search: plainDigits(search),
    page: query.get('page'),
  })
  const report = useGet(can('analytics.read') ? 'analytics/incomplete' : null)
  useEffect(() => {
    const timer = setInterval(() => document.hidden || loaded.reload(), reloadEvery)
    return () => clearInterval(timer)
  }, [status])
  useEffect(() => {
    if (touched.value) loaded.reload() // the order may be of one of these buyers
  }, [touched.value])
  const shown = useSignal(/** @type {{ what: string, of: Incomplete } | null} */ (null))
  const total = report.data?.total
  const close = () => {
    shown.value = null
  }
  return html`
    <${CardList}
      view="incomplete"
      t=${t}
      lists=${lists}
      status=${status}
      loaded=${loaded}
      isFiltered=${Boolean(search)}
      icon="phone-missed"
      figures=${total?.started > 0 && html`
        <p class="padded small quiet" id="incomplete-figures">
          ${t('figures', {
            started: number(total.started),
            left: number(total.left),
            recovered: number(total.recovered),
          })}
        </p>
      `}
      action=${status === 'open' && can('settings.read') && html`
        <a class="button" href=${to('settings', 'incomplete')}>${icon('settings')}${t('setUp')}</a>
      `}
      cards=${(/** @type {Incomplete[]} */ all) => html`
        <ul class="stack narrow payments incomplete">
          ${all.map((one) => html`
            <${Entry}
              key=${one._id}
              entry=${one}
              showDialog=${(/** @type {string} */ what) => {
                shown.value = { what, of: one }
              }}
            />
          `)}
        </ul>
      `}
    />
    ${shown.value?.what === 'more' && html`
      <${More}
        entry=${shown.value.of}
        showDialog=${(/** @type {string} */ what) => {
          if (shown.value) shown.value = { ...shown.value, what }
        }}
        close=${close}
      />
    `}
    ${shown.value && shown.value.what !== 'more' && html`
      <${Confirm} what=${shown.value.what} entry=${shown.value.of} close=${close} />
    `}
  `
}

const goods = (/** @type {Incomplete} */ { items }) =>
  items
    .map(({ quantity, title, variantTitle }) =>
      [digits(quantity) + ' ×', name(title), name(variantTitle)].filter(Boolean).join(' '),
    )
    .join(', ')

/** The address of a chat with the buyer, with words to begin it in the buyer's language. */
const whatsapp = (/** @type {Incomplete} */ entry) => {
  const text = t.dynamic('hello_' + (entry.language ?? 'bn'), {
    name: entry.name,
    shop: name(session.value?.shop.name),
    goods: goods(entry),
  })
  const recipient = entry.phoneNumber.replace('+', '')
  return `https://wa.me/${recipient}?text=${encodeURIComponent(text.replace(/^,? /, ''))}`
}

const isComplete = (/** @type {Incomplete} */ { name, address, city }) =>
  Boolean(name && address && city)

/** The order of an entry, as the form of a new order has it. */
const newDraft = (/** @type {Incomplete} */ entry) => ({
  ...emptyDraft,
  source: 'phone',
  incompleteOrderId: entry._id,
  phoneNumber: entry.phoneNumber,
  name: entry.name,
  line1: entry.address,
  city: entry.city,
  deliveryChargeId: entry.deliveryChargeId ?? '',
  couponCode: entry.couponCode ?? '',
  items: entry.items.map(({ variantId, quantity, title, variantTitle, unitPrice }) => ({
    variantId,
    quantity,
    title,
    variantTitle: variantTitle || null,
    imageUrl: null,
    unitPrice,
  })),
})

/** Opens the form of a new order with an entry. */
function openDraft(/** @type {Incomplete} */ entry) {
  const draft = newDraft(entry)
  saveJSON(draftOf(shopUID.value), { at: Date.now(), draft, key: crypto.randomUUID() })
  open(to('new'))
}

/** Whether another order was begun on this device, and not placed. */
function isBegun(/** @type {Incomplete} */ entry) {
  const { at = 0, draft = {} } = loadJSON(draftOf(shopUID.value), {})
  return (
    Date.now() - at < draftLife &&
    draft.incompleteOrderId !== entry._id &&
    Boolean(draft.phoneNumber || draft.name || draft.items?.length)
  )
}

/** @param {{ entry: Incomplete, showDialog: (what: string) => void }} props */
function Entry({ entry, showDialog }) {
  const isOpen = entry.status === 'open'
  const { form, errors, busy, onSubmit } = useForm([], async (_, keyOf) => {
    const body = {
      items: entry.items.map(({ variantId, quantity }) => ({ variantId, quantity })),
      source: 'phone',
      customer: { name: entry.name, phoneNumber: entry.phoneNumber },
      shippingAddress: { line1: entry.address, city: entry.city },
      deliveryChargeId: entry.deliveryChargeId ?? undefined,
      couponCode: entry.couponCode ?? undefined,
      incompleteOrderId: entry._id,
    }
    const { order } = await act('orders', body, { label: t('place'), key: keyOf(body) })
    changed()
    refreshCounts()
    showToast(t('placed', { number: digits(order.orderNumber) }), {
      action: {
        text: t('order', { number: digits(order.orderNumber) }),
        to: to('order', order._id),
      },
    })
  })
  const edit = () => (isBegun(entry) ? showDialog('begun') : openDraft(entry))
  return html`
    <li class="card">
      <div class="section">
        <div class="row spread">
          <b lang=${langOf(entry.name)}>${entry.name || t('noName')}</b>
          <span class="row">
            <span class="small quiet">${age(entry.updatedAt)}</span>
            <button
              class="icon-button"
              aria-label=${t('more')}
              aria-haspopup="dialog"
              onClick=${() => showDialog('more')}
            >
              ${icon('ellipsis')}
            </button>
          </span>
        </div>
        <div class="row spread ends wraps">
          <span class="mono">${phone(entry.phoneNumber)}</span>
          <span class="bold">${money(entry.subtotal)}</span>
        </div>
        <p lang=${langOf(goods(entry))}>${goods(entry)}</p>
        ${(entry.address || entry.city) && html`
          <p class="small" lang=${langOf(entry.address)}>
            ${[entry.address, name(entry.city)].filter(Boolean).join(', ')}
          </p>
        `}
        <p class="small quiet">
          ${[
            t.dynamic('step_' + entry.step),
            entry.landingPage && t('landing', { page: entry.landingPage }),
            entry.couponCode && t('coupon', { code: entry.couponCode }),
            t('expires', { date: date(entry.expiresAt) }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
        ${entry.orderId && html`
          <p class="row wraps">
            <a class="bold reach" href=${to('order', entry.orderId)}>
              ${t('order', { number: digits(entry.orderNumber ?? 0) })}
            </a>
            ${entry.recovered && html`<span class="small tone-good">${t('recovered')}</span>`}
          </p>
        `}
      </div>
      <form ref=${form} class="section" onSubmit=${onSubmit} novalidate>
        ${formError(errors.value)}
        <div class="actions">
          <a class="button call" href=${'tel:' + entry.phoneNumber}>${icon('phone')}${t('call')}</a>
          <a class="button" href=${whatsapp(entry)} target="_blank" rel="noopener noreferrer">
            ${icon('message-circle')}
            ${t('whatsapp')}
          </a>
        </div>
        ${isOpen && html`
          <div class="actions">
            ${isComplete(entry) && html`<${Submit} busy=${busy.value}>${t('place')}<//>`}
            <button
              type="button"
              class=${isComplete(entry) ? 'button' : 'button primary'}
              onClick=${edit}
            >
              ${icon('pencil')}
              ${t(isComplete(entry) ? 'change' : 'fill')}
            </button>
          </div>
        `}
      </form>
    </li>
  `
}

const send = async (
  /** @type {Incomplete} */ { _id },
  /** @type {string} */ path,
  /** @type {string} */ label,
  method = 'POST',
) => {
  try {
    await act(`incomplete-orders/${_id}${path}`, undefined, { method, label })
  } finally {
    changed()
    refreshCounts()
  }
}

/** @param {{ entry: Incomplete, showDialog: (what: string) => void, close: () => void }} props */
function More({ entry, showDialog, close }) {
  const { form, errors, onSubmit } = useForm([], async () => {
    const isOpen = entry.status === 'open'
    await send(entry, isOpen ? '/close' : '/reopen', t(isOpen ? 'close' : 'reopen'))
    close()
    showToast(t(isOpen ? 'closed' : 'reopened'))
  })
  const changes = ['open', 'done'].includes(entry.status)
  return html`
    <${Dialog} title=${entry.name || phone(entry.phoneNumber)} close=${close}>
      <form ref=${form} onSubmit=${onSubmit} novalidate>
        ${formError(errors.value)}
        <ul class="options">
          ${changes && html`
            <li>
              <button class="option" id="close-incomplete">
                ${icon(entry.status === 'open' ? 'check' : 'undo-2')}
                <span class="grow">${t(entry.status === 'open' ? 'close' : 'reopen')}</span>
              </button>
            </li>
          `}
          ${changes && can('customers.write') && html`
            <li>
              <button type="button" class="option" onClick=${() => showDialog('block')}>
                ${icon('ban')}
                <span class="grow">${t('block')}</span>
              </button>
            </li>
          `}
          <li>
            <button type="button" class="option" onClick=${() => showDialog('remove')}>
              ${icon('trash')}
              <span class="grow">${t('remove')}</span>
            </button>
          </li>
        </ul>
      </form>
    <//>
  `
}

/** @param {{ what: string, entry: Incomplete, close: () => void }} props */
function Confirm({ what, entry, close }) {
  const number = phone(entry.phoneNumber)
  const { form, errors, busy, onSubmit } = useForm([], async () => {
    if (what === 'begun') return openDraft(entry)
    if (what === 'block') await send(entry, '/block', t('block'))
    else await send(entry, '', t('remove'), 'DELETE')
    close()
    showToast(what === 'block' ? t('wasBlocked', { phone: number }) : t('removed'))
  })
  const [title, text, verb] = {
    begun: [t('begun'), t('begunText'), t('replace')],
    block: [t('block'), t('blockText', { phone: number }), t('block')],
    remove: [t('remove'), t('removeText'), t('remove')],
  }[what] ?? ['', '', '']
  return html`
    <${Dialog} title=${title} text=${text} close=${close}>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Submit} busy=${busy.value}>${verb}<//>
      </form>
    <//>
  `
}
