// Short messages at the foot of the page: what happened, with one action at most.

import { html, signal } from '../html.js'
import { openRequests, sending } from '../api.js'
import { open, route } from '../router.js'
import { t } from '../strings/common.js'
import { icon } from './icon.js'

/**
 * @typedef {{ text: string, run: () => void } | { text: string, to: string }} Action what is done,
 *   or the address that is opened
 */
/** @typedef {{ text: string, bad?: boolean, stays?: boolean, action?: Action }} Toast */

const current = signal(/** @type {Toast | null} */ (null))
let timer = 0

/** Shows a message for six seconds, or until it is answered. */
export function showToast(/** @type {string} */ text, /** @type {Partial<Toast>} */ more = {}) {
  clearTimeout(timer)
  current.value = { text, ...more }
  if (!more.stays)
    timer = setTimeout(
      () => {
        current.value = null
      },
      more.bad ? 12_000 : 6000,
    )
}

/** Copies a text. */
export async function copy(/** @type {string} */ text) {
  await navigator.clipboard.writeText(text)
  showToast(t('copied'))
}

/** The change that is being sent for longer than a moment, unless it waits for the person. */
const first = () => (openRequests.value > 0 ? undefined : sending.value[0])

/** What is being sent, and how to stop it. */
export function Sending() {
  const request = first()
  return (
    request && html`
      <div class="toast sending">
        ${icon('loader', 'spin')}
        <span class="grow">
          ${request.label ? t('sending', { label: request.label }) : t('sendingOne')}
        </span>
        <button type="button" onClick=${request.stop}>${t('stop')}</button>
      </div>
    `
  )
}

export function Toasts() {
  const said = current.value
  const action = said?.action
  const leadsTo = action && 'to' in action ? action.to : ''
  const toast = route.value && leadsTo === location.hash ? null : said // it has led there
  const act = () => {
    current.value = null
    if (action && 'run' in action) action.run()
    else open(leadsTo)
  }
  return html`
    <div class="toasts" role="status" aria-live="polite">
      ${first()
        ? html`<${Sending} />`
        : toast && html`
            <div class=${toast.bad ? 'toast bad' : 'toast'}>
              ${icon(toast.bad ? 'circle-alert' : 'check')}
              <span class="grow">${toast.text}</span>
              ${action && html`<button onClick=${act}>${action.text}</button>`}
              ${toast.bad && !action && html`
                <button onClick=${() => {
                  current.value = null
                }}>
                  ${t('close')}
                </button>
              `}
            </div>
          `}
    </div>
  `
}
