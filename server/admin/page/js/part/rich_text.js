// The editor of a description: a text with headings, lists, links, bold and slanted words, which looks as it will be read.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { t as frame } from '../strings/frame.js'
import { t } from '../strings/rich_text.js'
import { parse, sanitize } from './description.js'
import { icon } from './icon.js'

/** @typedef {'B' | 'I' | 'H3' | 'UL' | 'OL' | 'A'} Format */

/** Loads the editor. The browser lets no text become elements, so undoing goes the way of all other HTML. */
async function load() {
  const { default: Squire } = await import('../vendor/squire.js')
  return class extends Squire {
    _setRawHTML(/** @type {string} */ source) {
      const root = this.getRoot()
      root.replaceChildren(parse(source))
      if (!root.firstChild) root.append(this.createDefaultBlock())
      this._ignoreChange = true
      return this
    }
  }
}

/** Turns the chosen paragraphs into headings, or back. */
const toggleHeading = (/** @type {any} */ editor, /** @type {boolean} */ isHeading) => editor.modifyBlocks((/** @type {DocumentFragment} */ chosen) => {
  for (const block of chosen.querySelectorAll(isHeading ? 'h1, h2, h3, h4, h5, h6' : 'p, h1, h2, h4, h5, h6')) {
    const other = document.createElement(isHeading ? 'p' : 'h3')
    other.append(...block.childNodes)
    block.replaceWith(other)
  }
  return chosen
})

/** @type {{ format: Format, face: any, run: (editor: any, isOn: boolean) => void }[]} */
const formats = [
  { format: 'B', face: html`<b aria-hidden="true">B</b>`, run: (editor, isOn) => (isOn ? editor.removeBold() : editor.bold()) },
  { format: 'I', face: html`<i class="slanted" aria-hidden="true">I</i>`, run: (editor, isOn) => (isOn ? editor.removeItalic() : editor.italic()) },
  { format: 'H3', face: html`<b class="shown-title" aria-hidden="true">H</b>`, run: toggleHeading },
  { format: 'UL', face: icon('list'), run: (editor, isOn) => (isOn ? editor.removeList() : editor.makeUnorderedList()) },
  { format: 'OL', face: icon('list-ordered'), run: (editor, isOn) => (isOn ? editor.removeList() : editor.makeOrderedList()) },
]

/** Returns HTML without the breaks that give an empty line its height, and without such lines. */
const withoutEmptyLines = (/** @type {string} */ source) => source
  .replace(/<br>(?=<\/(?:p|div|li|h\d)>)/g, '').replace(/<(p|div)><\/\1>/g, '')

/** Returns the address that somebody means: of a page, or to write or call. */
const addressOf = (/** @type {string} */ typed) => {
  const text = typed.trim()
  return text === '' || /^([a-z]+:|\/|#)/i.test(text) ? text : /^[^@\s/]+@[^@\s/]+$/.test(text) ? 'mailto:' + text
    : /^\+?[\d\s-]{6,}$/.test(text) ? 'tel:' + text.replace(/[\s-]/g, '') : 'https://' + text
}

/**
 * The field, whose value is given once: a new key gives another.
 * @param {{ name: string, label: string, value: string, errors: Record<string, string>, disabled?: boolean, onChange: (source: string) => void }} props
 */
export function RichText({ name, label, value, errors, disabled, onChange }) {
  const root = useRef(/** @type {HTMLDivElement | null} */ (null))
  const editor = useSignal(/** @type {any} */ (null))
  const failed = useSignal(false)
  const turn = useSignal(0)
  const on = useSignal(/** @type {Format[]} */ ([]))
  const address = useSignal(/** @type {string | null} */ (null)) // of the link that is edited
  const changed = useRef(onChange)
  changed.current = onChange
  useEffect(() => {
    const element = /** @type {HTMLDivElement} */ (root.current)
    if (!editor.peek()) element.replaceChildren(sanitize(value))
    if (disabled) return
    let isGone = false, made = /** @type {any} */ (null)
    const begin = async () => {
      try {
        const Editor = /** @type {any} */ (await load())
        if (isGone) return
        made = new Editor(element, { blockTag: 'P', sanitizeToDOMFragment: sanitize, didError: (/** @type {unknown} */ error) => { throw error } })
        made.setHTML(value)
        const same = withoutEmptyLines(made.getHTML()) // what is as it was is no change, however the editor writes it
        made.addEventListener('input', () => {
          const now = withoutEmptyLines(made.getHTML())
          changed.current(now === same ? value : element.textContent?.trim() || element.querySelector('img, hr') ? now : '')
        })
        made.addEventListener('pathChange', () => {
          on.value = /** @type {Format[]} */ ([...formats.map((one) => one.format), 'A']).filter((one) => made.hasFormat(one))
        })
        editor.value = made
      } catch {
        failed.value = !isGone
      }
    }
    // What is folded up is loaded when it is opened.
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((one) => one.isIntersecting)) return
      seen.disconnect()
      begin()
    })
    seen.observe(element)
    return () => {
      isGone = true
      seen.disconnect()
      made?.destroy()
    }
  }, [turn.value])
  const isReady = editor.value !== null
  const link = (/** @type {string} */ to) => {
    if (to) editor.value.makeLink(to)
    else editor.value.removeLink()
    address.value = null
    editor.value.focus()
  }
  const shownAddress = () => {
    const at = editor.value.getSelection().startContainer
    return ((at.nodeType === Node.ELEMENT_NODE ? at : at.parentElement).closest('a') ?? root.current?.querySelector('a'))?.getAttribute('href') ?? ''
  }
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'Enter') {
      event.preventDefault()
      link(addressOf(/** @type {HTMLInputElement} */ (event.target).value))
    } else if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      address.value = null
      editor.value.focus()
    }
  }
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))
  useEffect(() => { field.current?.focus() }, [address.value !== null])
  return html`<div class="f"><span class="lab" id=${name + '-label'} onClick=${() => root.current?.focus()}>${label}</span>
    <div class=${errors[name] ? 'rich bad' : 'rich'}>
      ${!disabled && html`<div class="row tools" role="toolbar" aria-label=${t('tools')} aria-controls=${name}>
        ${formats.map(({ format, face, run }) => html`<button type="button" class="ib" key=${format} data-format=${format} disabled=${!isReady}
          aria-label=${t(format)} title=${t(format)} aria-pressed=${on.value.includes(format)}
          onMouseDown=${(/** @type {Event} */ event) => event.preventDefault()}
          onClick=${() => run(editor.value, on.value.includes(format))}>${face}</button>`)}
        <button type="button" class="ib" data-format="A" disabled=${!isReady} aria-label=${t('A')} title=${t('A')} aria-pressed=${on.value.includes('A')}
          aria-expanded=${address.value !== null} onMouseDown=${(/** @type {Event} */ event) => event.preventDefault()}
          onClick=${() => { address.value = address.value !== null ? null : on.value.includes('A') ? shownAddress() : '' }}>${icon('link')}</button></div>`}
      ${address.value !== null && html`<div class="row address"><input ref=${field} id=${name + '-address'} aria-label=${t('address')} placeholder="example.com"
          defaultValue=${address.value} inputmode="url" autocomplete="off" autocapitalize="none" spellcheck=${false} onKeyDown=${press} />
        <button type="button" class="link" onClick=${() => link(addressOf(field.current?.value ?? ''))}>${t('setLink')}</button>
        ${on.value.includes('A') && html`<button type="button" class="link" onClick=${() => link('')}>${t('removeLink')}</button>`}</div>`}
      <div ref=${root} id=${name} class="described" role="textbox" aria-multiline="true" aria-labelledby=${name + '-label'} aria-busy=${!isReady && !disabled}
        aria-readonly=${disabled ? 'true' : undefined} aria-invalid=${errors[name] ? 'true' : undefined}
        aria-describedby=${errors[name] ? name + '-hint' : undefined} tabindex="0"></div></div>
    ${failed.value && html`<p class="err">${icon('wifi-off', 's')}<span class="grow">${t('notLoaded')}</span><button type="button" class="link" onClick=${() => {
      failed.value = false
      turn.value++
    }}>${frame('tryAgain')}</button></p>`}
    ${errors[name] && html`<p class="err" id=${name + '-hint'}>${errors[name]}</p>`}</div>`
}
