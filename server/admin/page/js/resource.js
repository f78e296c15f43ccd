// Loading of what a view shows. The last response of each address stays in memory while the page is
// open, so that going back shows it at once.

import { signal, useEffect, useRef, useSignal } from './html.js'
import { get, isTransient, Problem } from './api.js'
import { shopUID } from './router.js'

/** @type {Map<string, any>} */
const memory = new Map()
const maxMemory = 60

function store(/** @type {string} */ key, /** @type {any} */ data) {
  memory.delete(key)
  memory.set(key, data)
  for (const oldest of memory.keys()) {
    if (memory.size <= maxMemory) break
    memory.delete(oldest)
  }
}

/** What is being loaded before a view shows it. @type {Map<string, Promise<any>>} */
const early = new Map()

/** Loads what will probably be shown next. */
export function prefetch(/** @type {string} */ path, /** @type {any} */ query = {}) {
  const key = keyOf(path, query)
  if (memory.has(key) || early.has(key)) return
  const loading = get(path, query, { recover: false })
  early.set(key, loading)
  loading
    .then(
      (data) => store(key, data),
      () => {},
    )
    .finally(() => early.delete(key))
}

const keyOf = (/** @type {string} */ path, /** @type {any} */ query) =>
  shopUID.value + ' ' + path + ' ' + JSON.stringify(query)

/** When what could not be loaded is loaded again, in milliseconds. */
const retries = [2000, 4000, 8000, 15_000, 30_000]

/** Grows when something may have changed: views load again. */
export const generation = signal(0)

export const changed = () => {
  generation.value++
}

/** Clears all responses, such as those of another person. */
export const clearMemory = () => memory.clear()

/**
 * @typedef {{ key: string | null, data: any, problem: Problem | null, loading: boolean }} Loaded
 */

/**
 * Loads GET path?query while a view shows it. data is that of an earlier time until the response
 * comes.
 * @param {string | null} path null: nothing is loaded
 * @param {any} query
 * @returns {{ data: any, problem: Problem | null, loading: boolean, reload: () => void, set: (data:
 *   any) => void }}
 */
export function useGet(path, query = {}) {
  const key = path && keyOf(path, query)
  const state = useSignal(
    /** @type {Loaded} */ ({ key: '', data: undefined, problem: null, loading: false }),
  )
  const turn = useSignal(0)
  const latest = useRef(/** @type {string | null} */ (''))
  const failures = useRef(0)
  latest.current = key
  if (state.peek().key !== key)
    state.value = { key, data: key ? memory.get(key) : undefined, problem: null, loading: true }
  useEffect(() => {
    if (!path || !key) return
    const abort = new AbortController()
    const before = early.get(key) // what fails early is loaded again, with the dialogs for it
    const load = () => get(path, query, { signal: abort.signal })
    const loading = before ? before.catch(load) : load()
    loading.then(
      (data) => {
        store(key, data)
        failures.current = 0
        if (latest.current === key) state.value = { key, data, problem: null, loading: false }
      },
      (problem) => {
        if (abort.signal.aborted || latest.current !== key) return
        if (!(problem instanceof Problem)) throw problem
        state.value = { key, data: state.peek().data, problem, loading: false }
      },
    )
    return () => abort.abort()
  }, [key, turn.value, generation.value])
  const { data, problem, loading } = state.value
  useEffect(() => {
    if (!isTransient(problem)) return
    const retry = () => {
      turn.value++
    }
    const timer = setTimeout(retry, retries[Math.min(failures.current++, retries.length - 1)])
    addEventListener('online', retry)
    return () => {
      clearTimeout(timer)
      removeEventListener('online', retry)
    }
  }, [state.value])
  return {
    data,
    problem,
    loading,
    reload: () => {
      turn.value++
    },
    set: (next) => {
      if (key) store(key, next)
      state.value = { key, data: next, problem: null, loading: false }
    },
  }
}
