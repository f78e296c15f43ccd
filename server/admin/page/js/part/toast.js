// Short messages at the foot of the page: what happened, with one action at most.

import { html, signal } from '../html.js'
import { sending } from '../api.js'
import { t } from '../strings/frame.js'
import { icon } from './icon.js'

/** @typedef {{ text: string, bad?: boolean, stays?: boolean, action?: { text: string, run: () => void } }} Toast */

const current = signal(/** @type {Toast | null} */ (null))
let timer = 0

/** Shows a message for six seconds, or until it is answered. */
export function say(/** @type {string} */ text, /** @type {Partial<Toast>} */ more = {}) {
  clearTimeout(timer)
  current.value = { text, ...more }
  if (!more.stays) timer = setTimeout(() => { current.value = null }, more.bad ? 12_000 : 6000)
}

/** Copies a text. */
export async function copy(/** @type {string} */ text) {
  await navigator.clipboard.writeText(text)
  say(t('copied'))
}

export function Toasts() {
  const [first] = sending.value
  const toast = current.value
  return html`<div class="toasts" role="status" aria-live="polite">
    ${first ? html`<div class="toast">${icon('loader', 'spin')}<span class="grow">
        ${first.label ? t('sending', { label: first.label }) : t('sendingOne')}</span>
        <button onClick=${first.stop}>${t('stop')}</button></div>`
      : toast && html`<div class=${toast.bad ? 'toast bad' : 'toast'}>${icon(toast.bad ? 'circle-alert' : 'check')}<span class="grow">
        ${toast.text}</span>
        ${toast.action && html`<button onClick=${() => { current.value = null; toast.action?.run() }}>${toast.action.text}</button>`}
        ${toast.bad && !toast.action && html`<button onClick=${() => { current.value = null }}>${t('close')}</button>`}</div>`}
  </div>`
}
