// The photos of a product: taken or chosen, sent one after the other, and put in order.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { Problem } from '../api.js'
import { explain } from '../strings/problem.js'
import { t } from '../strings/product.js'
import { moved } from './arrange.js'
import { Dialog } from './dialog.js'
import { Field } from './form.js'
import { icon } from './icon.js'
import { small } from './picture.js'
import { useTileDrag } from './tile_drag.js'
import { upload } from './upload.js'

/** @typedef {import('./product_draft.js').Photo} Photo */
/** @typedef {{ part: number, problem?: string }} Sending part: how much has left, from 0 to 1 */

/**
 * The photos that are on their way. change replaces the photos of the form by what a function
 * returns.
 * @param {(to: (photos: Photo[]) => Photo[]) => void} change
 */
export function useUploads(change) {
  const sending = useSignal(/** @type {Record<string, Sending>} */ ({}))
  const files = useRef(
    /** @type {Map<string, { file: File, abort: AbortController }>} */ (new Map()),
  )
  const running = useRef(/** @type {Set<Promise<void>>} */ (new Set()))
  useEffect(
    () => () => {
      for (const { abort } of files.current.values()) abort.abort()
    },
    [],
  )
  const discard = (/** @type {string} */ key) => {
    files.current.delete(key)
    const { [key]: _, ...rest } = sending.value
    sending.value = rest
  }
  const begin = (/** @type {string} */ key, /** @type {File} */ file) => {
    const abort = new AbortController()
    files.current.set(key, { file, abort })
    sending.value = { ...sending.value, [key]: { part: 0 } }
    const run = upload(
      file,
      (part) => {
        if (sending.value[key]) sending.value = { ...sending.value, [key]: { part } }
      },
      abort.signal,
    )
      .then(
        (media) => {
          discard(key)
          change((photos) =>
            photos.map((photo) =>
              photo.key === key
                ? { ...photo, mediaId: media._id, url: small(media, 320) ?? media.url }
                : photo,
            ),
          )
        },
        (error) => {
          if (abort.signal.aborted) return
          const problem = !(error instanceof Problem)
            ? String(error)
            : error.code === 'photo_unreadable'
              ? t('photoUnreadable')
              : explain(error)
          sending.value = { ...sending.value, [key]: { part: 0, problem } }
        },
      )
      .finally(() => {
        running.current.delete(run)
      })
    running.current.add(run)
  }
  return {
    sending,
    add: (/** @type {File[]} */ chosen) => {
      const photos = chosen.map((file) => ({
        key: crypto.randomUUID(),
        url: URL.createObjectURL(file),
        alt: '',
        file,
      }))
      change((before) => [...before, ...photos.map(({ file, ...photo }) => photo)])
      for (const { key, file } of photos) begin(key, file)
    },
    retry: (/** @type {string} */ key) => {
      const pending = files.current.get(key)
      if (pending) begin(key, pending.file)
    },
    remove: (/** @type {string} */ key) => {
      files.current.get(key)?.abort.abort()
      discard(key)
      change((photos) => photos.filter((photo) => photo.key !== key))
    },
    /** Waits until nothing is on its way. Returns whether all photos have arrived. */
    end: async () => {
      while (running.current.size > 0) await Promise.all(running.current)
      return Object.keys(sending.value).length === 0
    },
    isBusy: () => Object.values(sending.value).some((entry) => !entry.problem),
  }
}

/** @typedef {ReturnType<typeof useUploads>} Uploads */

/**
 * Files that are dropped anywhere on the page: a browser would open the photo instead of the form.
 * over is true while they are above it.
 * @param {((files: FileList | undefined) => void) | undefined} add
 * @param {{ value: boolean }} over
 */
function useFileDrop(add, over) {
  const latest = useRef(add)
  latest.current = add
  useEffect(() => {
    const ends = new AbortController()
    const on = (/** @type {string} */ type, /** @type {(event: any) => void} */ handle) =>
      addEventListener(type, handle, { signal: ends.signal })
    const accepts = (/** @type {DragEvent} */ event) => {
      if (!event.dataTransfer?.types.includes('Files')) return false
      event.preventDefault() // otherwise the browser opens the files in place of the page
      return Boolean(latest.current)
    }
    on('dragover', (event) => {
      if (accepts(event)) over.value = true
    })
    on('dragleave', (event) => {
      if (!event.relatedTarget) over.value = false
    }) // out of the window
    on('drop', (event) => {
      over.value = false
      if (accepts(event)) latest.current?.(event.dataTransfer.files)
    })
    return () => ends.abort()
  }, [])
}

/**
 * @param {{ photos: Photo[], change: (to: (photos: Photo[]) => Photo[]) => void, uploads: Uploads,
 *   error?: string, disabled: boolean, added?: () => void, label?: string, single?: boolean }}
 *   props added: photos were chosen; single: there is one at most
 */
export function Photos({
  photos,
  change,
  uploads,
  error,
  disabled,
  added,
  label = t('addPhotos'),
  single: isSingle = false,
}) {
  const opened = useSignal('')
  const list = useRef(/** @type {HTMLElement | null} */ (null))
  const said = useSignal('')
  const over = useSignal(false)
  const add = (/** @type {FileList | null | undefined} */ files) => {
    const images = [...(files ?? [])].filter(
      (file) => file.type.startsWith('image/') || file.type === '',
    )
    if (images.length === 0) return
    uploads.add(isSingle ? images.slice(0, 1 - photos.length) : images)
    added?.()
  }
  const move = (/** @type {number} */ from, /** @type {number} */ to) => {
    change((all) => moved(all, from, to))
    said.value = t('photoAt', { n: to + 1, all: photos.length })
  }
  const { dragged, begin } = useTileDrag(move)
  const go = (/** @type {KeyboardEvent} */ event, /** @type {number} */ i) => {
    const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: photos.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    if (to < 0 || to >= photos.length || to === i) return
    move(i, to)
    // it is at another place
    setTimeout(() => list.current?.children[to]?.querySelector('button')?.focus())
  }
  const at = photos.findIndex((photo) => photo.key === opened.value)
  useFileDrop(disabled ? undefined : add, over)
  return html`
    <section aria-label=${t('photos')}>
      <ul class=${over.value ? 'photos over-it' : 'photos'} ref=${list}>
        ${photos.map((photo, i) => {
          const state = uploads.sending.value[photo.key]
          return html`
            <li key=${photo.key} class=${dragged.value === i ? 'dragged' : ''}>
              <button
                type="button"
                class=${state?.problem ? 'photo bad' : 'photo'}
                disabled=${disabled}
                aria-haspopup="dialog"
                aria-keyshortcuts=${photos.length > 1 ? 'ArrowLeft ArrowRight' : undefined}
                aria-label=${state
                  ? state.problem
                    ? `${t('photoOf', { n: i + 1 })}: ${t('notSent')}`
                    : t('uploading', { n: i + 1 })
                  : (i === 0 && !isSingle ? t('cover') + '. ' : '') + t('photoMenu', { n: i + 1 })}
                onClick=${() => {
                  opened.value = photo.key
                }}
                onKeyDown=${(/** @type {KeyboardEvent} */ event) => go(event, i)}
                onPointerDown=${(/** @type {PointerEvent} */ event) =>
                  begin(event, i, photos.length)}
              >
                <img src=${photo.url} alt="" draggable=${false} />
                ${i === 0 && !isSingle && !state && html`
                  <span class="on-photo">${t('cover')}</span>
                `}
                ${state &&
                  (state.problem
                    ? html`
                        <span class="on-photo bad">
                          ${icon('circle-alert', 'mini')}
                          ${t('notSent')}
                        </span>
                      `
                    : html`
                        <progress
                          class="job-bar"
                          max="1"
                          value=${state.part}
                          aria-label=${t('uploading', { n: i + 1 })}
                        ></progress>
                      `)}
              </button>
            </li>
          `
        })}
        ${!disabled && !(isSingle && photos.length > 0) && html`
          <li>
            <label class="photo add">
              ${icon('camera', 'large')}
              <span>${label}</span>
              <input
                class="visually-hidden"
                id="photos"
                type="file"
                accept="image/*"
                multiple=${!isSingle}
                onChange=${(/** @type {FieldEvent} */ event) => {
                  add(event.target.files)
                  event.target.value = '' // the same file can be chosen again
                }}
              />
            </label>
          </li>
        `}
      </ul>
      ${photos.length > 1 && !disabled && html`<p class="small quiet">${t('photoOrder')}</p>`}
      <p class="visually-hidden" role="status">${said.value}</p>
      ${error && html`
        <p class="error" role="alert">
          ${icon('circle-alert', 'mini')}
          <span>${error}</span>
        </p>
      `}
      ${at >= 0 && html`
        <${PhotoDialog}
          photo=${photos[at]}
          i=${at}
          count=${photos.length}
          uploads=${uploads}
          close=${() => {
            opened.value = ''
          }}
          move=${(/** @type {number} */ to) => move(at, to)}
          setAlt=${(/** @type {string} */ alt) =>
            change((all) => all.map((photo, i) => (i === at ? { ...photo, alt } : photo)))}
        />
      `}
    </section>
  `
}

/**
 * @param {{ photo: Photo, i: number, count: number, uploads: Uploads, close: () => void, move: (to:
 *   number) => void, setAlt: (alt: string) => void }} props
 */
function PhotoDialog({ photo, i, count, uploads, close, move, setAlt }) {
  const state = uploads.sending.value[photo.key]
  /** @type {[string, string, string, () => void, boolean?][]} */
  const options = [
    ['cover', 'image-plus', t('makeCover'), () => move(0), i > 0],
    ['earlier', 'arrow-left', t('earlier'), () => move(i - 1), i > 0],
    ['later', 'arrow-right', t('later'), () => move(i + 1), i < count - 1],
  ]
  return html`
    <${Dialog} title=${t('photoOf', { n: i + 1 })} close=${close} id="photo" free>
      <img class="photo-seen" src=${photo.url} alt=${photo.alt} />
      ${state?.problem && html`
        <p class="banner bad rounded" role="alert">
          ${icon('circle-alert')}
          <span>${state.problem}</span>
        </p>
        <button
          class="button primary big"
          id="send-again"
          onClick=${() => {
            close()
            uploads.retry(photo.key)
          }}
        >
          ${icon('rotate-cw')}
          ${t('again')}
        </button>
      `}
      <${Field}
        name="alt"
        label=${t('alt')}
        hint=${t('altHint')}
        errors=${{}}
        value=${photo.alt}
        maxlength="255"
        autocomplete="off"
        onInput=${(/** @type {FieldEvent} */ event) => setAlt(event.target.value)}
      />
      <ul class="options">
        ${options
          .filter(([, , , , fits]) => fits)
          .map(([id, name, text, run]) => html`
            <li>
              <button
                class="option"
                data-action=${id}
                onClick=${() => {
                  close()
                  run()
                }}
              >
                ${icon(name)}
                <span class="grow">${text}</span>
              </button>
            </li>
          `)}
        <li>
          <button
            class="option tone-bad"
            data-action="remove"
            onClick=${() => {
              close()
              uploads.remove(photo.key)
            }}
          >
            ${icon('trash')}
            <span class="grow">${t('removePhoto')}</span>
          </button>
        </li>
      </ul>
    <//>
  `
}
