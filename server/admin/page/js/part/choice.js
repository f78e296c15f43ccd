// The rows of a list that are chosen for an action: by checkboxes on a desk, after a long press on
// a phone. Going back to a list chooses them again.

import { effect, useLayoutEffect, useRef, useSignal } from '../html.js'
import { note, noted } from '../place.js'

/**
 * @template {{ _id: string }} R
 * @param {R[]} rows
 * @param {string} scope what the list shows: nothing is chosen in another one
 */
export function useChoice(rows, scope) {
  const chosen = useSignal(/** @type {string[]} */ ([]))
  const everything = useSignal(false) // not the chosen rows, but all that the filters find
  const choosing = useSignal(false)
  const at = useSignal(-1) // the row of the keyboard
  const last = useRef(-1) // the row that was chosen last, from which a range goes
  const end = () => {
    chosen.value = []
    everything.value = false
    choosing.value = false
  }
  useLayoutEffect(() => {
    // before anything can be tapped
    const before = noted('choice')
    const isBack = before?.scope === scope
    chosen.value = isBack ? before.chosen : []
    everything.value = isBack && before.everything
    choosing.value = isBack && before.choosing
    at.value = last.current = -1
    return effect(() => {
      note('choice', {
        scope,
        chosen: chosen.value,
        everything: everything.value,
        choosing: choosing.value,
      })
    })
  }, [scope])
  function choose(/** @type {number} */ i, range = false) {
    const ids =
      range && last.current >= 0
        ? rows.slice(Math.min(last.current, i), Math.max(last.current, i) + 1).map((row) => row._id)
        : []
    const { _id } = rows[i]
    everything.value = false
    chosen.value =
      ids.length > 0
        ? [...new Set([...chosen.value, ...ids])]
        : chosen.value.includes(_id)
          ? chosen.value.filter((id) => id !== _id)
          : [...chosen.value, _id]
    at.value = last.current = i
  }
  const picked = rows.filter((row) => chosen.value.includes(row._id))
  return {
    chosen,
    everything,
    choosing,
    at,
    picked,
    choose,
    end,
    all: () => {
      everything.value = false
      chosen.value = rows.map((row) => row._id)
    },
    toggleAll: () => {
      everything.value = false
      chosen.value = picked.length === rows.length ? [] : rows.map((row) => row._id)
    },
    press: (/** @type {number} */ i) =>
      longPress(() => {
        choosing.value = true
        choose(i)
      }),
  }
}

/**
 * Handlers of a long press. The menu of the browser stays away, and the tap that ends it opens
 * nothing.
 */
function longPress(/** @type {() => void} */ run) {
  let timer = 0
  const end = () => clearTimeout(timer)
  return {
    onPointerDown: (/** @type {PointerEvent} */ event) => {
      if (event.pointerType === 'mouse') return
      timer = setTimeout(() => {
        // before, browsers refuse it
        if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(10)
        addEventListener(
          'click',
          (click) => {
            click.preventDefault()
            click.stopPropagation()
          },
          { capture: true, once: true },
        )
        run()
      }, 450)
    },
    onPointerUp: end,
    onPointerMove: (/** @type {PointerEvent} */ event) => {
      if (Math.abs(event.movementY) > 6) end()
    },
    onPointerCancel: end,
  }
}
