// Photos on their way to the shop: each is made small enough in the browser, and sent with its
// progress. One at a time: the server decodes no more at once, and on a slow line the first is
// there sooner.

import { act, Problem } from '../api.js'

/** @typedef {import('../api.js').Schemas['Media']} Media */

const side = 2048 // pixels: the largest that the server stores
const smallEnough = 600_000 // bytes

/**
 * What is sent instead of fetch: it reports how much of the body has left.
 * @returns {typeof fetch}
 */
const withProgress = (/** @type {(part: number) => void} */ onProgress) => (url, init) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(init?.method ?? 'POST', String(url))
    for (const [name, value] of Object.entries(init?.headers ?? {}))
      request.setRequestHeader(name, value)
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total)
    }
    request.onload = () => {
      const headers = new Headers()
      for (const name of ['Retry-After', 'ETag']) {
        const value = request.getResponseHeader(name)
        if (value) headers.set(name, value)
      }
      resolve(new Response(request.responseText, { status: request.status, headers }))
    }
    request.onerror = () => reject(new TypeError('the upload failed'))
    request.onabort = () => reject(new DOMException('aborted', 'AbortError'))
    init?.signal?.addEventListener('abort', () => request.abort())
    request.send(/** @type {Blob} */ (init?.body))
  })

/**
 * Returns a photo as it is sent: turned upright, at most 2048 pixels a side. The server strips the
 * rest.
 * @returns {Promise<Blob>}
 */
async function shrink(/** @type {File} */ file) {
  const accepted = /^image\/(jpeg|png|webp|gif)$/.test(file.type)
  let bitmap
  try {
    bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' })
  } catch {
    if (accepted) return file // the server reports what is wrong with it
    throw new Problem(415, { code: 'photo_unreadable' })
  }
  const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height))
  if (accepted && scale === 1 && file.size <= smallEnough) {
    bitmap.close()
    return file
  }
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(bitmap.width * scale)
  canvas.height = Math.round(bitmap.height * scale)
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))
  // a drawing may be transparent
  const type = file.type === 'image/png' ? 'image/png' : 'image/jpeg'
  if (type === 'image/jpeg') {
    context.fillStyle = '#fff'
    context.fillRect(0, 0, canvas.width, canvas.height)
  }
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ done) =>
    canvas.toBlob(done, type, 0.85),
  )
  canvas.width = canvas.height = 0 // returns its memory now
  return blob && (!accepted || scale < 1 || blob.size < file.size) ? blob : file
}

/** @type {Promise<any>} the upload before */
let last = Promise.resolve()

/** Uploads a photo after those that were begun before. @returns {Promise<Media>} */
export function upload(
  /** @type {File} */ file,
  /** @type {(part: number) => void} */ onProgress,
  /** @type {AbortSignal} */ signal,
) {
  const run = async () => {
    if (signal.aborted) throw new Problem(0, { code: 'stopped' })
    const blob = await shrink(file)
    return act('media', blob, {
      type: blob.type,
      transport: withProgress(onProgress),
      label: null,
      signal,
    })
  }
  const now = last.then(run, run)
  last = now.catch(() => {})
  return now
}
