// The job of an operator on a shop, until it ends.

import { html, useEffect, useSignal } from '../html.js'
import { get, Problem } from '../api.js'
import { changed } from '../resource.js'
import { open, to } from '../router.js'
import { t } from '../strings/console_work.js'
import { explain, reason } from '../strings/problem.js'
import { Dialog } from './dialog.js'

/** @typedef {import('../api.js').Schemas['Job']} Job */

const pause = 1000

/**
 * Shows the work on a shop until it ends, also if it is already under way.
 * @param {{ job: Job, title: string, done: string, warning?: string, close: () => void,
 *   next?: any }} props
 */
export function Work({ job, title, done, warning, close, next }) {
  const state = useSignal(job)
  const failed = useSignal('')
  useEffect(() => {
    let timer = 0
    const abort = new AbortController()
    const look = async () => {
      try {
        state.value = await get('jobs/' + job._id, {}, { signal: abort.signal })
        failed.value = ''
      } catch (error) {
        if (abort.signal.aborted) return
        if (!(error instanceof Problem)) throw error
        failed.value = explain(error)
      }
      if (state.value.finishedAt) changed()
      else timer = window.setTimeout(look, pause)
    }
    if (job.finishedAt) changed()
    else timer = window.setTimeout(look, pause)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [])
  const [result] = state.value.results
  const isOver = state.value.finishedAt !== null
  const isBad = isOver && !result.ok
  return html`
    <${Dialog}
      title=${isBad ? t('failed') : isOver ? done : title}
      text=${isOver ? '' : t('workText')}
      close=${close}
      id="shop-work"
      free
    >
      <div role="status" data-done=${isOver && !isBad}>
        ${!isOver && html`<progress class="grow" aria-label=${title}></progress>`}
        ${isBad && html`<p class="error">${reason(result)}</p>`}
        ${result.warning && html`<p>${warning ?? t('there')}</p>`}
        ${failed.value && html`<p class="error">${failed.value}</p>`}
      </div>
      ${isOver && !isBad && next}
      <button class="button big" id="work-close" onClick=${close}>${t('close')}</button>
    <//>
  `
}

/** @param {{ uid: string, close: () => void }} props */
export const OpenCopy = ({ uid, close }) => html`
  <button
    class="button primary big"
    id="open-copy"
    onClick=${() => {
      close()
      open(to('shop', uid))
    }}
  >
    ${t('openCopy')}
  </button>
`
