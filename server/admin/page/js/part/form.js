// Forms: labels above, errors below at the field, and the focus on the first of them.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { Problem } from '../api.js'
import { focusFault } from '../focus.js'
import { plainDigits } from '../i18n.js'
import { guard } from '../router.js'
import { t } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { icon } from './icon.js'
import { Details } from './toast.js'

/** @typedef {Record<string, string>} Errors by name of the field, '' for the whole form */

// The names of what a provider has answered, among the errors.
const why = ' words'
const request = ' request'

/** Returns the errors of a problem, of which all belong to one of the fields or to the form. */
export function errorsOf(/** @type {Problem} */ problem, /** @type {string[]} */ fields) {
  /** @type {Errors} */
  const errors = {}
  for (const { field, code, message } of problem.errors) {
    const name = fields.find((name) => field === name || field.endsWith('.' + name)) ?? ''
    errors[name] ??= explain({ code, message })
  }
  if (problem.errors.length === 0) errors[''] = explain(problem)
  if (problem.details.words) {
    errors[why] = problem.details.words
    errors[request] = problem.requestId ?? ''
  }
  return errors
}

/** The fields in which somebody has typed. @type {WeakSet<EventTarget>} */
const editedFields = new WeakSet()
addEventListener(
  'input',
  ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    editedFields.add(target)
    const name = target.getAttribute('name') ?? ''
    for (const { form, errors } of forms) {
      if (name && errors.peek()[name] && form.current?.contains(target))
        errors.value = { ...errors.peek(), [name]: '' }
    }
  },
  { capture: true },
)

/**
 * @typedef {{ form: { current: Element | null }, errors: { value: Errors, peek: () => Errors } }}
 *   Shown a form and its errors
 */

/** The forms of the page. @type {Set<Shown>} */
const forms = new Set()

/** Removes the error of a field once somebody types in it.
 * @param {Shown['form']} form
 * @param {Shown['errors']} errors */
export const useMended = (form, errors) =>
  useEffect(() => {
    const watched = { form, errors }
    forms.add(watched)
    return () => {
      forms.delete(watched)
    }
  }, [])

/**
 * Whether a form or a dialog has text that was typed and would be lost. While it is sent, nothing
 * is.
 */
export const isUnsaved = (/** @type {Element | null} */ element) =>
  element !== null &&
  !element.querySelector('[aria-busy=true]') &&
  [
    .../** @type {NodeListOf<HTMLInputElement>} */ (element.querySelectorAll('input, textarea')),
  ].some(
    (input) =>
      editedFields.has(input) &&
      input.value !== input.defaultValue &&
      !/^(checkbox|file|radio|search)$/.test(input.type),
  )

/** Confirms before a form is left in which somebody has typed. */
export const useUnsaved = (/** @type {{ current: HTMLFormElement | null }} */ form) =>
  useEffect(() => guard(() => (isUnsaved(form.current) ? t('unsaved') : null)), [])

/**
 * Sends a form: state, the errors to show and what to do with onSubmit.
 * @param {string[]} fields
 * @param {(values: Record<string, string>, keyOf: (body: any) => string) => Promise<void>} submit a
 *   Problem that it throws is shown. keyOf returns the idempotency key of what is sent: that of the
 *   last attempt if this failed and the body is the same.
 */
export function useForm(fields, submit) {
  const errors = useSignal(/** @type {Errors} */ ({}))
  const busy = useSignal(false)
  const form = useRef(/** @type {HTMLFormElement | null} */ (null))
  const sent = useRef({ text: '', key: '' })
  useMended(form, errors)
  const keyOf = (/** @type {any} */ body) => {
    const text = JSON.stringify(body)
    if (sent.current.text !== text) sent.current = { text, key: crypto.randomUUID() }
    return sent.current.key
  }
  async function onSubmit(/** @type {SubmitEvent} */ event) {
    event.preventDefault()
    if (busy.value) return
    const values = Object.fromEntries(
      fields.map((name) => [
        name,
        String(new FormData(/** @type {HTMLFormElement} */ (form.current)).get(name) ?? '').trim(),
      ]),
    )
    busy.value = true
    errors.value = {}
    try {
      await submit(values, keyOf)
      sent.current.text = ''
      for (const element of form.current?.elements ?? []) editedFields.delete(element)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      errors.value = errorsOf(error, fields)
      focusFault(form)
    } finally {
      busy.value = false
    }
  }
  return { form, errors, busy, onSubmit, keyOf }
}

/** A message of the whole form. */
export const formError = (/** @type {Errors} */ errors) =>
  errors[''] && html`
    <p class="banner bad rounded" role="alert" tabindex="-1">
      ${icon('circle-alert')}
      <span>
        ${errors['']}
        <${Details} words=${errors[why]} requestId=${errors[request]} />
      </span>
    </p>
  `

/** A message below a field, '' for none. */
export const fault = (/** @type {string | undefined} */ text) =>
  text && html`
    <p class="error" role="alert">
      ${icon('circle-alert', 'mini')}
      <span>${text}</span>
    </p>
  `

/**
 * @param {{ name: string, label: string, errors: Errors, hint?: any, value?: string, kind?: string,
 *   type?: string, prefix?: string, onInput?: any } & Record<string, any>} props
 */
export function Field({
  name,
  id = name,
  label,
  errors,
  hint,
  value,
  type = 'text',
  prefix,
  ...rest
}) {
  const shown = useSignal(false)
  const error = errors[name]
  const described = error ? id + '-error' : hint ? id + '-hint' : undefined
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <div class=${error ? 'input bad' : 'input'}>
        ${prefix && html`<span class="quiet" aria-hidden="true">${prefix}</span>`}
        <input
          id=${id}
          name=${name}
          type=${shown.value ? 'text' : type}
          defaultValue=${value}
          aria-invalid=${error ? 'true' : undefined}
          aria-describedby=${described}
          ...${rest}
        />
        ${type === 'password' && html`
          <button
            type="button"
            class="icon-button"
            aria-label=${t(shown.value ? 'hide' : 'show')}
            aria-pressed=${shown.value}
            onClick=${() => {
              shown.value = !shown.value
            }}
          >
            ${icon(shown.value ? 'eye-off' : 'eye')}
          </button>
        `}
      </div>
      ${error
        ? html`
            <p class="error" id=${id + '-error'}>
              ${icon('circle-alert', 'mini')}
              <span>${error}</span>
            </p>
          `
        : hint && html`<p class="hint" id=${id + '-hint'}>${hint}</p>`}
    </div>
  `
}

/** The one button of a form. */
export const Submit = (
  /** @type {{ busy: boolean, children?: any, kind?: string, disabled?: boolean }} */ {
    busy,
    children,
    kind = 'primary big',
    disabled,
  },
) => html`
  <button class="button ${kind}" aria-busy=${busy} disabled=${disabled}>
    ${busy && icon('loader', 'spin')}
    ${children}
  </button>
`

/** Choices of which one holds, as radio buttons in a row. */
export const Segments = (
  /**
   * @type {{ name: string, label: string, value: string, choices: [string, any][], onChange:
   *   (value: any) => void }}
   */
  { name, label, value, choices, onChange },
) => html`
  <fieldset class="segs">
    <legend class="label">${label}</legend>
    <div class="segmented">
      ${choices.map(([key, text]) => html`
        <label class=${key === value ? 'on' : ''}>
          <input
            type="radio"
            name=${name}
            value=${key}
            checked=${key === value}
            onChange=${() => onChange(key)}
          />
          <span>${text}</span>
        </label>
      `)}
    </div>
  </fieldset>
`

/** Returns a code without spaces and in plain digits. */
export const code = (/** @type {string} */ text) => plainDigits(text).replace(/\s/g, '')
