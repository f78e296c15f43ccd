// The editor of a description: a text with headings, lists, links, bold and slanted words, which
// looks as it will be read.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/rich_text.js'
import { parse, sanitize } from './description.js'
import { icon } from './icon.js'

/** @typedef {any} Editor An editor of Squire, which comes without types. */
/** @typedef {'B' | 'I' | 'H3' | 'UL' | 'OL' | 'A'} Format */

/**
 * Loads the editor. The browser lets no text become elements, so undoing goes the way of all other
 * HTML.
 * @returns {Promise<new (element: Element, config: object) => Editor>}
 */
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
const toggleHeading = (/** @type {any} */ editor, /** @type {boolean} */ isHeading) =>
  editor.modifyBlocks((/** @type {any} */ chosen) => {
    for (const block of chosen.querySelectorAll(
      isHeading ? 'h1, h2, h3, h4, h5, h6' : 'p, h1, h2, h4, h5, h6',
    )) {
      const other = document.createElement(isHeading ? 'p' : 'h3')
      other.append(...block.childNodes)
      block.replaceWith(other)
    }
    return chosen
  })

/** @type {{ format: Format, face: any, run: (editor: any, isOn: boolean) => void }[]} */
const formats = [
  {
    format: 'B',
    face: html`<b aria-hidden="true">B</b>`,
    run: (editor, isOn) => (isOn ? editor.removeBold() : editor.bold()),
  },
  {
    format: 'I',
    face: html`<i class="slanted" aria-hidden="true">I</i>`,
    run: (editor, isOn) => (isOn ? editor.removeItalic() : editor.italic()),
  },
  { format: 'H3', face: html`<b class="shown-title" aria-hidden="true">H</b>`, run: toggleHeading },
  {
    format: 'UL',
    face: icon('list'),
    run: (editor, isOn) => (isOn ? editor.removeList() : editor.makeUnorderedList()),
  },
  {
    format: 'OL',
    face: icon('list-ordered'),
    run: (editor, isOn) => (isOn ? editor.removeList() : editor.makeOrderedList()),
  },
]

/** Returns HTML without empty lines, and without the breaks that make them as high as others. */
const withoutEmptyLines = (/** @type {string} */ source) =>
  source.replace(/<br>(?=<\/(?:p|div|li|h\d)>)/g, '').replace(/<(p|div)><\/\1>/g, '')

/** Returns the address that somebody means: of a page, or to write or call. */
const addressOf = (/** @type {string} */ entered) => {
  const text = entered.trim()
  return text === '' || /^([a-z]+:|\/|#)/i.test(text)
    ? text
    : /^[^@\s/]+@[^@\s/]+$/.test(text)
      ? 'mailto:' + text
      : /^\+?[\d\s-]{6,}$/.test(text)
        ? 'tel:' + text.replace(/[\s-]/g, '')
        : 'https://' + text
}

/**
 * @typedef {{ name: string, label: string, value: string, errors: Record<string, string>,
 *   disabled?: boolean, onChange: (source: string) => void }} Props
 */

/** The field. It reads its value once: with a new key it reads another. @param {Props} props */
export function RichText({ name, label, value, errors, disabled, onChange }) {
  const root = useRef(/** @type {HTMLDivElement | null} */ (null))
  const editor = useSignal(/** @type {Editor} */ (null))
  const failed = useSignal(false)
  const turn = useSignal(0)
  const on = useSignal(/** @type {Format[]} */ ([]))
  const changed = useRef(onChange)
  changed.current = onChange
  useEffect(() => {
    const element = /** @type {HTMLDivElement} */ (root.current)
    if (!editor.peek()) element.replaceChildren(sanitize(value))
    if (disabled) return
    let isGone = false
    /** @type {Editor} */
    let instance
    const begin = async () => {
      try {
        const Editor = await load()
        if (isGone) return
        instance = new Editor(element, {
          blockTag: 'P',
          sanitizeToDOMFragment: sanitize,
          didError: (/** @type {unknown} */ error) => {
            throw error
          },
        })
        instance.setHTML(value)
        // what is as it was is no change, however the editor writes it
        const same = withoutEmptyLines(instance.getHTML())
        instance.addEventListener('input', () => {
          const now = withoutEmptyLines(instance.getHTML())
          changed.current(
            now === same
              ? value
              : element.textContent?.trim() || element.querySelector('img, hr')
                ? now
                : '',
          )
        })
        instance.addEventListener('pathChange', () => {
          on.value = /** @type {Format[]} */ ([
            ...formats.map((format) => format.format),
            'A',
          ]).filter((format) => instance.hasFormat(format))
        })
        editor.value = instance
      } catch {
        failed.value = !isGone
      }
    }
    // What is folded up is loaded when it is opened.
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return
      seen.disconnect()
      begin()
    })
    seen.observe(element)
    return () => {
      isGone = true
      seen.disconnect()
      instance?.destroy()
    }
  }, [turn.value])
  const retry = () => {
    failed.value = false
    turn.value++
  }
  const error = errors[name]
  return html`
    <div class="field">
      <span class="label" id=${name + '-label'} onClick=${() => root.current?.focus()}>
        ${label}
      </span>
      <div class=${error ? 'rich bad' : 'rich'}>
        ${!disabled && html`<${Tools} name=${name} editor=${editor.value} on=${on.value} />`}
        <div
          ref=${root}
          id=${name}
          class="described"
          role="textbox"
          aria-multiline="true"
          aria-labelledby=${name + '-label'}
          tabindex="0"
          aria-busy=${!editor.value && !disabled}
          aria-readonly=${disabled ? 'true' : undefined}
          aria-invalid=${error ? 'true' : undefined}
          aria-describedby=${error ? name + '-hint' : undefined}
        ></div>
      </div>
      ${failed.value && html`
        <p class="error">
          ${icon('wifi-off', 'mini')}
          <span class="grow">${t('notLoaded')}</span>
          <button type="button" class="link" onClick=${retry}>${common('tryAgain')}</button>
        </p>
      `}
      ${error && html`<p class="error" id=${name + '-hint'}>${error}</p>`}
    </div>
  `
}

const holdSelection = (/** @type {Event} */ event) => event.preventDefault()

/** The buttons above the text. @param {{ name: string, editor: any, on: Format[] }} props */
function Tools({ name, editor, on }) {
  const address = useSignal(/** @type {string | null} */ (null)) // of the link that is edited
  const isLink = on.includes('A')
  const toggle = () => {
    const at = editor.getSelection().startContainer
    const link = isLink
      ? ((at.closest ? at : at.parentElement).closest('a') ?? at.querySelector?.('a'))
      : null
    address.value = address.value === null ? (link?.getAttribute('href') ?? '') : null
  }
  const close = () => {
    address.value = null
    editor.focus()
  }
  const set = (/** @type {string} */ to) => {
    if (to) editor.makeLink(to)
    else editor.removeLink()
    close()
  }
  return html`
    <div class="row tools" role="toolbar" aria-label=${t('tools')} aria-controls=${name}>
      ${formats.map(({ format, face, run }) => html`
        <button
          type="button"
          class="icon-button"
          key=${format}
          data-format=${format}
          disabled=${!editor}
          aria-label=${t(format)}
          title=${t(format)}
          aria-pressed=${on.includes(format)}
          onMouseDown=${holdSelection}
          onClick=${() => run(editor, on.includes(format))}
        >
          ${face}
        </button>
      `)}
      <button
        type="button"
        class="icon-button"
        data-format="A"
        disabled=${!editor}
        aria-label=${t('A')}
        title=${t('A')}
        aria-pressed=${isLink}
        aria-expanded=${address.value !== null}
        onMouseDown=${holdSelection}
        onClick=${toggle}
      >
        ${icon('link')}
      </button>
    </div>
    ${address.value !== null && html`
      <${Address}
        id=${name + '-address'}
        value=${address.value}
        isLink=${isLink}
        set=${set}
        close=${close}
      />
    `}
  `
}

/**
 * The address of a link.
 * @param {{ id: string, value: string, isLink: boolean, set: (to: string) => void, close: () =>
 *   void }} props
 */
function Address({ id, value, isLink, set, close }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))
  useEffect(() => field.current?.focus(), [])
  const enter = () => set(addressOf(field.current?.value ?? ''))
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Enter') enter()
    else close()
  }
  return html`
    <div class="row address">
      <input
        ref=${field}
        id=${id}
        aria-label=${t('address')}
        placeholder="example.com"
        defaultValue=${value}
        inputmode="url"
        autocomplete="off"
        autocapitalize="none"
        spellcheck=${false}
        onKeyDown=${press}
      />
      <button type="button" class="link" onClick=${enter}>${t('setLink')}</button>
      ${isLink && html`
        <button type="button" class="link" onClick=${() => set('')}>${t('removeLink')}</button>
      `}
    </div>
  `
}
