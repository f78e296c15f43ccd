// A list whose order people change: by arrows, by dragging the picture with mouse or finger, and
// with the arrow keys on it.

import { html, useRef, useSignal } from '../html.js'
import { t } from '../strings/collections.js'
import { icon } from './icon.js'

/** Returns the list with one item at another place. @template I @param {I[]} list @returns {I[]} */
export function moved(list, /** @type {number} */ from, /** @type {number} */ to) {
  const next = [...list]
  next.splice(Math.max(0, Math.min(list.length - 1, to)), 0, ...next.splice(from, 1))
  return next
}

const edge = 90 // pixels at the top and the bottom of the window where dragging scrolls it

/**
 * picture and body return what a row shows; all is the number of items if not all of them are
 * shown.
 * @template {{ _id: string }} I
 * @param {{ id: string, items: I[], all?: number, title: (item: I) => string, picture: (item: I) =>
 *   any, body: (item: I, i: number) => any, move: (from: number, to: number) => void, disabled?:
 *   boolean }} props
 */
export function Arrange({ id, items, all = items.length, title, picture, body, move, disabled }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null))
  const drag = useSignal(/** @type {{ from: number, to: number } | null} */ (null))
  const said = useSignal('')
  const rows = () => /** @type {HTMLElement[]} */ ([...(list.current?.children ?? [])])
  function go(/** @type {number} */ from, /** @type {number} */ to, focus = '') {
    if (to < 0 || to >= all || to === from) return
    move(from, to)
    said.value = t('nowAt', { title: title(items[from]), n: to + 1, all })
    if (!focus) return
    setTimeout(() => {
      // the row is at another place; a button at an end of the list is off
      const row = rows()[to]
      const same = /** @type {HTMLButtonElement | null | undefined} */ (row?.querySelector(focus))
      const button = same?.disabled ? row.querySelector('.move-button:enabled') : same
      if (button instanceof HTMLElement) button.focus({ preventScroll: true })
      row?.scrollIntoView({ block: 'nearest' })
    })
  }
  function begin(/** @type {PointerEvent} */ event, /** @type {number} */ from) {
    if (disabled || event.button !== 0) return
    const own = rows()[from],
      startY = event.clientY + scrollY
    let isMoving = false
    const follow = (/** @type {PointerEvent} */ now) => {
      const by = now.clientY + scrollY - startY
      if (!isMoving && Math.abs(by) < 6) return
      isMoving = true
      now.preventDefault()
      own.style.transform = `translateY(${by}px)`
      if (now.clientY < edge) scrollBy(0, -12)
      else if (now.clientY > innerHeight - edge) scrollBy(0, 12)
      const others = rows().filter((row) => row !== own)
      const to = others.filter((row) => {
        const { top, height } = row.getBoundingClientRect()
        return now.clientY > top + height / 2
      }).length
      if (drag.peek()?.to !== to) drag.value = { from, to }
    }
    const end = (/** @type {Event} */ now) => {
      removeEventListener('pointermove', follow)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', end)
      own.style.transform = ''
      const target = drag.peek()
      drag.value = null
      if (target && now.type === 'pointerup') go(from, target.to)
    }
    addEventListener('pointermove', follow)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', end)
  }
  const lineOf = (/** @type {number} */ i) => {
    const now = drag.value
    if (!now || now.to === now.from) return ''
    if (i === now.from) return ''
    return i === now.to && now.to < now.from
      ? 'line-above'
      : i === now.to && now.to > now.from
        ? 'line-below'
        : ''
  }
  return html`
    <ul class="card list arrange" id=${id} ref=${list}>
      ${items.map((item, i) => {
        const name = title(item)
        return html`
          <li
            key=${item._id}
            data-item=${item._id}
            class=${`arrange-row ${drag.value?.from === i ? 'dragged' : lineOf(i)}`}
          >
            ${disabled
              ? picture(item)
              : html`
                  <button
                    type="button"
                    class="grip"
                    aria-label=${t('move', { title: name, n: i + 1, all })}
                    onPointerDown=${(/** @type {PointerEvent} */ event) => begin(event, i)}
                    onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
                      const to = { ArrowUp: i - 1, ArrowDown: i + 1, Home: 0, End: all - 1 }[
                        event.key
                      ]
                      if (to === undefined) return
                      event.preventDefault()
                      go(i, to, '.grip')
                    }}
                  >
                    ${picture(item)}
                    <span class="grip-mark">${icon('chevrons-up-down', 'mini')}</span>
                  </button>
                `}
            ${body(item, i)}
            ${!disabled && html`
              <span class="row move-buttons">
                <button
                  type="button"
                  class="icon-button move-button up"
                  aria-label=${t('up', { title: name })}
                  disabled=${i === 0}
                  onClick=${() => go(i, i - 1, '.up')}
                >
                  ${icon('chevron-up')}
                </button>
                <button
                  type="button"
                  class="icon-button move-button down"
                  aria-label=${t('down', { title: name })}
                  disabled=${i === all - 1}
                  onClick=${() => go(i, i + 1, '.down')}
                >
                  ${icon('chevron-down')}
                </button>
              </span>
            `}
          </li>
        `
      })}
    </ul>
    <p class="visually-hidden" role="status">${said.value}</p>
  `
}
