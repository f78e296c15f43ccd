// The picture of a section: uploaded, described, with the point that stays visible where it is cut.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { get } from '../api.js'
import { t } from '../strings/section.js'
import { small } from './picture.js'
import { PictureChoice } from './picture_choice.js'
import { BothTexts, withValue } from './site_texts.js'

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
  const latest = useRef({ value, change })
  latest.current = { value, change }
  const url = useAddress(value?.mediaId)
  const { x, y } = value?.focus ?? { x: 50, y: 50 }
  const setFocus = (/** @type {number} */ x, /** @type {number} */ y) =>
    value && change({ ...value, focus: { x: within(x), y: within(y) } })
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
      <${PictureChoice}
        text=${t(value ? 'changePicture' : 'addPicture')}
        removeText=${t('removePicture')}
        uploading=${t('uploading')}
        error=${errors[path] || errors[path + '.mediaId']}
        input=${{ 'data-picture': path }}
        removed=${value ? () => change(undefined) : null}
        chosen=${(/** @type {import('./upload.js').Media} */ media) => {
          addresses.set(media._id, small(media, least) ?? media.url)
          const { alt } = latest.current.value ?? {}
          latest.current.change({ mediaId: media._id, ...(alt && { alt }) })
        }}
      />
      ${value && html`
        <${BothTexts}
          label=${t('field_alt')}
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
