// The draft of the design: changes are saved by themselves, and stay on the device until the
// server has them. Changes of other people to other parts are joined with them.

import { signal, useEffect, useRef } from '../html.js'
import { isTransient, Problem, send } from '../api.js'
import { designDraftOf, loadJSON, save as store, saveJSON } from '../device.js'
import { shopUID } from '../router.js'
import { can } from '../session.js'
import { explain } from '../strings/problem.js'
import { differences, merge, same } from './site_parts.js'

/** @typedef {import('./site_parts.js').Document} Document */
/** @typedef {import('../api.js').Schemas['Design']} Design */
/** @typedef {{ base: Document, theirs: Document }} Disputed */

const saveAfter = 900 // milliseconds without a change
const retryAfter = 5000

function createEditor() {
  const stored = designDraftOf(shopUID.peek())
  const design = signal(/** @type {Design | null} */ (null)) // as the server has it
  const draft = signal(/** @type {Document | null} */ (null)) // as it is here
  const problem = signal(/** @type {Problem | null} */ (null)) // of loading
  const state = signal(/** @type {'saved' | 'saving' | 'failed'} */ ('saved'))
  const failure = signal('')
  const errors = signal(/** @type {Record<string, string>} */ ({}))
  const conflict = signal(/** @type {Disputed | null} */ (null))
  const comparing = signal(false) // the person chooses between both
  const saves = signal(0) // grows when the preview is out of date
  let etag = /** @type {string | null} */ (null)
  let timer = 0
  let sent = { text: '', key: '' }
  let running = /** @type {Promise<void> | null} */ (null)

  const isChanged = () => {
    const from = design.peek()
    const to = draft.peek()
    return from !== null && to !== null && !same(from.draft, to)
  }
  const accept = (/** @type {{ data: Design, etag: string | null }} */ response) => {
    design.value = response.data
    etag = response.etag
  }
  /** Stores on the device what the server does not have. */
  const note = () => {
    if (isChanged())
      saveJSON(stored, { at: Date.now(), base: design.peek()?.draft, draft: draft.peek() })
    else store(stored, null)
  }
  const schedule = (delay = saveAfter) => {
    clearTimeout(timer)
    timer = setTimeout(flush, delay)
  }
  /** Joins what was begun with base with the draft that the server has now. */
  function join(/** @type {Document} */ base) {
    const theirs = /** @type {Design} */ (design.peek()).draft
    const mine = /** @type {Document} */ (draft.peek())
    const own = differences(mine, base)
    const others = differences(theirs, base)
    if (own.some((part) => others.includes(part) && differences(mine, theirs).includes(part)))
      conflict.value = { base, theirs }
    if (conflict.peek()) comparing.value = true
    else {
      draft.value = merge(theirs, mine, own)
      if (isChanged()) schedule(0)
    }
  }
  async function load() {
    try {
      accept(await send('GET', 'design'))
      problem.value = null
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problem.value = error
      return
    }
    const before = can('site.write') && loadJSON(stored, null)
    draft.value = /** @type {Design} */ (design.peek()).draft
    if (before?.draft?.templates && before.base?.templates) {
      draft.value = before.draft
      join(before.base)
    }
  }
  async function save() {
    const mine = /** @type {Document} */ (draft.peek())
    const base = /** @type {Design} */ (design.peek()).draft
    const text = JSON.stringify(mine)
    if (sent.text !== text) sent = { text, key: crypto.randomUUID() }
    state.value = 'saving'
    try {
      accept(await send('PUT', 'design', { body: mine, ifMatch: etag, key: sent.key }))
      errors.value = {}
      state.value = 'saved'
      saves.value++
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.code === 'changed_meanwhile') {
        try {
          accept(await send('GET', 'design'))
          state.value = 'saved'
          saves.value++
          join(base)
          return
        } catch (again) {
          if (!(again instanceof Problem)) throw again
          return fail(again)
        }
      }
      fail(error)
    }
  }
  function fail(/** @type {Problem} */ error) {
    state.value = 'failed'
    errors.value = Object.fromEntries(error.errors.map((one) => [one.field, explain(one)]))
    failure.value = explain(error.errors[0] ?? error)
    if (isTransient(error) || error.status === 429) schedule(retryAfter)
  }
  /** Saves what is changed. It resolves once nothing is being saved. */
  async function flush() {
    clearTimeout(timer)
    await running
    if (!isChanged() || conflict.peek()) {
      if (!isChanged()) state.value = 'saved'
      note()
      return
    }
    const before = draft.peek()
    running = save().finally(() => {
      running = null
      note()
    })
    await running
    if (draft.peek() !== before && isChanged() && state.peek() !== 'failed') schedule()
  }
  return {
    design,
    draft,
    problem,
    state,
    failure,
    errors,
    conflict,
    comparing,
    saves,
    load,
    flush,
    change: (/** @type {Document} */ next) => {
      draft.value = next
      note()
      schedule()
    },
    /** Ends a conflict with the document to save. */
    resolve: (/** @type {Document} */ chosen) => {
      conflict.value = null
      comparing.value = false
      draft.value = chosen
      note()
      schedule(0)
    },
    /** Sends a change of the published design. */
    act: async (/** @type {string} */ path) => {
      const answer = await send('POST', path, { ifMatch: etag, key: crypto.randomUUID() })
      const isOwn = isChanged() // also by what was typed meanwhile
      accept(answer)
      if (!isOwn) draft.value = /** @type {Design} */ (design.peek()).draft
      saves.value++
    },
  }
}

/** @typedef {ReturnType<typeof createEditor>} Editor */

/** @returns {Editor} the editor of the design while a view shows it */
export function useDesign() {
  const editor = useRef(/** @type {Editor | null} */ (null))
  editor.current ??= createEditor()
  useEffect(() => {
    const { load, flush } = /** @type {Editor} */ (editor.current)
    load()
    addEventListener('online', flush)
    return () => {
      removeEventListener('online', flush)
      flush()
    }
  }, [])
  return editor.current
}
