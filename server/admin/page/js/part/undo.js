// Undoing a change of orders for some seconds. What the change would send waits at the server until
// they are over.

import { signal } from '../html.js'
import { act, Problem } from '../api.js'
import { refreshCounts } from '../live.js'
import { changed } from '../resource.js'
import { t } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { showToast } from './toast.js'

/** How long a change is offered to be undone, in milliseconds: less than the server allows. */
const undoTime = 8000

/** The most orders whose changes can be undone together. */
const mostUndone = 200

/**
 * Sends a change of an order that can be undone. It returns what shows a message about it with its
 * Undo. restored is called once the change is undone.
 */
export async function actUndoable(
  /** @type {string} */ path,
  /** @type {any} */ body,
  /** @type {any} */ options,
  /** @type {() => void} */ restored = () => {},
) {
  const name = options?.key ?? crypto.randomUUID() // the same when the change is sent again
  await act(path, body, { ...options, query: { undo: name } })
  return (/** @type {string} */ text) =>
    showToast(text, {
      lasts: undoTime,
      action: {
        text: t('undo'),
        keys: ['z', 'Ctrl Z'],
        run: () => undo(name, restored),
      },
    })
}

/** Undoes the changes of a name. */
async function undo(/** @type {string} */ name, /** @type {() => void} */ restored) {
  try {
    const { kept } = await act('undo', { undo: name }, { label: t('undo') })
    restored()
    showToast(kept.length > 0 ? t('undoneSome', { count: kept.length }) : t('undone'))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    showToast(explain(error), { bad: true })
  }
  changed()
  refreshCounts()
}

/** The job whose changes can be undone now. */
export const undoableJob = signal(/** @type {{ id: string, name: string } | null} */ (null))

/** Returns the name by which an action on many orders can be undone, '' if it cannot. */
export const nameOfMany = (/** @type {string} */ action, /** @type {number} */ total) =>
  /^(confirm|cancel|tag|untag|note)$/.test(action) && total <= mostUndone ? crypto.randomUUID() : ''

/** Offers to undo a job that has ended. */
export function offerUndo(/** @type {string} */ id, /** @type {string} */ name) {
  undoableJob.value = { id, name }
  setTimeout(() => {
    if (undoableJob.value?.name === name) undoableJob.value = null
  }, undoTime)
}

/** Undoes the job that is offered. */
export async function undoJob() {
  const name = undoableJob.value?.name ?? ''
  undoableJob.value = null
  await undo(name, () => {})
}
