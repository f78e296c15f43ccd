// Booking the shipment of one order: where it goes, what the courier charges, and what it would
// refuse.

import { html, useSignal } from '../html.js'
import { Problem } from '../api.js'
import { digits, money, name, plainDigits } from '../i18n.js'
import { useGet } from '../resource.js'
import { to } from '../router.js'
import { can } from '../session.js'
import { t as book } from '../strings/book.js'
import { t } from '../strings/order.js'
import { explain } from '../strings/problem.js'
import { PlaceFold, usePlaces, quotes } from './book_place.js'
import { couriers, fieldToEdit, NotConnected, saveCourier, useCourier } from './courier.js'
import { Dialog } from './dialog.js'
import { Field, formError, Segments, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { word } from './status.js'

/** @typedef {import('../api.js').Schemas['ShipmentProblem']} Refusal */

const sent = ['note', 'weight']

/** Returns a weight that was typed, in grams. NaN: it is invalid. */
const grams = (/** @type {string} */ text) =>
  /^\d{0,7}$/.test(plainDigits(text).trim()) ? Number(plainDigits(text)) : NaN

/**
 * The courier that delivers best where the order goes, with its figures; nothing if that is not
 * known.
 * @param {{ id: string, courier: string, choose: (courier: string) => void }} props
 */
function Best({ id, courier, choose }) {
  const { data } = useGet(`orders/${id}/courier-suggestion`)
  if (!data?.provider) return null
  const [best, ...others] = data.couriers.map((one) =>
    book('deliveredOf', {
      courier: word(one.provider),
      delivered: digits(one.delivered),
      all: digits(one.delivered + one.returned),
    }),
  )
  const place = data.area ?? data.city
  return html`
    <div class="banner rounded" id="best-courier">
      ${icon('truck')}
      <span class="grow">
        <b>${book('best', { courier: word(data.provider), place: name(place) })}</b>
        <br />
        <span class="small">${[best, ...others].join(' · ')}</span>
      </span>
      ${courier !== data.provider && html`
        <button
          type="button"
          class="button mini"
          onClick=${() => choose(/** @type {string} */ (data.provider))}
        >
          ${book('chooseBest')}
        </button>
      `}
    </div>
  `
}

/**
 * @param {{ order: import('../api.js').Schemas['StaffOrder'], run:
 *   import('./order_details.js').Run, close: () => void, words: (key: string) => string }} props
 */
export function Book({ order, run, close, words }) {
  const { courier: provider, choose, isConnected } = useCourier()
  const weight = useSignal(0)
  const places = usePlaces(isConnected ? [order] : [], provider)
  const chosen = places.toSend([order])?.[order._id]
  const { city, zone } = places.chosenFor(order._id) ?? places.suggestionFor(order._id) ?? {}
  const path = `orders/${order._id}/shipment-check`
  const query = { provider, weightGrams: weight.value || undefined }
  const { data: check } = useGet(isConnected ? path : null, query)
  const { data: quoted } = useGet(city && zone && can('prices.read') ? path : null, {
    ...query,
    city: city?._id,
    zone: zone?._id,
  })
  /** @type {Refusal[]} */
  const refusals = check?.problems ?? []
  const refusalOf = (/** @type {string} */ field) =>
    refusals.find((refusal) => refusal.field.startsWith(field))
  const { form, errors, busy, onSubmit } = useForm(sent, async (values, keyOf) => {
    const weightGrams = grams(values.weight)
    if (Number.isNaN(weightGrams))
      throw new Problem(422, {
        errors: [{ field: 'weight', code: 'invalid_value', message: t('weightWrong') }],
      })
    saveCourier(provider)
    const body = {
      provider,
      note: values.note || undefined,
      weightGrams: weightGrams || undefined,
      place: chosen,
    }
    await run('book', 'shipments', body, { key: keyOf(body) })
    close()
  })
  const reason = (/** @type {Refusal} */ { message }) =>
    explain({ code: 'state_conflict', message })
  const beside = Object.fromEntries(
    sent.flatMap((name) => {
      const refusal = refusalOf(name)
      return refusal ? [[name, reason(refusal)]] : []
    }),
  )
  const others = refusals.filter((refusal) => !sent.some((name) => refusal.field.startsWith(name)))
  const hasCash = order.cashToCollect.amount > 0
  return html`
    <${Dialog} title=${words('ask_book')} close=${close} id="book-one">
      <${Segments}
        name="courier"
        label=${t('courier')}
        value=${provider}
        choices=${couriers.map((courier) => [courier, word(courier)])}
        onChange=${choose}
      />
      <${Best} id=${order._id} courier=${provider} choose=${choose} />
      ${isConnected
        ? html`
            <div class="card">
              <${PlaceFold} key=${provider} places=${places} row=${order} />
            </div>
          `
        : html`<${NotConnected} courier=${provider} />`}
      ${others.length > 0 && html`
        <div class="stack" role="alert" id="refusals">
          <p class="bold tone-bad">${t('wouldRefuse', { courier: word(provider) })}</p>
          ${others.map((refusal) => html`
            <p class="error">
              ${icon('circle-alert', 'mini')}
              <span class="grow">${reason(refusal)}</span>
              ${/^(customer|shippingAddress)/.test(refusal.field) && html`
                <a
                  class="link"
                  onClick=${close}
                  href=${to('edit', order._id, { field: fieldToEdit(refusal.field) })}
                >
                  ${t('edit')}
                </a>
              `}
            </p>
          `)}
        </div>
      `}
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="note"
          label=${t('note')}
          value=${order.note ?? ''}
          errors=${{ ...beside, ...errors.value }}
          maxlength="500"
        />
        <${Field}
          name="weight"
          label=${t('weight')}
          hint=${check?.weightGrams && !weight.value
            ? t('weightKnown', { n: check.weightGrams })
            : t('weightHint')}
          errors=${{ ...beside, ...errors.value }}
          inputmode="numeric"
          autocomplete="off"
          onChange=${(/** @type {FieldEvent} */ event) => {
            weight.value = grams(event.target.value) || 0
          }}
        />
        ${can('prices.read') && html`
          <p class="row spread small" role="status">
            <span class="quiet">
              ${book(quoted?.price ? 'quoted' : 'charge', { courier: word(provider) })}
            </span>
            <b>
              ${quoted?.price
                ? money(quoted.price)
                : html`
                    <span class="quiet">
                      ${book(
                        quotes(provider) && !(city && zone) ? 'chargeByPlace' : 'chargeUnquoted',
                      )}
                    </span>
                  `}
            </b>
          </p>
        `}
        <${Submit} busy=${busy.value} disabled=${refusals.length > 0 || !isConnected}>
          ${icon('truck')}
          ${!can('prices.read')
            ? t('book')
            : hasCash
              ? t('bookNow', { amount: money(order.cashToCollect) })
              : t('bookPaid')}
        <//>
      </form>
    <//>
  `
}
