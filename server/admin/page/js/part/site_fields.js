// The fields of a section's settings: texts in the languages of the shop, choices, pictures, lists.

import { html } from '../html.js'
import { t } from '../strings/section.js'
import { moved } from './arrange.js'
import { Field } from './form.js'
import { icon } from './icon.js'
import { Choice } from './setting_card.js'
import { Picture } from './site_picture.js'
import { Addresses, Records } from './site_records.js'
import { BothTexts, withValue } from './site_texts.js'

/** @typedef {import('../api.js').Schemas['Field']} SettingField */
/** @typedef {import('./site_texts.js').Place} Place */

const label = (/** @type {string} */ name) => t.dynamic('field_' + name)

/**
 * @param {Place & { fields: SettingField[], value: any, change: (value: any) => void }} props
 */
export const Fields = ({ fields, value, change, ...place }) =>
  fields.map((field) => html`
    <${Setting}
      key=${field.name}
      ...${place}
      field=${field}
      path=${place.path + '.' + field.name}
      value=${value[field.name]}
      change=${(/** @type {any} */ next) => change(withValue(value, field.name, next))}
    />
  `)

/** @param {Place & { field: SettingField, value: any, change: (value: any) => void }} props */
function Setting(props) {
  const { field, value, change, path, errors } = props
  const name = label(field.name)
  switch (field.type) {
    case 'text':
      return html`<${BothTexts} ...${props} label=${name} max=${field.max} />`
    case 'number':
      return html`
        <${Field}
          name=${path}
          label=${name}
          hint=${t('hint_number', { most: field.max ?? 0 })}
          errors=${errors}
          value=${value ? String(value) : ''}
          type="number"
          min=${field.min ?? 0}
          max=${field.max}
          inputmode="numeric"
          onInput=${(/** @type {FieldEvent} */ event) =>
            change(Math.round(Number(event.target.value)) || 0)}
        />
      `
    case 'switch':
      return html`
        <label class="row choice">
          <input
            type="checkbox"
            class="checkbox"
            checked=${Boolean(value)}
            onChange=${(/** @type {FieldEvent} */ event) => change(event.target.checked)}
          />
          <span class="grow">${name}</span>
        </label>
      `
    case 'choice':
      return html`
        <${Choice}
          id=${path}
          label=${name}
          value=${value || field.values?.[0] || ''}
          choices=${(field.values ?? []).map((one) => [one, t.dynamic('value_' + one)])}
          onChange=${change}
        />
      `
    case 'link':
      return html`
        <${Field}
          name=${path}
          label=${name}
          hint=${t('hint_link')}
          errors=${errors}
          value=${value ?? ''}
          list=${path + '-list'}
          autocomplete="off"
          autocapitalize="none"
          spellcheck=${false}
          onInput=${(/** @type {FieldEvent} */ event) => change(event.target.value.trim())}
        />
        <${Addresses} id=${path + '-list'} />
      `
    case 'picture':
      return html`<${Picture} ...${props} label=${name} />`
    case 'list':
      return field.item === 'word' && field.ref
        ? html`
            <${Records}
              id=${path}
              kind=${field.ref}
              label=${name}
              values=${value ?? []}
              most=${field.max ?? 1}
              error=${errors[path]}
              change=${change}
            />
          `
        : html`<${List} ...${props} label=${name} />`
    default:
      return field.ref
        ? html`
            <${Records}
              id=${path}
              kind=${field.ref}
              label=${name}
              values=${value ? [value] : []}
              most=${1}
              error=${errors[path]}
              change=${(/** @type {string[]} */ values) => change(values.at(-1))}
            />
          `
        : html`
            <${Field}
              name=${path}
              label=${name}
              errors=${errors}
              value=${value ?? ''}
              maxlength=${field.max}
              onInput=${(/** @type {FieldEvent} */ event) => change(event.target.value)}
            />
          `
  }
}

/**
 * A list of entries, each with its fields, or each a picture.
 * @param {Place & { field: SettingField, label: string, value: any[], change: (value: any) => void
 *   }} props
 */
function List({ field, label: name, value = [], change, ...place }) {
  const set = (/** @type {number} */ i, /** @type {any} */ item) =>
    change(value.map((other, at) => (at === i ? item : other)))
  const isFull = value.length >= (field.max ?? 100)
  return html`
    <fieldset class="entries stack">
      <legend class="label">${name}</legend>
      ${value.map((item, i) => html`
        <div class="entry stack" key=${i + ' ' + value.length}>
          <div class="row spread">
            <b>${t('entry', { n: i + 1 })}</b>
            <span class="row">
              <button
                type="button"
                class="icon-button"
                aria-label=${t('entryUp', { n: i + 1 })}
                disabled=${i === 0}
                onClick=${() => change(moved(value, i, i - 1))}
              >
                ${icon('chevron-up')}
              </button>
              <button
                type="button"
                class="icon-button"
                aria-label=${t('entryDown', { n: i + 1 })}
                disabled=${i === value.length - 1}
                onClick=${() => change(moved(value, i, i + 1))}
              >
                ${icon('chevron-down')}
              </button>
              <button
                type="button"
                class="icon-button"
                aria-label=${t('removeEntry', { n: i + 1 })}
                onClick=${() => change(value.filter((_, at) => at !== i))}
              >
                ${icon('trash')}
              </button>
            </span>
          </div>
          ${field.item === 'picture'
            ? html`
                <${Picture}
                  ...${place}
                  label=${label('picture')}
                  path=${`${place.path}[${i}]`}
                  value=${item}
                  change=${(/** @type {any} */ picture) =>
                    picture ? set(i, picture) : change(value.filter((_, at) => at !== i))}
                />
              `
            : html`
                <${Fields}
                  ...${place}
                  fields=${field.fields ?? []}
                  value=${item}
                  path=${`${place.path}[${i}]`}
                  change=${(/** @type {any} */ next) => set(i, next)}
                />
              `}
        </div>
      `)}
      ${!isFull &&
        (field.item === 'picture'
          ? html`
              <${Picture}
                key=${'new ' + value.length}
                ...${place}
                label=${t('addPicture')}
                path=${`${place.path}[${value.length}]`}
                value=${undefined}
                change=${(/** @type {any} */ picture) => picture && change([...value, picture])}
              />
            `
          : html`
              <button
                type="button"
                class="button add-entry"
                onClick=${() => change([...value, {}])}
              >
                ${icon('plus')}
                ${t('addEntry')}
              </button>
            `)}
    </fieldset>
  `
}
