// Forms. An input's name is the API's path of its field, such as shippingAddress.line1: so a form
// reads itself into a body, and an error of the API finds its input.

import { Problem } from '../api.js'
import { h } from '../dom.js'
import { explain, said, t } from '../language.js'

/** An input with its label, its hint and a place for its error. */
export function field(label, name, attributes = {}, hint = '') {
  const id = 'field-' + name.replaceAll('.', '-')
  const describedBy = `${hint ? id + '-hint ' : ''}${id}-error`
  const input = h(attributes.type === 'textarea' ? 'textarea' : 'input', {
    id, name, type: attributes.type === 'textarea' ? null : 'text', ...attributes, 'aria-describedby': describedBy,
  })
  if (attributes.value) input.value = attributes.value
  input.addEventListener('input', () => setError(input, ''))
  return h('div', { class: 'field' },
    h('label', { for: id }, label),
    input,
    hint && h('p', { class: 'hint', id: id + '-hint' }, hint),
    h('p', { class: 'error', id: id + '-error' }))
}

/** A choice of one of several, as radio buttons in a group. options: {value, label, text, aside, checked}. */
export const choice = (legend, name, options, attributes = {}) =>
  h('fieldset', { class: 'choice', ...attributes },
    h('legend', null, legend),
    options.map((option) => h('label', { class: 'choice-option' },
      h('input', { type: 'radio', name, value: option.value, checked: option.checked, id: `${name}-${option.value}` }),
      h('span', { class: 'choice-text' }, h('span', null, option.label), option.text && h('span', { class: 'quiet' }, option.text)),
      option.aside && h('span', { class: 'choice-aside' }, option.aside))))

/** Gives what was filled in, as an object with the nesting of the names; empty fields are left out. */
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

/** Runs what a form is for: once at a time, with its errors shown where they belong. */
export function onSubmit(form, action) {
  form.noValidate = true // the server's rules hold; its words come in the page's language
  form.addEventListener('input', () => say(form, '')) // what it says is of the last try
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (form.ariaBusy === 'true') return
    form.ariaBusy = 'true'
    const button = [...form.elements].find((control) => control.type === 'submit')
    button?.setAttribute('aria-disabled', 'true') // keeps the focus, which `disabled` would throw away
    clearErrors(form)
    try {
      if (checkRequired(form)) await action(read(form))
    } catch (error) {
      if (!(error instanceof Problem)) console.error(error) // a fault of this page
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
    setError(input, said(error.code, error.message))
    first ??= input
  }
  say(form, first ? t('checkFields') : explain(problem))
  first?.focus()
}

/** Says something above the form's button. */
export function say(form, text) {
  const place = [...form.elements].find((control) => control.localName === 'output')
  if (place) place.textContent = text
}

/**
 * The place where a form says something. It and the button may stand outside of their form, which
 * they then name by its id.
 */
export const message = (formId) => h('output', { class: 'form-message', role: 'alert', form: formId })

// checkRequired spares the server a question whose answer is known.
function checkRequired(form) {
  const missing = [...form.elements].filter((input) => input.required && input.value.trim() === '')
  missing.forEach((input) => setError(input, said('required', t('fillIn'))))
  if (missing.length) say(form, t('checkFields'))
  missing[0]?.focus()
  return missing.length === 0
}

function clearErrors(form) {
  say(form, '')
  for (const input of form.elements) if (input.getAttribute('aria-invalid')) setError(input, '')
}

function setError(input, text) {
  const place = document.getElementById(input.id + '-error')
  if (!place) return
  place.textContent = text
  if (text) input.setAttribute('aria-invalid', 'true')
  else input.removeAttribute('aria-invalid')
}
