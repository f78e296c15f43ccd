// Creating the first shop of a server with its owner, by the link that the server has printed.

import { html, useSignal } from '../html.js'
import { Problem, send } from '../api.js'
import { language } from '../i18n.js'
import { open, route } from '../router.js'
import { enter } from '../session.js'
import { t as reauth } from '../strings/reauth.js'
import { t } from '../strings/sign_in.js'
import { Field, formError, Submit, useForm } from '../part/form.js'
import { SignInLayout, HTTPSRequired, useHTTPSRequired } from './sign_in.js'

/** The currencies of countries from which most shops come. @type {Record<string, string>} */
const currencyOf = {
  AE: 'AED',
  AU: 'AUD',
  BD: 'BDT',
  CA: 'CAD',
  CN: 'CNY',
  DE: 'EUR',
  ES: 'EUR',
  FR: 'EUR',
  GB: 'GBP',
  ID: 'IDR',
  IN: 'INR',
  IT: 'EUR',
  JP: 'JPY',
  KE: 'KES',
  KW: 'KWD',
  LK: 'LKR',
  MM: 'MMK',
  MV: 'MVR',
  MY: 'MYR',
  NG: 'NGN',
  NL: 'EUR',
  NP: 'NPR',
  OM: 'OMR',
  PH: 'PHP',
  PK: 'PKR',
  QA: 'QAR',
  SA: 'SAR',
  SG: 'SGD',
  TH: 'THB',
  TR: 'TRY',
  US: 'USD',
  VN: 'VND',
  ZA: 'ZAR',
}

/**
 * Returns codes with the names that the browser has for them, in the order of the names.
 * @type {(codes: string[], type: 'region' | 'currency') => [string, string][]}
 */
function named(codes, type) {
  const names = new Intl.DisplayNames(language.value, { type, fallback: 'none' })
  return codes
    .flatMap((code) => {
      const name = names.of(code)
      return name ? [/** @type {[string, string]} */ ([code, name])] : []
    })
    .sort(([, a], [, b]) => a.localeCompare(b, language.value))
}

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const pairs = letters.flatMap((first) => letters.map((second) => first + second))
const notCountries = ['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']
/**
 * Whether a code is the country's present one: browsers have names for those that were replaced,
 * too, such as UK and FX.
 */
const isPresent = (/** @type {string} */ code) => new Intl.Locale('und-' + code).region === code
const countries = () =>
  named(
    pairs.filter((code) => !notCountries.includes(code) && isPresent(code)),
    'region',
  )

/** The country that the device seems to be in. */
function ownCountry() {
  if (language.value === 'bn' || Intl.DateTimeFormat().resolvedOptions().timeZone === 'Asia/Dhaka')
    return 'BD'
  return new Intl.Locale(navigator.language).maximize().region ?? 'BD'
}

/**
 * @param {{ name: string, label: string, hint?: string, value: string, choices: [string, string][],
 *   onChange?: (value: string) => void }} props
 */
const Choice = ({ name, label, hint, value, choices, onChange }) => html`
  <div class="field">
    <label for=${name}>${label}</label>
    <div class="input">
      <select
        id=${name}
        name=${name}
        value=${value}
        aria-describedby=${hint && name + '-hint'}
        onChange=${(/** @type {FieldEvent} */ event) => onChange?.(event.target.value)}
      >
        ${choices.map(([code, text]) => html`
          <option value=${code} selected=${code === value}>${text}</option>
        `)}
      </select>
    </div>
    ${hint && html`<p class="hint" id=${name + '-hint'}>${hint}</p>`}
  </div>
`

export function view() {
  const token = route.value.view
  const country = useSignal(ownCountry())
  const currency = useSignal(currencyOf[country.value] ?? 'USD')
  const isOver = useSignal(false)
  const isPlain = useHTTPSRequired()
  const fields = [
    'shop.name',
    'shop.country',
    'shop.currency',
    'owner.name',
    'owner.user',
    'owner.password',
  ]
  const { form, errors, busy, onSubmit } = useForm(fields, async (values) => {
    const missing = fields.filter((field) => values[field] === '')
    if (missing.length > 0)
      throw new Problem(422, {
        errors: missing.map((field) => ({ field, code: 'required', message: '' })),
      })
    try {
      const { data: session } = await send('POST', 'setup', {
        ofServer: true,
        recover: false,
        body: {
          token,
          shop: {
            name: values['shop.name'],
            country: values['shop.country'],
            currency: values['shop.currency'],
            language: language.value,
          },
          owner: {
            name: values['owner.name'],
            user: values['owner.user'],
            password: values['owner.password'],
          },
        },
      })
      enter(session)
      open('#/' + encodeURIComponent(session.shop.uid) + '/home', { replace: true })
    } catch (error) {
      if (error instanceof Problem && /^(link_invalid|shop_exists)$/.test(error.code))
        isOver.value = true
      else throw error
    }
  })
  if (isPlain)
    return html`
      <${SignInLayout} title=${t('setUpTitle')}>
        <${HTTPSRequired} />
      <//>
    `
  if (isOver.value)
    return html`
      <${SignInLayout} title=${t('setUpOver')} text=${t('setUpOverText')}>
        <a class="button primary big" href="#/">${reauth('signIn')}</a>
      <//>
    `
  return html`
    <${SignInLayout} title=${t('setUpTitle')} text=${t('setUpText')}>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="shop.name"
          label=${t('shopName')}
          errors=${errors.value}
          autocomplete="organization"
        />
        <${Choice}
          name="shop.country"
          label=${t('country')}
          value=${country.value}
          choices=${countries()}
          onChange=${(/** @type {string} */ code) => {
            country.value = code
            currency.value = currencyOf[code] ?? currency.value
          }}
        />
        <${Choice}
          name="shop.currency"
          label=${t('currency')}
          hint=${t('currencyHint')}
          value=${currency.value}
          choices=${named(Intl.supportedValuesOf('currency'), 'currency')}
          onChange=${(/** @type {string} */ code) => {
            currency.value = code
          }}
        />
        <${Field} name="owner.name" label=${t('name')} errors=${errors.value} autocomplete="name" />
        <${Field}
          name="owner.user"
          label=${t('user')}
          errors=${errors.value}
          autocomplete="username"
          autocapitalize="none"
          spellcheck=${false}
        />
        <${Field}
          name="owner.password"
          type="password"
          label=${t('newPassword')}
          hint=${t('passwordHint')}
          errors=${errors.value}
          autocomplete="new-password"
        />
        <${Submit} busy=${busy.value}>${t('openShop')}<//>
      </form>
    <//>
  `
}
