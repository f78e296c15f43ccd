// The rows of a list while others work on the same orders: what has changed is shown in its place.
// Nothing moves under the finger: an order that left the list stays, dimmed, and new ones wait
// above it, until the list is loaded again.

import { useEffect, useRef } from '../html.js'
import { touched } from '../live.js'
import { generation } from '../resource.js'
import { session } from '../session.js'

/** @typedef {import('../api.js').Schemas['OrderRow'] & { gone?: boolean }} LiveRow */

const pause = 400 // milliseconds: several events are often one action

/**
 * @param {{ nodes: LiveRow[] } | undefined} data
 * @param {string} scope what the list shows; another one starts again from what was loaded
 * @returns {{ rows: LiveRow[], isQuiet: boolean }} isQuiet: the rows are those of an event, and new
 *   orders wait
 */
export function useLiveRows(data, scope, reload = () => {}) {
  const shown = useRef({
    data,
    scope,
    generation: 0,
    rows: /** @type {LiveRow[]} */ ([]),
    isQuiet: false,
  })
  const quiet = useRef(false)
  useEffect(() => {
    const event = touched.value
    if (!event || event.actor === session.value?.staffMember._id) return
    const timer = setTimeout(() => {
      quiet.current = true
      reload()
    }, pause)
    return () => clearTimeout(timer)
  }, [touched.value])
  const last = shown.current
  if (data !== last.data || scope !== last.scope) {
    const next = data?.nodes ?? []
    const isQuiet =
      quiet.current &&
      scope === last.scope &&
      generation.value === last.generation &&
      last.rows.length > 0
    quiet.current = false
    shown.current = {
      data,
      scope,
      generation: generation.value,
      isQuiet,
      rows: isQuiet
        ? last.rows.map(
            (row) => next.find((fresh) => fresh._id === row._id) ?? { ...row, gone: true },
          )
        : next,
    }
  }
  return shown.current
}
