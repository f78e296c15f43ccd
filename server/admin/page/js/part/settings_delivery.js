// Delivery charges, and a test of which of them an address has.

import { html, useSignal } from '../html.js'
import { Problem, send } from '../api.js'
import { langOf, majorUnits, money, name, signOf, typedAmount } from '../i18n.js'
import { useGet } from '../resource.js'
import { session } from '../session.js'
import { t } from '../strings/settings.js'
import { Field, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { Chips, SettingCard } from './setting_card.js'

/** @typedef {import('./setting_card.js').Loaded} Loaded */
/**
 * @typedef {{ _id: string, name: string, charge: string, freeOver: string, areas: string[],
 *   countries: string[], estimate: string }} Option
 */

const currency = () => session.value?.shop.currency ?? ''
const major = (/** @type {number} */ amount) =>
  majorUnits({ amount, currency: currency(), formatted: '' })

/** @type {Option} */
const empty = {
  _id: '',
  name: '',
  charge: '',
  freeOver: '',
  areas: [],
  countries: [],
  estimate: '',
}

const draftOf = (/** @type {any} */ s) => ({
  options: s.deliveryCharges.map((/** @type {any} */ charge) => ({
    _id: charge._id,
    name: charge.name,
    charge: major(charge.charge),
    freeOver: charge.freeOver === null ? '' : major(charge.freeOver),
    areas: charge.areas ?? [],
    countries: charge.countries ?? [],
    estimate: charge.estimate ?? '',
  })),
})

/**
 * Returns the body of the request. It throws a Problem if a charge is no amount: it would be saved
 * as none.
 */
function bodyOf(/** @type {{ options: Option[] }} */ { options }) {
  /** @type {import('../api.js').FieldError[]} */
  const errors = []
  const amount = (
    /** @type {number} */ i,
    /** @type {string} */ field,
    /** @type {string} */ text,
  ) => {
    const value = typedAmount(text, currency())
    const error = Number.isNaN(value)
      ? { code: 'amount', message: t('noAmount', { text }) }
      : value === null && field === 'charge'
        ? { code: 'required', message: '' }
        : null
    if (error) errors.push({ field: `deliveryCharges[${i}].${field}`, ...error })
    return value
  }
  const deliveryCharges = options.map(
    ({ _id, charge, freeOver, estimate, countries, ...rest }, i) => ({
      ...rest,
      ...(_id && { _id }),
      charge: amount(i, 'charge', charge),
      freeOver: amount(i, 'freeOver', freeOver),
      estimate: estimate.trim() || null,
      ...(countries.length > 0 && { countries }),
    }),
  )
  if (errors.length > 0) throw new Problem(422, { errors })
  return { deliveryCharges }
}

/** @returns {[string, string][]} */
const lines = (/** @type {{ options: Option[] }} */ { options }) =>
  options.map((option) => [
    option.name || t('newCharge'),
    [
      option.charge,
      option.freeOver && t('freeFrom') + ' ' + option.freeOver,
      option.areas.join(', ') || t('anywhere'),
      option.estimate,
    ]
      .filter(Boolean)
      .join(' · '),
  ])

/** All districts but Dhaka: a buyer there is not offered the dearer charge. */
const otherDistricts = [
  'Bagerhat,Bandarban,Barguna,Barishal,Bhola,Bogura,Brahmanbaria,Chandpur,Chapainawabganj',
  "Chattogram,Chuadanga,Cox's Bazar,Cumilla,Dinajpur,Faridpur,Feni,Gaibandha,Gazipur,Gopalganj",
  'Habiganj,Jamalpur,Jashore,Jhalokati,Jhenaidah,Joypurhat,Khagrachhari,Khulna,Kishoreganj',
  'Kurigram,Kushtia,Lakshmipur,Lalmonirhat,Madaripur,Magura,Manikganj,Meherpur,Moulvibazar',
  'Munshiganj,Mymensingh,Naogaon,Narail,Narayanganj,Narsingdi,Natore,Netrokona,Nilphamari',
  'Noakhali,Pabna,Panchagarh,Patuakhali,Pirojpur,Rajbari,Rajshahi,Rangamati,Rangpur,Satkhira',
  'Shariatpur,Sherpur,Sirajganj,Sunamganj,Sylhet,Tangail,Thakurgaon',
]
  .join(',')
  .split(',')

/** The usual charges of shops in Bangladesh. @returns {Option[]} */
const usual = () => [
  { ...empty, name: t('insideDhaka'), charge: '70', areas: ['Dhaka'] },
  { ...empty, name: t('outsideDhaka'), charge: '130', areas: otherDistricts },
]

/** @param {{ loaded: Loaded, reload: () => Promise<Loaded> }} props */
export function Delivery(props) {
  const count = props.loaded.settings.deliveryCharges.length
  const removed = useSignal(0) // so far; a field that stayed would keep the text of another one
  const fields = Array.from({ length: count + 10 }, (_, i) =>
    ['name', 'charge', 'freeOver', 'areas', 'estimate', 'countries'].map(
      (field) => `deliveryCharges[${i}].${field}`,
    ),
  ).flat()
  return html`
    <${SettingCard}
      ...${props}
      id="set-delivery"
      title=${t('charges')}
      text=${t('chargesText')}
      fields=${fields}
      draftOf=${draftOf}
      bodyOf=${bodyOf}
      lines=${lines}
      form=${(
        /** @type {{ options: Option[] }} */ d,
        /** @type {any} */ change,
        /** @type {any} */ errors,
      ) => html`
        ${d.options.length === 0 && html`<p>${t('noCharges')}</p>`}
        ${d.options.map((option, i) => html`
          <${Charge}
            key=${removed.value + '-' + i}
            at=${i}
            option=${option}
            errors=${errors}
            change=${(/** @type {Partial<Option>} */ to) =>
              change({
                options: d.options.map((other, j) => (j === i ? { ...other, ...to } : other)),
              })}
            remove=${() => {
              removed.value++
              change({ options: d.options.filter((_, j) => j !== i) })
            }}
          />
        `)}
        <div class="row wraps">
          ${d.options.length === 0 && session.value?.shop.country === 'BD' && html`
            <button
              type="button"
              class="button soft"
              id="usual"
              onClick=${() => change({ options: usual() })}
            >
              ${t('usualCharges')}
            </button>
          `}
          <button
            type="button"
            class="button"
            id="add-charge"
            onClick=${() => change({ options: [...d.options, empty] })}
          >
            ${icon('plus')}
            ${t('addCharge')}
          </button>
        </div>
      `}
    />
    ${count > 0 && html`<${TestAddress} />`}
  `
}

/**
 * @param {{ at: number, option: Option, errors: Record<string, string>, change: (to:
 *   Partial<Option>) => void, remove: () => void }} props
 */
function Charge({ at, option, errors, change, remove }) {
  const field = (/** @type {keyof Option} */ key, /** @type {any} */ more) => html`
    <${Field}
      name=${`deliveryCharges[${at}].${key}`}
      errors=${errors}
      value=${option[key]}
      onInput=${(/** @type {FieldEvent} */ event) => change({ [key]: event.target.value })}
      autocomplete="off"
      ...${more}
    />
  `
  const areas = `deliveryCharges[${at}].areas`
  return html`
    <fieldset class="charge stack">
      <legend class="row spread wraps">
        <b lang=${langOf(name(option.name))}>${name(option.name) || t('newCharge')}</b>
        <button type="button" class="button mini" onClick=${remove}>
          ${icon('trash', 'mini')}
          ${t('remove')}
        </button>
      </legend>
      ${field('name', { label: t('chargeName'), hint: t('chargeNameHint') })}
      <div class="pair">
        ${field('charge', { label: t('charge'), inputmode: 'decimal', prefix: signOf(currency()) })}
        ${field('freeOver', {
          label: t('freeFrom'),
          hint: t('freeFromHint'),
          inputmode: 'decimal',
          prefix: signOf(currency()),
        })}
      </div>
      <${Chips}
        id=${areas}
        label=${t('areas')}
        hint=${t('areasHint')}
        values=${option.areas}
        error=${errors[areas]}
        onChange=${(/** @type {string[]} */ to) => change({ areas: to })}
      />
      ${field('estimate', { label: t('estimate'), hint: t('estimateHint') })}
    </fieldset>
  `
}

/** Which charges the server offers for an address, as they are saved. */
function TestAddress() {
  const { data } = useGet('products', { status: ['active'], limit: 1 })
  const found = useSignal(/** @type {any[] | null} */ (null))
  const product = data?.nodes[0]
  const { form, errors, busy, onSubmit } = useForm(['area', 'city'], async ({ area, city }) => {
    found.value = null
    const variant = product.variants[0]
    const body = {
      items: [{ variantId: variant._id, quantity: 1 }],
      source: 'phone',
      paymentMethod: 'cod',
      shippingAddress: {
        line1: '-',
        city,
        area: area || undefined,
        country: session.value?.shop.country,
      },
    }
    try {
      const { data: result } = await send('POST', 'orders', { query: { dryRun: true }, body })
      found.value = result.quote.deliveryOptions
    } catch (error) {
      if (error instanceof Problem && error.code === 'delivery_charge_required')
        found.value = error.details.deliveryCharges ?? []
      else throw error
    }
  })
  if (!data || !product) return null
  return html`
    <section class="card section" id="test-address">
      <h2>${t('testAddress')}</h2>
      <p class="quiet small">${t('testAddressText')}</p>
      <form ref=${form} class="stack setting" novalidate onSubmit=${onSubmit}>
        ${errors.value[''] && html`
          <p class="banner bad rounded" role="alert" tabindex="-1">${errors.value['']}</p>
        `}
        <div class="pair">
          <${Field} name="area" label=${t('area')} errors=${errors.value} autocomplete="off" />
          <${Field} name="city" label=${t('city')} errors=${errors.value} autocomplete="off" />
        </div>
        <${Submit} busy=${busy.value} kind="">${t('test')}<//>
        <div role="status">
          ${found.value &&
            (found.value.length === 0
              ? html`<p class="banner rounded">${t('nowhere')}</p>`
              : html`
                  <ul class="found-charges">
                    ${found.value.map((charge) => html`
                      <li class="row spread">
                        <span lang=${langOf(name(charge.name))}>${name(charge.name)}</span>
                        <b class="nowrap">${money(charge.charge)}</b>
                      </li>
                    `)}
                  </ul>
                `)}
        </div>
      </form>
    </section>
  `
}
