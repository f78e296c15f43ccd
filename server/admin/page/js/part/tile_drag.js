// Puts the tiles of a list in order by dragging: with a mouse at once, with a finger once it has
// rested on a tile, so that the list can still be scrolled. The other tiles make room meanwhile.

import { useEffect, useRef, useSignal } from '../html.js'

const holdDelay = 300 // milliseconds that a finger rests
const slack = 8 // pixels that a pointer moves without dragging
const edge = 48 // pixels at the sides of the list where dragging scrolls it

/**
 * move moves the tile at an index to another. Returns the index of the dragged tile, -1 without
 * one, and what begins to drag.
 * @param {(from: number, to: number) => void} move
 */
export function useTileDrag(move) {
  const dragged = useSignal(-1)
  const running = useRef(/** @type {AbortController | null} */ (null))
  useEffect(() => () => running.current?.abort(), [])

  function begin(
    /** @type {PointerEvent} */ event,
    /** @type {number} */ from,
    /** @type {number} */ count,
  ) {
    const own = /** @type {HTMLElement} */ (event.currentTarget).closest('li'),
      list = own?.parentElement
    if (!own || !list || event.button !== 0 || count < 2) return
    running.current?.abort()
    const ends = (running.current = new AbortController()),
      { signal } = ends
    const tiles = /** @type {HTMLElement[]} */ ([...list.children].slice(0, count))
    const slots = tiles.map((tile) => ({ x: tile.offsetLeft, y: tile.offsetTop }))
    const start = { x: event.clientX + list.scrollLeft, y: event.clientY + scrollY }
    const isTouch = event.pointerType === 'touch'
    let to = from
    const lift = () => {
      dragged.value = from
      if (isTouch) navigator.vibrate?.(15)
    }
    const timer = isTouch ? setTimeout(lift, holdDelay) : 0
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      for (const tile of tiles) tile.style.transform = ''
      dragged.value = -1
    })
    const follow = (/** @type {PointerEvent} */ now) => {
      const by = { x: now.clientX + list.scrollLeft - start.x, y: now.clientY + scrollY - start.y }
      if (dragged.peek() < 0) {
        if (Math.hypot(by.x, by.y) < slack) return
        if (isTouch) return ends.abort() // scrolls
        lift()
      }
      const { left, right } = list.getBoundingClientRect()
      if (now.clientX < left + edge) list.scrollLeft -= 12
      else if (now.clientX > right - edge) list.scrollLeft += 12
      const distance = (/** @type {number} */ i) =>
        Math.hypot(slots[i].x - slots[from].x - by.x, slots[i].y - slots[from].y - by.y)
      to = slots.reduce((best, _, i) => (distance(i) < distance(best) ? i : best), from)
      tiles.forEach((tile, i) => {
        const at = i > from && i <= to ? i - 1 : i < from && i >= to ? i + 1 : i
        const shift = i === from ? by : { x: slots[at].x - slots[i].x, y: slots[at].y - slots[i].y }
        tile.style.transform = shift.x || shift.y ? `translate(${shift.x}px, ${shift.y}px)` : ''
      })
    }
    addEventListener('pointermove', follow, { signal })
    addEventListener(
      'pointerup',
      () => {
        const isMoved = dragged.peek() >= 0
        ends.abort()
        if (!isMoved) return
        // The click that follows opens nothing.
        const swallow = (/** @type {Event} */ click) => {
          click.stopPropagation()
          click.preventDefault()
        }
        addEventListener('click', swallow, { capture: true, once: true })
        setTimeout(() => removeEventListener('click', swallow, { capture: true }))
        if (to !== from) move(from, to)
      },
      { signal },
    )
    addEventListener('pointercancel', () => ends.abort(), { signal })
    addEventListener(
      'keydown',
      (key) => {
        if (key.key === 'Escape') ends.abort()
      },
      { signal },
    )
    const still = (/** @type {Event} */ event) => {
      if (dragged.peek() >= 0) event.preventDefault()
    }
    // a finger that drags does not scroll
    addEventListener('touchmove', still, { signal, passive: false })
    addEventListener('contextmenu', still, { signal })
  }
  return { dragged, begin }
}
