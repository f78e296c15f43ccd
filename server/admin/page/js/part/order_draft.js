// What a form of an order contains, and what of it is a change.

import { digits, majorUnits, name, typedAmount, typedPhone } from '../i18n.js'
import { t } from '../strings/order_form.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/**
 * @typedef {{ variantId: string, quantity: number, title: string, variantTitle: string | null,
 *   imageUrl: string | null, unitPrice: import('../i18n.js').Money, price?: string }} Line price:
 *   another one than the shop's, as typed
 */
/**
 * @typedef {{ phoneNumber: string, name: string, email: string, line1: string, line2: string, area:
 *   string, city: string, postcode: string, country: string | null, items: Line[],
 *   deliveryChargeId: string, deliveryName: string, deliveryCharge: string, couponCode: string,
 *   discount: string, reason: string, note: string }} Draft
 */

/** @type {Draft} */
export const emptyDraft = {
  phoneNumber: '',
  name: '',
  email: '',
  line1: '',
  line2: '',
  area: '',
  city: '',
  postcode: '',
  country: null,
  items: [],
  deliveryChargeId: '',
  deliveryName: '',
  deliveryCharge: '',
  couponCode: '',
  discount: '',
  reason: '',
  note: '',
}

/** Returns the form of an order. @returns {Draft} */
export const draftOf = (
  /** @type {StaffOrder} */ { customer: c, shippingAddress: a, ...order },
) => ({
  phoneNumber: typedPhone(c.phoneNumber),
  name: c.name,
  email: c.email ?? '',
  line1: a.line1 ?? '',
  line2: a.line2 ?? '',
  area: a.area ?? '',
  city: a.city,
  postcode: a.postcode ?? '',
  country: a.country,
  note: order.note ?? '',
  deliveryChargeId: order.delivery?._id ?? '',
  deliveryName: order.delivery?.name ?? '',
  deliveryCharge: order.delivery ? '' : majorUnits(order.deliveryCharge),
  couponCode: order.coupon?.code ?? '',
  discount: order.staffDiscount
    ? majorUnits({ ...order.total, amount: order.staffDiscount.amount })
    : '',
  reason: order.staffDiscount?.reason ?? '',
  items: order.items.map(({ variantId, quantity, title, variantTitle, imageUrl, unitPrice }) => ({
    variantId,
    quantity,
    title,
    variantTitle,
    imageUrl,
    unitPrice,
  })),
})

export const addressOf = (/** @type {Draft} */ d) => ({
  line1: d.line1,
  line2: d.line2 || null,
  area: d.area || null,
  city: d.city,
  postcode: d.postcode || null,
  country: d.country,
})

export const itemsOf = (/** @type {Draft} */ d, currency = '') =>
  d.items.map(({ price, quantity, variantId }) => ({
    variantId,
    quantity,
    unitPrice: price ? typedAmount(price, currency) : undefined,
  }))

/**
 * Returns an error for each invalid amount, by field: it must not be sent as 0. The field of a
 * line's price has its variant.
 */
export const amountErrors = (/** @type {Draft} */ d, /** @type {string} */ currency, more = {}) =>
  Object.fromEntries(
    Object.entries({
      ...Object.fromEntries(d.items.map((line) => ['price-' + line.variantId, line.price ?? ''])),
      deliveryCharge: d.deliveryCharge,
      discount: d.discount,
      ...more,
    })
      .filter(([, text]) => Number.isNaN(typedAmount(text, currency)))
      .map(([field, text]) => [field, t('noAmount', { text })]),
  )

/**
 * The parts of an order that change as one: how each is shown, and how it is sent.
 * @type {Record<string, { label: () => string, show: (d: Draft) => string, send: (d: Draft,
 *   currency: string) => any }>}
 */
export const parts = {
  name: {
    label: () => t('name'),
    show: (d) => d.name,
    send: (d) => ({ customer: { name: d.name } }),
  },
  phoneNumber: {
    label: () => t('phone'),
    show: (d) => d.phoneNumber,
    send: (d) => ({ customer: { phoneNumber: d.phoneNumber } }),
  },
  email: {
    label: () => t('email'),
    show: (d) => d.email,
    send: (d) => ({ customer: { email: d.email || null } }),
  },
  address: {
    label: () => t('address'),
    show: (d) => [d.line1, d.line2, d.area, d.city, d.postcode].filter(Boolean).join(', '),
    send: (d) => ({ shippingAddress: addressOf(d) }),
  },
  items: {
    label: () => t('goods'),
    show: (d) =>
      d.items
        .map((line) =>
          [
            digits(line.quantity) + ' ×',
            name(line.title),
            line.variantTitle,
            line.price && '· ' + line.price,
          ]
            .filter(Boolean)
            .join(' '),
        )
        .join(', '),
    send: (d, currency) => ({ items: itemsOf(d, currency) }),
  },
  delivery: {
    label: () => t('delivery'),
    show: (d) =>
      d.deliveryCharge ? `${t('ownCharge')}: ${d.deliveryCharge}` : name(d.deliveryName),
    send: (d, currency) =>
      d.deliveryCharge
        ? { deliveryCharge: typedAmount(d.deliveryCharge, currency) }
        : { deliveryChargeId: d.deliveryChargeId },
  },
  coupon: {
    label: () => t('coupon'),
    show: (d) => d.couponCode,
    send: (d) => ({ couponCode: d.couponCode || null }),
  },
  discount: {
    label: () => t('discount'),
    show: (d) => [d.discount, d.reason].filter(Boolean).join(' · '),
    send: (d, currency) => ({
      staffDiscount: { amount: typedAmount(d.discount, currency) ?? 0, reason: d.reason },
    }),
  },
  note: { label: () => t('note'), show: (d) => d.note, send: (d) => ({ note: d.note || null }) },
}

// Lines are compared by variant: the title of a product may have changed since.
const valueOf = (/** @type {Draft} */ d, /** @type {string} */ part) =>
  part === 'items'
    ? JSON.stringify(d.items.map((line) => [line.variantId, line.quantity, line.price ?? '']))
    : part === 'delivery'
      ? d.deliveryCharge || d.deliveryChargeId
      : parts[part].show(d).trim()

/** Returns the parts in which two forms differ. */
export const differences = (/** @type {Draft} */ a, /** @type {Draft} */ b) =>
  Object.keys(parts).filter((part) => valueOf(a, part) !== valueOf(b, part))

/** Returns the body of a change of those parts. */
export function changeOf(
  /** @type {Draft} */ draft,
  /** @type {string[]} */ changed,
  /** @type {string} */ currency,
) {
  /** @type {any} */
  const body = {}
  for (const part of changed) {
    const { customer, ...rest } = parts[part].send(draft, currency)
    Object.assign(body, rest, customer && { customer: { ...body.customer, ...customer } })
  }
  return body
}

/** Returns the form with some parts of another. */
export function merge(
  /** @type {Draft} */ draft,
  /** @type {Draft} */ other,
  /** @type {string[]} */ chosen,
) {
  const fields = {
    address: ['line1', 'line2', 'area', 'city', 'postcode', 'country'],
    delivery: ['deliveryChargeId', 'deliveryName', 'deliveryCharge'],
    coupon: ['couponCode'],
    discount: ['discount', 'reason'],
  }
  const copied = chosen.flatMap(
    (part) => fields[/** @type {keyof typeof fields} */ (part)] ?? [part],
  )
  return /** @type {Draft} */ ({
    ...draft,
    ...Object.fromEntries(
      copied.map((field) => [field, other[/** @type {keyof Draft} */ (field)]]),
    ),
  })
}
