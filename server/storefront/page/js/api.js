// The client of the storefront API. HTTP is used here only.
//
// Every request names its shop in the x-tenant header; those of a signed-in customer carry the
// access token. Responses are JSON, errors problem+json (RFC 9457), which become a Problem.

import * as session from './session.js'

const base = '/api/v1'
const tenant = document.querySelector('meta[name="storefront:tenant"]').content

// The responses that the server sent with the page, by URL: what its first view requests.
let responses = JSON.parse(document.getElementById('responses').textContent)

/** Requests are sent from now on, also those whose responses came with the page. */
export const forgetResponses = () => {
  responses = {}
}

// Delays before a GET is sent again, in milliseconds.
const retryDelays = [300, 1200]
const maxRetryDelay = 5000

/** A request that failed. Decide by its code; the message is for display, in English. */
export class Problem extends Error {
  constructor(status, body, retryAfter) {
    super(body.detail || body.title || 'The request failed.')
    this.status = status // 0: no response arrived
    this.code = body.code || (status === 0 ? 'network' : 'internal')
    this.errors = body.errors || [] // [{field, code, message}]
    this.details = body.details || {} // figures for some codes, such as the lines out of stock
    this.requestId = body.requestId
    this.retryAfter = retryAfter // seconds, or undefined
  }
}

/**
 * Sends a GET, and sends it again after a transient failure. Responses have an ETag and no-cache:
 * the browser's cache revalidates them.
 */
export async function get(path, query = {}, { signal, orderToken } = {}) {
  const url = base + path + search(query)
  if (responses[url]) return responses[url]
  for (let attempt = 0; ; attempt++) {
    try {
      return await send(url, { signal, headers: headers({ orderToken }) })
    } catch (error) {
      if (!isTransient(error) || attempt === retryDelays.length || signal?.aborted) throw error
      const requested = (error.retryAfter ?? 0) * 1000
      if (requested > maxRetryDelay) throw error
      await delay(Math.max(requested, retryDelays[attempt]), signal)
    }
  }
}

/**
 * Sends a request with a body once: only the caller can decide whether to repeat it. With an
 * idempotency key repeating is safe.
 */
export async function post(path, body = {}, options = {}) {
  const request = {
    method: options.method ?? 'POST',
    signal: options.signal,
    headers: { ...headers(options), 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }
  try {
    return await send(base + path, request)
  } catch (error) {
    if (error.code !== 'work_required') throw error
    request.headers['X-Work-Proof'] = await solve(error.details, options.signal)
    return send(base + path, request)
  }
}

// solve returns the proof of work for a challenge, after seconds: nonces are tried until the
// SHA-256 begins with enough zero bits.
async function solve({ challenge, difficulty }, signal) {
  const encoder = new TextEncoder()
  for (let nonce = 0; ; nonce++) {
    signal?.throwIfAborted()
    const proof = challenge + '.' + nonce
    const sum = new DataView(await crypto.subtle.digest('SHA-256', encoder.encode(proof)))
    if (Math.clz32(sum.getUint32(0)) >= difficulty) return proof
  }
}

export const patch = (path, body) => post(path, body, { method: 'PATCH' })

function headers({ idempotencyKey, orderToken } = {}) {
  const all = { 'x-tenant': tenant, Accept: 'application/json' }
  if (session.token()) all.Authorization = 'Bearer ' + session.token()
  if (idempotencyKey) all['Idempotency-Key'] = idempotencyKey
  if (orderToken) all['X-Order-Token'] = orderToken // a guest's proof of their own order
  return all
}

async function send(url, init) {
  let response, body
  try {
    response = await fetch(url, { ...init, credentials: 'omit' }) // the API has no cookies
    body = await response.json().catch((error) => {
      if (response.ok || error.name === 'AbortError') throw error
      return {} // a proxy's error page is not JSON
    })
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Problem(0, { detail: 'The shop could not be reached.' })
  }
  if (response.ok) return body
  // An expired token is dropped here for the whole page: later requests are those of a guest.
  if (body.code === 'token_expired' || body.code === 'token_invalid') session.signOut()
  const wait = Number(response.headers.get('Retry-After'))
  throw new Problem(response.status, body, wait || undefined)
}

const isTransient = (error) =>
  error instanceof Problem && [0, 429, 502, 503, 504].includes(error.status)

function delay(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(signal.reason)
      },
      { once: true },
    )
  })
}

// search formats a query. A list becomes name[]=… for each value; empty values are left out.
function search(query) {
  const all = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) value.forEach((one) => all.append(name + '[]', one))
    else if (value !== undefined && value !== null && value !== '') all.set(name, value)
  }
  return all.size ? '?' + all : ''
}
