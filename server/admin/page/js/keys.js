// Shortcuts. Those of a single key are ignored while typing, and can be turned off.

import { signal } from './html.js'
import { load, save } from './device.js'
import { plainDigits } from './i18n.js'

/** Whether single keys are shortcuts. */
export const singleKeys = signal(load('keys') !== 'off')

export function setSingleKeys(/** @type {boolean} */ on) {
  singleKeys.value = on
  save('keys', on ? null : 'off')
}

/** @typedef {(event: KeyboardEvent) => void} Handler */

/** @type {Record<string, Handler>[]} the newest first */
const layers = []

/**
 * Registers shortcuts: by key, "Shift x", or two keys in turn as "g h".
 * @returns {() => void} what removes them
 */
export function shortcuts(/** @type {Record<string, Handler>} */ handlers) {
  layers.unshift(handlers)
  return () => {
    layers.splice(layers.indexOf(handlers), 1)
  }
}

const isTyping = (/** @type {EventTarget | null} */ target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && !/^(checkbox|radio|button|submit)$/.test(target.type)))

let first = ''
let firstAt = 0

addEventListener('keydown', (event) => {
  const isModified = event.ctrlKey || event.metaKey || event.altKey
  let key = plainDigits(event.key) // a Bangla keyboard has others
  const isControl = event.ctrlKey || event.metaKey
  if (isControl && key.toLowerCase() === 'k') key = 'Ctrl K'
  else if (isControl && key.toLowerCase() === 'z' && !isTyping(event.target)) key = 'Ctrl Z'
  else if (isModified || (isTyping(event.target) && key !== 'Escape')) return
  else if (event.shiftKey && /^[A-Z]$/.test(key)) key = 'Shift ' + key.toLowerCase()
  if (event.repeat && !/^[jk]$/.test(key)) return // a key that is held down acts once
  const isSingle = !/^(Escape|Enter|Ctrl [KZ])$/.test(key)
  // a dialog closes itself
  if (document.querySelector('dialog[open]') || (isSingle && !singleKeys.value)) return
  if (
    key === 'Enter' &&
    event.target instanceof HTMLElement &&
    /^(A|BUTTON|SUMMARY|INPUT)$/.test(event.target.tagName)
  )
    return
  const pair = event.timeStamp - firstAt < 1500 ? first + ' ' + key : ''
  first = key
  firstAt = event.timeStamp
  // "g c" leads to another screen, and is no "c" of the list that is shown.
  const handler =
    layers.find((layer) => pair && layer[pair])?.[pair] ?? layers.find((layer) => layer[key])?.[key]
  if (!handler) return
  first = ''
  event.preventDefault()
  handler(event)
})
