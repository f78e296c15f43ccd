// Buttons that write the marks of a description: bold words and lists.

import { html } from '../html.js'
import { t } from '../strings/product.js'

const field = () => /** @type {HTMLTextAreaElement} */ (document.getElementById('descriptionHtml'))

/** Replaces a part of the text as if it were typed, and selects some of what is new. */
function write(/** @type {string} */ text, /** @type {number} */ from, /** @type {number} */ to, begin = 0, end = text.length) {
  const area = field()
  area.focus()
  area.setRangeText(text, from, to, 'end')
  area.setSelectionRange(from + begin, from + end)
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Makes the selected words bold, or no longer. */
function bold() {
  const { selectionStart: from, selectionEnd: to, value } = field()
  const words = value.slice(from, to)
  if (/^\*\*[^]+\*\*$/.test(words)) write(words.slice(2, -2), from, to)
  else write(`**${words.trim() || t('boldWords')}**`, from, to, 2, 2 + (words.trim() || t('boldWords')).length)
}

/** Makes the selected lines items of a list, or no longer. */
function list() {
  const { selectionStart, selectionEnd, value } = field()
  const from = value.lastIndexOf('\n', selectionStart - 1) + 1
  const next = value.indexOf('\n', selectionEnd)
  const to = next < 0 ? value.length : next
  const lines = value.slice(from, to).split('\n')
  const isList = lines.every((line) => /^- /.test(line))
  write(lines.map((line) => (isList ? line.slice(2) : '- ' + line)).join('\n'), from, to)
}

export const DescriptionTools = () => html`<div class="row" role="group" aria-label=${t('marks')}>
  <button type="button" class="btn mini" id="bold" onClick=${bold}><b>${t('bold')}</b></button>
  <button type="button" class="btn mini" id="list" onClick=${list}>– ${t('list')}</button></div>`
