// Forms. The name of an input is the path of the API's field, such as shippingAddress.line1, which
// maps a form to a body and an error of the API to its input.

import { Problem } from '../api.js'
import { h } from '../dom.js'
import { advice, explain, t } from '../language.js'

/** An input with its label, hint and error. attributes.id replaces an id made of the name. */
export function field(label, name, attributes = {}, hint = '') {
  const id = attributes.id ?? 'field-' + name.replaceAll('.', '-')
  const describedBy = `${hint ? id + '-hint ' : ''}${id}-error`
  const input = h(attributes.type === 'textarea' ? 'textarea' : 'input', {
    id,
    name,
    type: attributes.type === 'textarea' ? null : 'text',
    ...attributes,
    'aria-describedby': describedBy,
  })
  if (attributes.value) input.value = attributes.value
  input.addEventListener('input', () => setError(input, ''))
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    input,
    hint && h('p', { class: 'hint', id: id + '-hint' }, hint),
    h('p', { class: 'error', id: id + '-error' }),
  )
}

/**
 * A choice of one of several, as radio buttons in a group. options: {value, label, text, aside,
 * checked}.
 */
export const choice = (legend, name, options, attributes = {}) =>
  h(
    'fieldset',
    { class: 'choice', ...attributes },
    h('legend', null, legend),
    options.map((option) =>
      h(
        'label',
        { class: 'choice-option' },
        h('input', {
          type: 'radio',
          name,
          value: option.value,
          checked: option.checked,
          id: `${name}-${option.value}`,
        }),
        h(
          'span',
          { class: 'choice-text' },
          h('span', null, option.label),
          option.text && h('span', { class: 'quiet' }, option.text),
        ),
        option.aside && h('span', { class: 'choice-aside' }, option.aside),
      ),
    ),
  )

/** Returns the values of a form as an object nested by the names; empty fields are left out. */
export function read(form) {
  const body = {}
  for (const [name, value] of new FormData(form)) {
    if (value.trim() === '') continue
    const path = name.split('.')
    const last = path.pop()
    let part = body
    for (const step of path) part = part[step] ??= {}
    part[last] = value // as typed: a password may end in a space, and the API trims the rest
  }
  return body
}

/** Runs the action of a form, once at a time, and shows its errors at their inputs. */
export function onSubmit(form, action) {
  form.noValidate = true // the server validates; its messages are in the page's language
  // the message belongs to the previous attempt
  form.addEventListener('input', () => showMessage(form, ''))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (form.ariaBusy === 'true') return
    form.ariaBusy = 'true'
    const button = [...form.elements].find((control) => control.type === 'submit')
    button?.setAttribute('aria-disabled', 'true') // `disabled` would lose the focus
    clearErrors(form)
    try {
      if (checkRequired(form)) await action(read(form))
    } catch (error) {
      if (!(error instanceof Problem)) console.error(error) // a bug of this page
      showProblem(form, error)
    } finally {
      form.ariaBusy = null
      button?.removeAttribute('aria-disabled')
    }
  })
}

/** Shows a problem: each of its errors at its input, the rest above the button. */
export function showProblem(form, problem) {
  let first = null
  for (const error of problem.errors ?? []) {
    const input = form.elements[error.field]
    if (!(input instanceof HTMLElement) || input.type === 'hidden') continue
    setError(input, advice(error.field, error.code, error.message))
    first ??= input
  }
  showMessage(form, first ? t('checkFields') : explain(problem))
  first?.focus()
}

/** Shows a message above the form's button. */
export function showMessage(form, text) {
  const place = [...form.elements].find((control) => control.localName === 'output')
  if (place) place.textContent = text
}

/**
 * The element for a form's message. It and the button may be outside of the form, and then name its
 * id.
 */
export const message = (formId) =>
  h('output', { class: 'form-message', role: 'alert', form: formId })

// checkRequired saves a request that would fail.
function checkRequired(form) {
  const missing = [...form.elements].filter((input) => input.required && input.value.trim() === '')
  missing.forEach((input) => setError(input, advice(input.name, 'required', t('fillIn'))))
  if (missing.length) showMessage(form, t('checkFields'))
  missing[0]?.focus()
  return missing.length === 0
}

function clearErrors(form) {
  showMessage(form, '')
  for (const input of form.elements) if (input.getAttribute('aria-invalid')) setError(input, '')
}

function setError(input, text) {
  const place = document.getElementById(input.id + '-error')
  if (!place) return
  place.textContent = text
  if (text) input.setAttribute('aria-invalid', 'true')
  else input.removeAttribute('aria-invalid')
}
