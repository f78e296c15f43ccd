// Settings of the shop itself: name and contact, and what is printed.

import { html, useLayoutEffect, useRef, useSignal } from '../html.js'
import { pagePath } from '../api.js'
import { t } from '../strings/settings.js'
import { Field, Segments } from './form.js'
import { icon } from './icon.js'
import { Area, Choice, SettingCard } from './setting_card.js'

/** @typedef {import('./setting_card.js').Loaded} Loaded */
/** @typedef {{ loaded: Loaded, reload: () => Promise<Loaded> }} Props */

const fieldSetter =
  (/** @type {(to: any) => void} */ change, /** @type {string} */ field) =>
  (/** @type {FieldEvent} */ event) =>
    change({ [field]: event.target.value })

/** @returns {[string, string][]} */
const languages = () => [
  ['en', t('english')],
  ['bn', t('bangla')],
]

const languageName = (/** @type {string} */ key) => t(key === 'bn' ? 'bangla' : 'english')

/**
 * Returns the choices of a time zone, the one that is set among them.
 * @returns {[string, string][]}
 */
const zones = (/** @type {string} */ now) =>
  [...new Set(['', now, ...Intl.supportedValuesOf('timeZone')])].map((zone) => [
    zone,
    zone === '' ? t('zoneOfCountry') : zone.replaceAll('_', ' '),
  ])

/** @param {Props} props */
export const Shop = (props) => html`
  <${SettingCard}
    ...${props}
    id="set-shop"
    title=${t('shop')}
    fields=${['name', 'locale', 'timeZone']}
    draftOf=${(/** @type {any} */ s) => ({
      name: s.name,
      locale: s.locale,
      timeZone: s.timeZone,
      autoConfirm: s.autoConfirm,
      refusesCash: s.cashForBadRecords === 'refuse',
      courierRecords: s.courierRecords,
    })}
    bodyOf=${(/** @type {any} */ { refusesCash, ...d }) => ({
      ...d,
      name: d.name.trim(),
      cashForBadRecords: refusesCash ? 'refuse' : 'allow',
    })}
    lines=${(/** @type {any} */ d) => [
      [t('name'), d.name],
      [t('buyersLanguage'), languageName(d.locale.slice(0, 2))],
      [t('timeZone'), d.timeZone],
      [t('autoConfirm'), t(d.autoConfirm ? 'yes' : 'no')],
      [t('refusesCash'), t(d.refusesCash ? 'yes' : 'no')],
      [t('courierRecords'), t(d.courierRecords ? 'yes' : 'no')],
    ]}
    form=${(/** @type {any} */ d, /** @type {any} */ change, /** @type {any} */ errors) => html`
      <${Field}
        name="name"
        label=${t('name')}
        hint=${t('nameHint')}
        value=${d.name}
        errors=${errors}
        onInput=${fieldSetter(change, 'name')}
        autocomplete="organization"
      />
      <${Segments}
        name="locale"
        label=${t('buyersLanguage')}
        value=${d.locale.slice(0, 2)}
        choices=${languages()}
        onChange=${(/** @type {string} */ to) => change({ locale: to + d.locale.slice(2) })}
      />
      <${Choice}
        id="timeZone"
        label=${t('timeZone')}
        value=${d.timeZone}
        hint=${t('timeZoneHint')}
        choices=${zones(d.timeZone)}
        onChange=${(/** @type {string} */ to) => change({ timeZone: to })}
      />
      <div>
        ${[
          ['autoConfirm', 'autoConfirmHint'],
          ['refusesCash', 'refusesCashHint'],
          ['courierRecords', 'courierRecordsHint'],
        ].map(([key, hint]) => html`
          <label class="row choice">
            <input
              type="checkbox"
              class="checkbox"
              id=${key}
              checked=${d[key]}
              onChange=${(/** @type {FieldEvent} */ event) =>
                change({ [key]: event.target.checked })}
            />
            <span class="grow">
              ${t.dynamic(key)}
              <br />
              <span class="small quiet">${t.dynamic(hint)}</span>
            </span>
          </label>
        `)}
      </div>
    `}
  />
  <${SettingCard}
    ...${props}
    id="set-site"
    title=${t('site')}
    fields=${['announcement']}
    draftOf=${(/** @type {any} */ { site }) => site}
    bodyOf=${(/** @type {any} */ d) => ({ site: { ...d, announcement: d.announcement.trim() } })}
    lines=${(/** @type {any} */ d) => [[t('announcement'), d.announcement]]}
    form=${(/** @type {any} */ d, /** @type {any} */ change, /** @type {any} */ errors) => html`
      <${Field}
        name="announcement"
        label=${t('announcement')}
        hint=${t('announcementHint')}
        value=${d.announcement}
        errors=${errors}
        onInput=${fieldSetter(change, 'announcement')}
        autocomplete="off"
      />
    `}
  />
  <${SettingCard}
    ...${props}
    id="set-contact"
    title=${t('contact')}
    text=${t('contactText')}
    fields=${['phone', 'email', 'whatsapp', 'messenger', 'address']}
    draftOf=${(/** @type {any} */ { supportContact: c }) => ({
      phone: c.phone ?? '',
      whatsapp: c.whatsapp ?? '',
      messenger: c.messenger ?? '',
      email: c.email ?? '',
      address: c.address ?? '',
    })}
    bodyOf=${(/** @type {any} */ d) => ({
      supportContact: Object.fromEntries(
        Object.entries(d).map(([key, value]) => [key, value.trim() || null]),
      ),
    })}
    lines=${(/** @type {any} */ d) =>
      ['phone', 'whatsapp', 'messenger', 'email', 'address'].map((key) => [t.dynamic(key), d[key]])}
    form=${(/** @type {any} */ d, /** @type {any} */ change, /** @type {any} */ errors) => html`
      <${Field}
        name="phone"
        type="tel"
        label=${t('phone')}
        value=${d.phone}
        errors=${errors}
        onInput=${fieldSetter(change, 'phone')}
        autocomplete="off"
      />
      <${Field}
        name="whatsapp"
        type="tel"
        label="WhatsApp"
        value=${d.whatsapp}
        errors=${errors}
        onInput=${fieldSetter(change, 'whatsapp')}
        autocomplete="off"
      />
      <${Field}
        name="messenger"
        label=${t('messenger')}
        hint=${t('messengerHint')}
        value=${d.messenger}
        errors=${errors}
        onInput=${fieldSetter(change, 'messenger')}
        autocomplete="off"
      />
      <${Field}
        name="email"
        type="email"
        label=${t('email')}
        value=${d.email}
        errors=${errors}
        onInput=${fieldSetter(change, 'email')}
        autocomplete="off"
      />
      <${Area}
        name="address"
        label=${t('address')}
        value=${d.address}
        errors=${errors}
        onInput=${fieldSetter(change, 'address')}
      />
    `}
  />
`

const sizes = ['a6', '100x150', '80mm', '58mm', 'a4x4']

const sizeName = (/** @type {string} */ size) => t.dynamic('size_' + size)

/** @param {Props} props */
export const Printing = (props) => html`
  <${SettingCard}
    ...${props}
    id="set-print"
    title=${t('sizes')}
    text=${t('sizesText')}
    fields=${['labelSize', 'receiptSize', 'language']}
    draftOf=${(/** @type {any} */ { print: p, locale }) => ({
      labelSize: p.labelSize || 'a6',
      receiptSize: p.receiptSize || '80mm',
      language: p.language || (locale.startsWith('bn') ? 'bn' : 'en'),
    })}
    bodyOf=${(/** @type {any} */ d) => ({ print: d })}
    lines=${(/** @type {any} */ d) => [
      [t('label'), sizeName(d.labelSize)],
      [t('receipt'), d.receiptSize],
      [t('language'), languageName(d.language)],
    ]}
    form=${(/** @type {any} */ d, /** @type {any} */ change) => html`
      <${Choice}
        id="labelSize"
        label=${t('label')}
        value=${d.labelSize}
        choices=${sizes.map((size) => [size, sizeName(size)])}
        onChange=${(/** @type {string} */ to) => change({ labelSize: to })}
      />
      <${Segments}
        name="receiptSize"
        label=${t('receipt')}
        value=${d.receiptSize}
        choices=${[
          ['80mm', sizeName('80mm')],
          ['58mm', sizeName('58mm')],
        ]}
        onChange=${(/** @type {string} */ to) => change({ receiptSize: to })}
      />
      <${Segments}
        name="language"
        label=${t('language')}
        value=${d.language}
        choices=${languages()}
        onChange=${(/** @type {string} */ to) => change({ language: to })}
      />
      <${Preview} kind="label" size=${d.labelSize} lang=${d.language} />
      <${Preview} kind="invoice" size=${d.receiptSize} lang=${d.language} name="receipt" />
    `}
  />
  <${SettingCard}
    ...${props}
    id="set-invoice"
    title=${t('invoice')}
    text=${t('invoiceText')}
    fields=${['legalName', 'registration', 'taxId', 'prefix', 'footer']}
    draftOf=${(/** @type {any} */ { invoice: i }) => ({
      legalName: i.legalName,
      registration: i.registration,
      taxId: i.taxId,
      prefix: i.prefix,
      footer: i.footer,
    })}
    bodyOf=${(/** @type {any} */ d) => ({ invoice: d })}
    lines=${(/** @type {any} */ d) =>
      ['legalName', 'registration', 'taxId', 'prefix', 'footer'].map((key) => [
        t.dynamic(key),
        d[key],
      ])}
    form=${(/** @type {any} */ d, /** @type {any} */ change, /** @type {any} */ errors) => html`
      <${Field}
        name="legalName"
        label=${t('legalName')}
        hint=${t('legalNameHint')}
        value=${d.legalName}
        errors=${errors}
        onInput=${fieldSetter(change, 'legalName')}
      />
      <${Field}
        name="registration"
        label=${t('registration')}
        hint=${t('registrationHint')}
        value=${d.registration}
        errors=${errors}
        onInput=${fieldSetter(change, 'registration')}
      />
      <${Field}
        name="taxId"
        label=${t('taxId')}
        hint=${t('taxIdHint')}
        value=${d.taxId}
        errors=${errors}
        onInput=${fieldSetter(change, 'taxId')}
      />
      <${Field}
        name="prefix"
        label=${t('prefix')}
        hint=${t('prefixHint')}
        value=${d.prefix}
        errors=${errors}
        onInput=${fieldSetter(change, 'prefix')}
      />
      <${Area}
        name="footer"
        label=${t('footer')}
        hint=${t('footerHint')}
        value=${d.footer}
        errors=${errors}
        onInput=${fieldSetter(change, 'footer')}
      />
      <${Preview}
        kind="invoice"
        size="a4"
        version=${JSON.stringify(props.loaded.settings.invoice)}
        text=${t('asSaved')}
      />
    `}
  />
`

/**
 * The pages in pixels, with the table that a sheet lies on.
 * @type {Record<string, [number, number]>}
 */
const sheets = {
  a6: [443, 605],
  '100x150': [424, 613],
  '80mm': [349, 520],
  '58mm': [266, 520],
  a4x4: [840, 1169],
  a4: [840, 720],
}

/**
 * An example of a document, small enough for the card. version: another one loads it again.
 * @param {{ kind: string, size: string, lang?: string, version?: string, text?: string, name?:
 *   string }} props
 */
function Preview({ kind, size, lang, version, text, name = kind }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null))
  const room = useSignal(300)
  useLayoutEffect(() => {
    const measure = new ResizeObserver(([{ contentRect }]) => {
      room.value = contentRect.width
    })
    measure.observe(/** @type {HTMLElement} */ (box.current))
    return () => measure.disconnect()
  }, [])
  const [width, height] = sheets[size] ?? sheets.a4
  const scale = Math.min(1, room.value / width)
  const path = pagePath('print/' + kind, { sample: true, size, lang })
  return html`
    <div class="field">
      <span class="label">${t('preview')}: ${t.dynamic(name)}</span>
      ${text && html`<p class="hint">${text}</p>`}
      <div class="sheet" ref=${box} style=${{ height: height * scale + 'px' }}>
        <iframe
          key=${version}
          src=${path}
          title=${t.dynamic(name)}
          tabindex="-1"
          scrolling="no"
          style=${{ width: width + 'px', height: height + 'px', transform: `scale(${scale})` }}
        ></iframe>
      </div>
      <div>
        <a class="button mini" target="_blank" rel="noopener" href=${path}>
          ${icon('external-link', 'mini')}
          ${t('openPreview')}
        </a>
      </div>
    </div>
  `
}
