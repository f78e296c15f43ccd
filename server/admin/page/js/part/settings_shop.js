// Settings of the shop itself: name, contact, brand, and what is printed.

import { html } from '../html.js'
import { t } from '../strings/settings.js'
import { Field, Segments } from './form.js'
import { Area, Choice, SettingCard } from './setting_card.js'

/** @typedef {import('./setting_card.js').Loaded} Loaded */
/** @typedef {{ loaded: Loaded, reload: () => Promise<Loaded> }} Props */

const typed = (/** @type {(to: any) => void} */ change, /** @type {string} */ field) =>
  (/** @type {any} */ event) => change({ [field]: event.target.value })

/** @returns {[string, string][]} */
const languages = () => [['en', t('english')], ['bn', t('bangla')]]

const languageName = (/** @type {string} */ key) => t(key === 'bn' ? 'bangla' : 'english')

/** @param {Props} props */
export const Shop = (props) => html`
  <${SettingCard} ...${props} id="set-shop" title=${t('shop')} fields=${['name', 'locale']}
    draftOf=${(/** @type {any} */ s) => ({ name: s.name, locale: s.locale, autoConfirm: s.autoConfirm })}
    bodyOf=${(/** @type {any} */ d) => ({ ...d, name: d.name.trim() })}
    lines=${(/** @type {any} */ d) => [[t('name'), d.name], [t('buyersLanguage'), languageName(d.locale.slice(0, 2))],
      [t('autoConfirm'), t(d.autoConfirm ? 'yes' : 'no')]]}
    form=${(/** @type {any} */ d, /** @type {any} */ change, /** @type {any} */ errors) => html`
      <${Field} name="name" label=${t('name')} hint=${t('nameHint')} value=${d.name} errors=${errors} onInput=${typed(change, 'name')}
        autocomplete="organization" />
      <${Segments} name="locale" label=${t('buyersLanguage')} value=${d.locale.slice(0, 2)} choices=${languages()}
        onChange=${(/** @type {string} */ to) => change({ locale: to + d.locale.slice(2) })} />
      <label class="row choice"><input type="checkbox" class="cb" id="autoConfirm" checked=${d.autoConfirm}
        onChange=${(/** @type {any} */ event) => change({ autoConfirm: event.target.checked })} /><span class="grow">${t('autoConfirm')}<br />
        <span class="sm q">${t('autoConfirmHint')}</span></span></label>`} />
  <${SettingCard} ...${props} id="set-contact" title=${t('contact')} text=${t('contactText')} fields=${['phone', 'email', 'whatsapp', 'address']}
    draftOf=${(/** @type {any} */ { supportContact: c }) => ({ phone: c.phone ?? '', whatsapp: c.whatsapp ?? '', email: c.email ?? '',
      address: c.address ?? '' })}
    bodyOf=${(/** @type {any} */ d) => ({ supportContact: Object.fromEntries(Object.entries(d).map(([key, value]) => [key, value.trim() || null])) })}
    lines=${(/** @type {any} */ d) => ['phone', 'whatsapp', 'email', 'address'].map((key) => [t(/** @type {any} */ (key)), d[key]])}
    form=${(/** @type {any} */ d, /** @type {any} */ change, /** @type {any} */ errors) => html`
      <${Field} name="phone" type="tel" label=${t('phone')} value=${d.phone} errors=${errors} onInput=${typed(change, 'phone')} autocomplete="off" />
      <${Field} name="whatsapp" type="tel" label="WhatsApp" value=${d.whatsapp} errors=${errors} onInput=${typed(change, 'whatsapp')}
        autocomplete="off" />
      <${Field} name="email" type="email" label=${t('email')} value=${d.email} errors=${errors} onInput=${typed(change, 'email')}
        autocomplete="off" />
      <${Area} name="address" label=${t('address')} value=${d.address} errors=${errors} onInput=${typed(change, 'address')} />`} />`

/** @param {Props} props */
export const Brand = (props) => html`<${SettingCard} ...${props} id="set-brand" title=${t('brand')} text=${t('brandText')}
  fields=${['logoUrl', 'colour']} draftOf=${(/** @type {any} */ s) => ({ logoUrl: s.logoUrl, colour: s.brand.colour })}
  bodyOf=${(/** @type {any} */ d) => ({ logoUrl: d.logoUrl.trim(), brand: { colour: d.colour } })}
  lines=${(/** @type {any} */ d) => [[t('logo'), d.logoUrl], [t('colour'), d.colour]]}
  form=${(/** @type {any} */ d, /** @type {any} */ change, /** @type {any} */ errors) => html`
    ${/^https:\/\/./.test(d.logoUrl) && html`<img class="logo-seen" src=${d.logoUrl} alt=${t('logo')} />`}
    <${Field} name="logoUrl" type="url" label=${t('logo')} hint=${t('logoHint')} value=${d.logoUrl} errors=${errors}
      onInput=${typed(change, 'logoUrl')} placeholder="https://" autocomplete="off" />
    <div class="f"><label for="colour">${t('colour')}</label><div class="row"><input type="color" id="colour" class="swatch"
        value=${d.colour || '#14695f'} onInput=${typed(change, 'colour')} /><span class="mono grow">${d.colour || t('noColour')}</span>
      ${d.colour && html`<button type="button" class="btn mini" onClick=${() => change({ colour: '' })}>${t('remove')}</button>`}</div>
      ${errors.colour && html`<p class="err">${errors.colour}</p>`}</div>`} />`

const sizes = ['a6', '100x150', '80mm', '58mm', 'a4x4']

const sizeName = (/** @type {string} */ size) => t(/** @type {any} */ ('size_' + size))

/** @param {Props} props */
export const Printing = (props) => html`
  <${SettingCard} ...${props} id="set-print" title=${t('sizes')} text=${t('sizesText')} fields=${['labelSize', 'receiptSize', 'language']}
    draftOf=${(/** @type {any} */ { print: p, locale }) => ({ labelSize: p.labelSize || 'a6', receiptSize: p.receiptSize || '80mm',
      language: p.language || (locale.startsWith('bn') ? 'bn' : 'en') })}
    bodyOf=${(/** @type {any} */ d) => ({ print: d })}
    lines=${(/** @type {any} */ d) => [[t('label'), sizeName(d.labelSize)], [t('receipt'), d.receiptSize], [t('language'), languageName(d.language)]]}
    form=${(/** @type {any} */ d, /** @type {any} */ change) => html`
      <${Choice} id="labelSize" label=${t('label')} value=${d.labelSize} choices=${sizes.map((one) => [one, sizeName(one)])}
        onChange=${(/** @type {string} */ to) => change({ labelSize: to })} />
      <${Segments} name="receiptSize" label=${t('receipt')} value=${d.receiptSize} choices=${[['80mm', sizeName('80mm')], ['58mm', sizeName('58mm')]]}
        onChange=${(/** @type {string} */ to) => change({ receiptSize: to })} />
      <${Segments} name="language" label=${t('language')} value=${d.language} choices=${languages()}
        onChange=${(/** @type {string} */ to) => change({ language: to })} />`} />
  <${SettingCard} ...${props} id="set-invoice" title=${t('invoice')} text=${t('invoiceText')} fields=${['legalName', 'taxId', 'prefix', 'footer']}
    draftOf=${(/** @type {any} */ { invoice: i }) => ({ legalName: i.legalName, taxId: i.taxId, prefix: i.prefix, footer: i.footer })}
    bodyOf=${(/** @type {any} */ d) => ({ invoice: d })}
    lines=${(/** @type {any} */ d) => ['legalName', 'taxId', 'prefix', 'footer'].map((key) => [t(/** @type {any} */ (key)), d[key]])}
    form=${(/** @type {any} */ d, /** @type {any} */ change, /** @type {any} */ errors) => html`
      <${Field} name="legalName" label=${t('legalName')} hint=${t('legalNameHint')} value=${d.legalName} errors=${errors}
        onInput=${typed(change, 'legalName')} />
      <${Field} name="taxId" label=${t('taxId')} hint=${t('taxIdHint')} value=${d.taxId} errors=${errors} onInput=${typed(change, 'taxId')} />
      <${Field} name="prefix" label=${t('prefix')} hint=${t('prefixHint')} value=${d.prefix} errors=${errors} onInput=${typed(change, 'prefix')} />
      <${Area} name="footer" label=${t('footer')} hint=${t('footerHint')} value=${d.footer} errors=${errors}
        onInput=${typed(change, 'footer')} />`} />`
