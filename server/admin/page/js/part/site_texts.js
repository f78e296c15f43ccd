// The languages of the site, and a text of a section in them.

import { html } from '../html.js'
import { useGet } from '../resource.js'
import { can, session } from '../session.js'
import { t as site } from '../strings/site.js'
import { Field } from './form.js'
import { Area } from './setting_card.js'

/** @typedef {'en' | 'bn'} Language */
/**
 * @typedef {{ path: string, languages: Language[], errors: Record<string, string> }} Place where
 *   the fields are in the document
 */

/** Returns the languages of the site, the first one first. */
export function useLanguages() {
  const { data } = useGet(can('settings.read') ? 'settings' : null)
  const of = (/** @type {string} */ locale) => (locale.startsWith('bn') ? 'bn' : 'en')
  const first = of(data?.locale ?? session.value?.shop.locale ?? 'en')
  const second = data?.secondLocale ? of(data.secondLocale) : first
  return /** @type {Language[]} */ (second === first ? [first] : [first, second])
}

const longText = 300 // characters from which a text may have several lines, as at the server

/** Returns an object with a value, or without it if it says nothing. */
export function withValue(
  /** @type {any} */ object,
  /** @type {string} */ name,
  /** @type {any} */ value,
) {
  const { [name]: _, ...others } = object ?? {}
  const isEmpty =
    value === undefined ||
    value === '' ||
    value === false ||
    value === 0 ||
    value === null ||
    (typeof value === 'object' && Object.keys(value).length === 0)
  return isEmpty ? others : { ...others, [name]: value }
}

/**
 * A text in each language of the shop, and in another one that it is stored in.
 * @param {Place & { label: string, value: any, max?: number, change: (value: any) => void }} props
 */
export function BothTexts({ label: name, value, max = 250, change, path, languages, errors }) {
  /** @type {Language[]} */
  const all = ['en', 'bn']
  const shown = [
    ...languages,
    ...all.filter((language) => !languages.includes(language) && value?.[language]),
  ]
  const Input = max >= longText ? Area : Field
  const fields = shown.map((language) => html`
    <${Input}
      key=${language}
      name=${path + '.' + language}
      label=${shown.length > 1 ? `${name} (${site.dynamic('in_' + language)})` : name}
      errors=${{ ...(errors[path] && { [path + '.' + shown[0]]: errors[path] }), ...errors }}
      value=${value?.[language] ?? ''}
      maxlength=${max}
      lang=${language}
      autocomplete="off"
      onInput=${(/** @type {FieldEvent} */ event) =>
        change(withValue(value, language, event.target.value))}
    />
  `)
  return html`<div class=${shown.length > 1 ? 'both-texts' : ''}>${fields}</div>`
}
