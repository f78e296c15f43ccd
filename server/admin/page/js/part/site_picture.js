// The picture of a section: uploaded, described, with the point that stays visible where it is cut.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { get, Problem } from '../api.js'
import { explain } from '../strings/problem.js'
import { t as product } from '../strings/product.js'
import { t } from '../strings/section.js'
import { icon } from './icon.js'
import { small } from './picture.js'
import { BothTexts, withValue } from './site_texts.js'
import { upload } from './upload.js'

/** @typedef {import('./site_texts.js').Place} Place */
/**
 * @typedef {{ mediaId: string, alt?: any, focus?: { x: number, y: number } }} Shown as in a design
 */

/** The addresses of images that were loaded or uploaded. @type {Map<string, string>} */
const addresses = new Map()

const least = 640 // pixels of the picture that is shown

/** @param {string | undefined} id @returns {string} its address, '' before it is loaded */
function useAddress(id) {
  const turn = useSignal(0)
  useEffect(() => {
    if (!id || addresses.has(id)) return
    get('media/' + encodeURIComponent(id)).then(
      (media) => {
        addresses.set(id, small(media, least) ?? media.url)
        turn.value++
      },
      () => {}, // its place stays empty
    )
  }, [id])
  return turn.value >= 0 && id ? (addresses.get(id) ?? '') : ''
}

const within = (/** @type {number} */ n) => Math.max(0, Math.min(100, Math.round(n)))

/** @param {Place & { label: string, value?: Shown, change: (to?: Shown) => void }} props */
export function Picture({ label, value, change, path, languages, errors }) {
  const part = useSignal(/** @type {number | null} */ (null))
  const problem = useSignal('')
  const abort = useRef(/** @type {AbortController | null} */ (null))
  const latest = useRef({ value, change })
  latest.current = { value, change }
  const url = useAddress(value?.mediaId)
  useEffect(() => () => abort.current?.abort(), [])
  async function choose(/** @type {FieldEvent} */ event) {
    const file = event.target.files?.[0]
    event.target.value = ''
    if (!file) return
    const own = (abort.current = new AbortController())
    problem.value = ''
    part.value = 0
    try {
      const media = await upload(
        file,
        (sent) => {
          part.value = sent
        },
        own.signal,
      )
      addresses.set(media._id, small(media, least) ?? media.url)
      const { alt } = latest.current.value ?? {}
      latest.current.change({ mediaId: media._id, ...(alt && { alt }) })
    } catch (failed) {
      if (own.signal.aborted) return
      if (!(failed instanceof Problem)) throw failed
      problem.value =
        failed.code === 'photo_unreadable' ? product('photoUnreadable') : explain(failed)
    }
    part.value = null
  }
  const { x, y } = value?.focus ?? { x: 50, y: 50 }
  const setFocus = (/** @type {number} */ x, /** @type {number} */ y) =>
    value && change({ ...value, focus: { x: within(x), y: within(y) } })
  const fault = problem.value || errors[path] || errors[path + '.mediaId']
  return html`
    <div class="field picture-field" role="group" aria-label=${label}>
      <span class="label" aria-hidden="true">${label}</span>
      ${url && html`
        <button
          type="button"
          class="focus-point"
          aria-label=${t('focus', { x, y })}
          onClick=${(/** @type {MouseEvent} */ event) => {
            if (event.detail === 0) return // by a key
            const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect()
            setFocus(
              ((event.clientX - box.left) / box.width) * 100,
              ((event.clientY - box.top) / box.height) * 100,
            )
          }}
          onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
            const step = {
              ArrowLeft: [-5, 0],
              ArrowRight: [5, 0],
              ArrowUp: [0, -5],
              ArrowDown: [0, 5],
            }[event.key]
            if (!step) return
            event.preventDefault()
            setFocus(x + step[0], y + step[1])
          }}
        >
          <img src=${url} alt="" />
          <span class="point" style=${{ left: x + '%', top: y + '%' }}></span>
        </button>
        <p class="hint">${t('focusHint')}</p>
      `}
      ${part.value !== null && html`
        <progress
          class="job-bar"
          max="1"
          value=${part.value}
          aria-label=${t('uploading')}
        ></progress>
      `}
      <div class="row wraps">
        <label class="button file">
          <input
            type="file"
            class="visually-hidden"
            accept="image/*"
            data-picture=${path}
            disabled=${part.value !== null}
            onChange=${choose}
          />
          ${icon('image-plus')}
          ${t(value ? 'changePicture' : 'addPicture')}
        </label>
        ${value && html`
          <button type="button" class="button" onClick=${() => change(undefined)}>
            ${t('removePicture')}
          </button>
        `}
      </div>
      ${fault && html`
        <p class="error" role="alert">
          ${icon('circle-alert', 'mini')}
          <span>${fault}</span>
        </p>
      `}
      ${value && html`
        <${BothTexts}
          label=${t('field_alt')}
          max=${160}
          value=${value.alt}
          path=${path + '.alt'}
          languages=${languages}
          errors=${errors}
          change=${(/** @type {any} */ alt) =>
            change(/** @type {Shown} */ (withValue(value, 'alt', alt)))}
        />
      `}
    </div>
  `
}
