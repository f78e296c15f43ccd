// A text field with a list to choose from. Any other text can be typed, too. It is the editable
// combobox with a list of the ARIA patterns: arrow keys move in the list, Enter chooses, Escape
// closes it.

import { h, replace } from '../dom.js'
import { langOf } from '../language.js'
import { field } from './form.js'

/** A field with a list. find(text) returns the choices for a text, as {value, aside}. */
export function combobox(label, name, attributes, find) {
  const id = 'field-' + name.replaceAll('.', '-')
  const list = h('ul', {
    class: 'combobox-list',
    role: 'listbox',
    id: id + '-list',
    'aria-label': label,
    hidden: true,
  })
  const node = field(label, name, {
    ...attributes,
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': list.id,
  })
  const input = node.querySelector('input')
  let active = -1 // index of the marked choice
  const box = h('div', { class: 'combobox' })
  input.replaceWith(box)
  box.append(input, list)
  input.addEventListener('input', (event) => event.isTrusted && open())
  input.addEventListener('click', open)
  input.addEventListener('blur', close)
  input.addEventListener('keydown', (event) => {
    const key = event.isComposing ? '' : event.key // an input method uses these keys, too
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      if (list.hidden) open()
      mark(active + (key === 'ArrowDown' ? 1 : -1))
    } else if (key === 'Enter' && active >= 0) {
      event.preventDefault() // not to submit the form
      choose(active)
    } else if (key === 'Escape' && !list.hidden) {
      event.preventDefault()
      close()
    }
  })
  // which would move the focus
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', (event) =>
    choose([...list.children].indexOf(event.target.closest('li'))),
  )
  return node

  function open() {
    const found = find(input.value)
    active = -1
    input.removeAttribute('aria-activedescendant')
    replace(
      list,
      found.map(({ value, aside }, i) =>
        h(
          'li',
          { role: 'option', id: `${list.id}-${i}`, 'aria-selected': 'false', 'data-value': value },
          h('span', { lang: langOf(value) }, value),
          h('span', { class: 'quiet', lang: langOf(aside) }, aside),
        ),
      ),
    )
    show(found.length > 0 && !(found.length === 1 && found[0].value === input.value))
  }

  function close() {
    active = -1
    input.removeAttribute('aria-activedescendant')
    show(false)
  }

  function show(shown) {
    list.hidden = !shown
    input.setAttribute('aria-expanded', String(shown))
    if (shown) list.scrollIntoView({ block: 'nearest' })
  }

  function mark(i) {
    const options = [...list.children]
    if (list.hidden || !options.length) return
    active = (i + options.length) % options.length
    options.forEach((option, at) => option.setAttribute('aria-selected', String(at === active)))
    options[active].scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', options[active].id)
  }

  function choose(i) {
    const option = list.children[i]
    if (!option) return
    input.value = option.dataset.value
    close()
    for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }))
  }
}
