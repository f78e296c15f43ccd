// Short messages at the foot of the page: what happened, with one action at most.

import { effect, html, signal, useLayoutEffect } from '../html.js'
import { openRequests, sending } from '../api.js'
import { shortcuts } from '../keys.js'
import { open, route } from '../router.js'
import { t } from '../strings/common.js'
import { icon } from './icon.js'

/**
 * @typedef {{ text: string } & ({ run: () => void, keys?: string[] } | { to: string })} Action what
 *   is done, also by keys, or the address that is opened
 */
/**
 * @typedef {{ text: string, bad?: boolean, stays?: boolean, lasts?: number, action?: Action, why?:
 *   { details: Record<string, any>, requestId?: string } }} Toast lasts: for how many milliseconds;
 *   why: the problem, for its details
 */

const current = signal(/** @type {Toast | null} */ (null))
let timer = 0
let shownAt = 0

/** Whether a view shows the messages in its header, where they cover nothing. */
const isInHeader = signal(false)

/** How long a message is about what leads to the next screen, in milliseconds. */
const moment = 1000

/** Shows a message for six seconds unless it lasts longer, or until it is answered. */
export function showToast(/** @type {string} */ text, /** @type {Partial<Toast>} */ more = {}) {
  clearTimeout(timer)
  current.value = { text, ...more }
  shownAt = performance.now()
  if (!more.stays)
    timer = setTimeout(
      () => {
        current.value = null
      },
      more.lasts ?? (more.bad ? 12_000 : 6000),
    )
}

// A message ends with its screen.
let screen = ''
effect(() => {
  const { shop, view, id } = route.value
  const isOther = screen !== (screen = [shop, view, id].join(' '))
  if (isOther && !current.peek()?.stays && performance.now() - shownAt > moment)
    current.value = null
})

// The keys of its action.
effect(() => {
  const action = current.value?.action
  if (!action || !('run' in action) || !action.keys) return
  return shortcuts(Object.fromEntries(action.keys.map((key) => [key, () => answer(action)])))
})

/** Copies a text. */
export async function copy(/** @type {string} */ text) {
  await navigator.clipboard.writeText(text)
  showToast(t('copied'))
}

/**
 * A provider's words, and what the operator finds the request by.
 * @param {{ words?: string | null, requestId?: string | null }} props
 */
export const Details = ({ words, requestId }) =>
  words
    ? html`
        <details class="small">
          <summary>${t('details')} ${icon('chevron-down', 'mini')}</summary>
          <p lang="en">${words}</p>
          ${requestId && html`
            <p>
              ${t('requestId')} <span class="mono">${requestId}</span>
              ${' '}
              <button type="button" class="link" onClick=${() => copy(requestId)}>
                ${t('copy')}
              </button>
            </p>
          `}
        </details>
      `
    : null

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
          ${request.busy && ' ' + t('serverBusy')}
        </span>
        <button type="button" onClick=${request.stop}>${t('stop')}</button>
      </div>
    `
  )
}

/** Answers a message: its action is done. */
function answer(/** @type {Action} */ action) {
  current.value = null
  if ('run' in action) action.run()
  else open(action.to)
}

/** The message to show, unless it has led to its address. */
function shown() {
  const toast = current.value
  const leadsTo = toast?.action && 'to' in toast.action ? toast.action.to : ''
  return route.value && leadsTo === location.hash ? null : toast
}

/** The messages of a view in its header. What went wrong is too long for it. */
export function HeaderToast() {
  const toast = shown()
  useLayoutEffect(() => {
    isInHeader.value = true
    return () => {
      isInHeader.value = false
    }
  }, [])
  return html`
    <div role="status" aria-live="polite">
      ${toast && !toast.bad && html`
        <div class="toast line">
          <span class="cut">${toast.text}</span>
          ${toast.action && html`
            <button onClick=${() => toast.action && answer(toast.action)}>
              ${toast.action.text}
            </button>
          `}
        </div>
      `}
    </div>
  `
}

export function Toasts() {
  const message = shown()
  const toast = isInHeader.value && !message?.bad ? null : message
  const action = toast?.action
  return html`
    <div class="toasts" role="status" aria-live="polite">
      ${first()
        ? html`<${Sending} />`
        : toast && html`
            <div class=${toast.bad ? 'toast bad' : 'toast'}>
              ${icon(toast.bad ? 'circle-alert' : 'check')}
              <span class="grow">
                ${toast.text}
                <${Details} words=${toast.why?.details.words} requestId=${toast.why?.requestId} />
              </span>
              ${action && html`<button onClick=${() => answer(action)}>${action.text}</button>`}
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
