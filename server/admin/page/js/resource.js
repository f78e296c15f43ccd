// Loading of what a view shows. The last response of each address stays in memory while the page is
// open, so that going back shows it at once.

import { signal, useEffect, useRef, useSignal } from './html.js'
import { get, Problem } from './api.js'
import { shopUID } from './router.js'

/** @type {Map<string, any>} */
const memory = new Map()
const maxMemory = 60

function remember(/** @type {string} */ key, /** @type {any} */ data) {
  memory.delete(key)
  memory.set(key, data)
  for (const oldest of memory.keys()) {
    if (memory.size <= maxMemory) break
    memory.delete(oldest)
  }
}

/** Loads what will probably be shown next. */
export function prefetch(/** @type {string} */ path) {
  const key = keyOf(path, {})
  if (!memory.has(key)) get(path).then((data) => remember(key, data), () => {})
}

const keyOf = (/** @type {string} */ path, /** @type {any} */ query) => shopUID.value + ' ' + path + ' ' + JSON.stringify(query)

/** Grows when something may have changed: views load again. */
export const generation = signal(0)

export const changed = () => { generation.value++ }

/** Clears all responses, such as those of another person. */
export const forgetAll = () => memory.clear()

/**
 * Loads GET path?query while a view shows it. data is that of an earlier time until the response comes.
 * @param {string | null} path null: nothing is loaded
 * @param {any} query
 * @returns {{ data: any, problem: Problem | null, loading: boolean, reload: () => void, set: (data: any) => void }}
 */
export function useGet(path, query = {}) {
  const key = path && keyOf(path, query)
  const state = useSignal(/** @type {any} */ ({ key: '' }))
  const turn = useSignal(0)
  const latest = useRef(/** @type {string | null} */ (''))
  latest.current = key
  if (state.peek().key !== key) state.value = { key, data: key ? memory.get(key) : undefined, problem: null, loading: true }
  useEffect(() => {
    if (!path || !key) return
    const abort = new AbortController()
    get(path, query, { signal: abort.signal }).then(
      (data) => {
        remember(key, data)
        if (latest.current === key) state.value = { key, data, problem: null, loading: false }
      },
      (problem) => {
        if (abort.signal.aborted || latest.current !== key) return
        if (!(problem instanceof Problem)) throw problem
        state.value = { key, data: state.peek().data, problem, loading: false }
      })
    return () => abort.abort()
  }, [key, turn.value, generation.value])
  const { data, problem, loading } = state.value
  return {
    data, problem, loading,
    reload: () => { turn.value++ },
    set: (next) => {
      if (key) remember(key, next)
      state.value = { key, data: next, problem: null, loading: false }
    },
  }
}
