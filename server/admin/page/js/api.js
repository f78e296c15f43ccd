// The client of the Admin API. HTTP is used here only, and by what part/upload.js sends instead of
// fetch.
//
// A change is sent with an idempotency key and repeated with the same one while the network fails,
// so that it happens once or not at all. Nothing is queued beyond the open page.

import { signal } from './html.js'
import { ofTab, setOfTab } from './device.js'
import { shopUID } from './router.js'
import { loadRefusals } from './strings/problem.js'

/**
 * @typedef {import('../../../../clients/typescript/src/admin-schema').components['schemas']}
 *   Schemas
 */
/** @typedef {{ field: string, code: string, message: string }} FieldError */

/** A request that failed. Decide by its code; the message is in English. */
export class Problem extends Error {
  /**
   * @param {number} status 0: no response arrived
   * @param {any} body
   */
  constructor(status, body, retryAfter = 0) {
    super(body.detail || body.title || 'The request failed.')
    this.status = status
    /** @type {string} */
    this.code = body.code || (status === 0 ? 'network' : 'internal')
    /** @type {FieldError[]} */
    this.errors = body.errors || []
    /** @type {Record<string, any>} */
    this.details = body.details || {}
    /** @type {string | undefined} */
    this.requestId = body.requestId
    this.retryAfter = retryAfter // seconds
  }
}

/**
 * Since when no response has arrived, null while they do. A page that is loaded again meanwhile
 * continues to count.
 */
export const offlineSince = signal(/** @type {number | null} */ (null))

function setOffline(/** @type {boolean} */ isOffline) {
  offlineSince.value = isOffline
    ? (offlineSince.value ?? (Number(ofTab('offline')) || Date.now()))
    : null
  setOfTab('offline', offlineSince.value)
}

// A device that knows that it is offline need not wait for a request to fail. Whether it is online
// again only a response shows.
addEventListener('offline', () => setOffline(true))

/**
 * Changes that are being sent for longer than a moment; busy: because the server has not accepted
 * them yet.
 * @typedef {{ label: string, busy: boolean, stop: () => void }} Sending
 */
export const sending = signal(/** @type {Sending[]} */ ([]))

/**
 * What to do when the session has ended or must be proved. It resolves once the request can be sent
 * again, and rejects if the person declines. Set by session.js.
 * @type {{ signIn: () => Promise<void>, prove: () => Promise<void>, setUp: () => void }}
 */
export const recovery = {
  signIn: () => Promise.reject(),
  prove: () => Promise.reject(),
  setUp: () => {},
}

/** How many requests wait for the person to sign in or to prove who it is. */
export const openRequests = signal(0)

/**
 * Sends one request, about the shop unless it is ofServer, and returns the body and the entity tag
 * of the response.
 */
export async function send(
  /** @type {string} */ method,
  /** @type {string} */ path,
  /** @type {any} */ options = {},
) {
  const {
    body,
    query,
    key,
    type,
    signal: abort,
    ifMatch,
    shop = shopUID.value,
    ofServer = false,
    recover = true,
    transport = fetch,
  } = options
  /** @type {Record<string, string>} */
  const headers = { Accept: 'application/json' }
  if (method !== 'GET') headers['Content-Type'] = type ?? 'application/json'
  if (key) headers['Idempotency-Key'] = key
  if (ifMatch) headers['If-Match'] = ifMatch
  const folder = ofServer ? '' : shop === '-' ? 'operator/' : `shops/${encodeURIComponent(shop)}/`
  const url = `/admin/v1/${folder}${path}${search(query)}`
  for (;;) {
    const problem = await exchange(
      url,
      {
        method,
        headers,
        signal: abort,
        credentials: 'same-origin',
        cache: 'no-store',
        // a file is sent as it is
        body: method === 'GET' ? undefined : type ? body : JSON.stringify(body ?? {}),
      },
      transport,
    )
    if (!(problem instanceof Problem)) return problem
    if (!recover) throw problem
    openRequests.value++
    try {
      if (problem.code === 'unauthenticated') await recovery.signIn()
      else if (problem.code === 'proof_required') await recovery.prove()
      else {
        if (problem.code === 'second_factor_setup_required') recovery.setUp()
        throw problem
      }
    } catch {
      throw problem
    } finally {
      openRequests.value--
    }
  }
}

/** Returns the response that early.js has requested before this module ran, once. */
function dequeueEarly(/** @type {string} */ url, /** @type {RequestInit} */ init) {
  const { early } = window
  if (init.method !== 'GET' || !early) return undefined
  const response = early[url]
  delete early[url]
  return response
}

/** Drops what early.js has requested: from now on it may be out of date. */
export const endEarly = () => {
  window.early = undefined
}

/** @returns {Promise<Problem | { data: any, etag: string | null, replayed: boolean }>} */
async function exchange(
  /** @type {string} */ url,
  /** @type {RequestInit} */ init,
  /** @type {typeof fetch} */ transport,
) {
  let response, data
  try {
    response = await (dequeueEarly(url, init) ?? transport(url, init))
    data = await response.json().catch((error) => {
      if (response?.ok || error.name === 'AbortError') throw error
      return {} // a proxy's error page is not JSON
    })
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error
    setOffline(true)
    return new Problem(0, {})
  }
  setOffline(false)
  if (response.ok)
    return {
      data,
      etag: response.headers.get('ETag'),
      replayed: response.headers.has('Idempotent-Replayed'),
    }
  await loadRefusals()
  return new Problem(response.status, data, Number(response.headers.get('Retry-After')) || 0)
}

/** Whether a request may succeed later, as it is. */
export const isTransient = (/** @type {unknown} */ error) =>
  error instanceof Problem && [0, 502, 503, 504].includes(error.status)

/** Sends a GET, twice more after a transient failure. */
export async function get(
  /** @type {string} */ path,
  /** @type {any} */ query = {},
  /** @type {any} */ options = {},
) {
  for (let attempt = 0; ; attempt++) {
    try {
      return (await send('GET', path, { ...options, query })).data
    } catch (error) {
      if (!isTransient(error) || attempt === 2 || options.signal?.aborted) throw error
      await wait(attempt === 0 ? 400 : 1500, options.signal)
    }
  }
}

const sendingAfter = 700 // milliseconds until the person is notified
const retryLimit = 120_000
const delays = [500, 1000, 2000, 4000, 8000, 15_000]

/**
 * Sends a change once: with the same idempotency key for up to two minutes while the network fails.
 * label says to the person what is being sent; null: the view shows it.
 */
export async function act(
  /** @type {string} */ path,
  /** @type {any} */ body = {},
  /** @type {any} */ options = {},
) {
  const {
    method = 'POST',
    label = '',
    key = crypto.randomUUID(),
    ifMatch,
    type,
    query,
    transport,
    signal: ended,
  } = options
  const abort = new AbortController()
  ended?.addEventListener('abort', () => abort.abort())
  const entry = { label, busy: false, stop: () => abort.abort() }
  const show = setTimeout(() => {
    if (label !== null) sending.value = [...sending.value, entry]
  }, sendingAfter)
  const started = performance.now()
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        return (
          await send(method, path, {
            body,
            key,
            type,
            query,
            ifMatch,
            transport,
            signal: abort.signal,
          })
        ).data
      } catch (error) {
        const delay = delays[Math.min(attempt, delays.length - 1)]
        const repeatable = isTransient(error) || (error instanceof Problem && error.status === 429)
        if (!repeatable || performance.now() - started + delay > retryLimit) throw error
        entry.busy = error instanceof Problem && error.status > 0
        sending.value = [...sending.value]
        await wait(
          Math.max(delay, error instanceof Problem ? error.retryAfter * 1000 : 0),
          abort.signal,
        )
      }
    }
  } catch (error) {
    if (abort.signal.aborted) throw new Problem(0, { code: 'stopped' })
    throw error
  } finally {
    clearTimeout(show)
    sending.value = sending.value.filter((request) => request !== entry)
  }
}

/** @returns {Promise<void>} */
function wait(/** @type {number} */ milliseconds, /** @type {AbortSignal | undefined} */ abort) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    abort?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(abort.reason)
      },
      { once: true },
    )
  })
}

/** Returns the address of a page of the API that is shown in a frame or a window of its own. */
export const pagePath = (/** @type {string} */ path, /** @type {Record<string, any>} */ query) =>
  `/admin/v1/shops/${encodeURIComponent(shopUID.value)}/${path}${search(query)}`

// search formats a query. A list is repeated; empty values are left out.
function search(/** @type {Record<string, any>} */ query = {}) {
  const all = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) value.forEach((item) => all.append(name, String(item)))
    else if (value !== undefined && value !== null && value !== '') all.set(name, String(value))
  }
  return all.size ? '?' + all : ''
}
