// Choosing a picture of this device: it is uploaded, with its progress, and can be removed.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { Problem } from '../api.js'
import { explain } from '../strings/problem.js'
import { t as product } from '../strings/product.js'
import { fault } from './form.js'
import { icon } from './icon.js'
import { upload } from './upload.js'

/**
 * chosen is called with the uploaded picture; removed is called to remove it, null if there is
 * none. input are further attributes of the field.
 * @param {{ text: string, removeText: string, uploading: string, error?: string, chosen: (media:
 *   import('./upload.js').Media) => void, removed: (() => void) | null, input: Record<string, any>
 *   }} props
 */
export function PictureChoice({ text, removeText, uploading, error, chosen, removed, input }) {
  const part = useSignal(/** @type {number | null} */ (null))
  const problem = useSignal('')
  const abort = useRef(/** @type {AbortController | null} */ (null))
  const latest = useRef(chosen)
  latest.current = chosen
  useEffect(() => () => abort.current?.abort(), [])
  async function choose(/** @type {FieldEvent} */ event) {
    const file = event.target.files?.[0]
    event.target.value = ''
    if (!file) return
    const own = (abort.current = new AbortController())
    const onProgress = (/** @type {number} */ sent) => {
      part.value = sent
    }
    problem.value = ''
    part.value = 0
    try {
      latest.current(await upload(file, onProgress, own.signal))
    } catch (failed) {
      if (own.signal.aborted) return
      if (!(failed instanceof Problem)) throw failed
      problem.value =
        failed.code === 'photo_unreadable' ? product('photoUnreadable') : explain(failed)
    }
    part.value = null
  }
  return html`
    ${part.value !== null && html`
      <progress class="job-bar" max="1" value=${part.value} aria-label=${uploading}></progress>
    `}
    <div class="row wraps">
      <label class="button file">
        <input
          ...${input}
          type="file"
          class="visually-hidden"
          accept="image/*"
          disabled=${part.value !== null}
          onChange=${choose}
        />
        ${icon('image-plus')}
        ${text}
      </label>
      ${removed && html`
        <button type="button" class="button" data-remove onClick=${removed}>${removeText}</button>
      `}
    </div>
    ${fault(problem.value || error)}
  `
}
