// Work on many orders at once: a job of the server, which continues when the page is closed. The
// device stores which jobs' results were not seen, so that they are shown again.

import { effect, signal } from '../html.js'
import { act, get, Problem } from '../api.js'
import { loadJSON, saveJSON } from '../device.js'
import { refreshCounts } from '../live.js'
import { changed } from '../resource.js'
import { shopUID } from '../router.js'
import { session } from '../session.js'
import { explain } from '../strings/problem.js'
import { t } from '../strings/job.js'
import { showToast } from './toast.js'
import { nameOfMany, offerUndo } from './undo.js'

/** @typedef {import('../api.js').Schemas['Job']} Job */
/** @typedef {{ ids: string[] } | { filter: any }} Selection */

/**
 * The jobs whose results were not seen, the newest first. lost: its progress is not known now.
 * @typedef {{ job: Job, lost?: boolean }} Watched
 */
export const watched = signal(/** @type {Watched[]} */ ([]))

/** The ID of the job that is shown, '' while it is being requested; null: none. */
export const shown = signal(/** @type {string | null} */ (null))

const stored = () => 'jobs-' + shopUID.peek()
const idOf = (/** @type {Job} */ job) => job._id ?? ''
const interval = 700 // milliseconds

/** What is done with many products. The other actions are about orders. */
export const productActions = [
  'publish',
  'draft',
  'archive',
  'price',
  'addTags',
  'removeTags',
  'addToCollection',
  'removeFromCollection',
  'importImages',
  'delete',
]

/** What a job does, for people. */
export const titleOf = (/** @type {Job} */ { kind, total }) =>
  t.dynamic(titles.includes(kind) ? 'title_' + kind : 'title_other', { count: total })
const titles = [
  'confirm',
  'cancel',
  'book',
  'track',
  'deliver',
  'return',
  'tag',
  'untag',
  'note',
  'markPrinted',
  ...productActions,
]

function set(/** @type {Watched[]} */ next) {
  watched.value = next
  saveJSON(stored(), next.map(({ job }) => idOf(job)).filter(Boolean))
}

/** Takes the place of a job, or adds it. */
function put(/** @type {string} */ id, /** @type {Watched} */ entry) {
  const isWatched = watched.value.some(({ job }) => idOf(job) === id)
  set(
    isWatched
      ? watched.value.map((old) => (idOf(old.job) === id ? entry : old))
      : [entry, ...watched.value],
  )
}

/** Ends to show a job. Its results were seen if it has ended. */
export function hide() {
  const id = shown.value
  shown.value = null
  set(watched.value.filter(({ job }) => idOf(job) !== id || job.finishedAt === null))
}

/** Requests a job, shows it and follows it until its end. Returns whether it was created. */
async function begin(
  /** @type {string} */ path,
  /** @type {any} */ body,
  /** @type {Job['kind']} */ kind,
  /** @type {number} */ total,
) {
  const by = { kind: /** @type {const} */ ('staff'), _id: '', name: '' }
  put('', {
    job: {
      _id: null,
      kind,
      by,
      status: 'queued',
      total,
      done: 0,
      failed: 0,
      createdAt: '',
      finishedAt: null,
      results: [],
    },
  })
  shown.value = ''
  try {
    const undo = path === 'bulk/orders' ? nameOfMany(kind, total) : ''
    /** @type {Job} */
    const job = await act(path, body, {
      label: titleOf(watched.value[0].job),
      query: { undo: undo || undefined },
    })
    put('', { job })
    if (shown.value === '') shown.value = idOf(job)
    follow(job).then((isOver) => {
      if (isOver && undo) offerUndo(idOf(job), undo)
    })
    return true
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    set(watched.value.filter(({ job }) => job._id !== null))
    if (shown.value === '') shown.value = null
    showToast(explain(error), { bad: true })
    return false
  }
}

/**
 * Starts an action on orders or products. total is their number, for the progress until the server
 * knows it.
 */
export const start = (
  /** @type {string} */ action,
  /** @type {Selection} */ selection,
  /** @type {number} */ total,
  /** @type {any} */ options = {},
) =>
  begin(
    productActions.includes(action) ? 'bulk/products' : 'bulk/orders',
    { action, ...selection, options },
    /** @type {Job['kind']} */ (action),
    total,
  )

/** Starts the failed items of a job again, as a new job. */
export async function retry(/** @type {Job} */ job) {
  hide()
  await begin(`jobs/${job._id}/retry`, {}, job.kind, job.failed)
}

/** Cancels a job: what has not begun is left as it is. */
export async function stop(/** @type {Job} */ job) {
  try {
    put(idOf(job), { job: await act(`jobs/${job._id}/cancel`) })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    showToast(explain(error), { bad: true })
  }
}

/** Loads a job's progress until nobody watches it, or its end. Returns whether it has ended. */
async function follow(/** @type {Job} */ job) {
  const id = idOf(job),
    uid = shopUID.peek()
  while (job.finishedAt === null) {
    await new Promise((resolve) => setTimeout(resolve, interval))
    if (uid !== shopUID.peek() || !watched.peek().some((entry) => idOf(entry.job) === id))
      return false
    try {
      job = await get('jobs/' + id, {}, { recover: false })
      put(id, { job })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.status === 401 || error.status === 404) return false
      put(id, { job, lost: true })
    }
  }
  changed()
  refreshCounts()
  return true
}

/** Shows the jobs of an earlier visit again. */
async function resume(/** @type {string} */ uid) {
  watched.value = []
  shown.value = null
  for (const id of loadJSON(stored(), [])) {
    try {
      const job = await get('jobs/' + id, {}, { recover: false })
      if (uid !== shopUID.peek()) return
      put(id, { job })
      if (job.finishedAt === null) follow(job)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
    }
  }
}

let of = ''
effect(() => {
  const uid = session.value?.shop.uid ?? ''
  if (uid === of) return
  of = uid
  if (uid) queueMicrotask(() => resume(uid))
})
