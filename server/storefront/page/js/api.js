// The client of the storefront API: all that this page knows of HTTP.
//
// Every request names its shop in the x-tenant header; a signed-in customer's carry the access
// token. Answers are JSON, failures problem+json (RFC 9457), which become a Problem here.

import * as session from './session.js'

const base = '/api/v1'
const tenant = document.querySelector('meta[name="storefront:tenant"]').content

// How long to wait before a GET is sent again, in milliseconds.
const pauses = [300, 1200]
const longestPause = 5000

/** A request that did not succeed. Decide by its code; the message is for people, in English. */
export class Problem extends Error {
  constructor(status, body, retryAfter) {
    super(body.detail || body.title || 'The request failed.')
    this.status = status // 0: no answer came
    this.code = body.code || (status === 0 ? 'network' : 'internal')
    this.errors = body.errors || [] // [{field, code, message}]
    this.details = body.details || {} // figures for some codes, such as the lines out of stock
    this.requestId = body.requestId
    this.retryAfter = retryAfter // seconds, or undefined
  }
}

/**
 * Asks for something. A GET changes nothing, so it is sent again after a fault that may pass.
 * Answers come with an ETag and no-cache: the browser's own cache asks whether they still hold.
 */
export async function get(path, query = {}, { signal, orderToken } = {}) {
  const url = base + path + search(query)
  for (let attempt = 0; ; attempt++) {
    try {
      return await send(url, { signal, headers: headers({ orderToken }) })
    } catch (error) {
      if (!mayPass(error) || attempt === pauses.length || signal?.aborted) throw error
      const asked = (error.retryAfter ?? 0) * 1000
      if (asked > longestPause) throw error
      await pause(Math.max(asked, pauses[attempt]), signal)
    }
  }
}

/**
 * Sends something, once: only the caller knows whether twice does harm. With an idempotency key it
 * does none, and pressing the button again is safe.
 */
export function post(path, body = {}, options = {}) {
  return send(base + path, {
    method: options.method ?? 'POST',
    signal: options.signal,
    headers: { ...headers(options), 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
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
      return {} // a proxy's page about a failure is no JSON
    })
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Problem(0, { detail: 'The shop could not be reached.' })
  }
  if (response.ok) return body
  // A token that has run out is dropped here, once for the whole page: what comes next is a guest's.
  if (body.code === 'token_expired' || body.code === 'token_invalid') session.signOut()
  const wait = Number(response.headers.get('Retry-After'))
  throw new Problem(response.status, body, wait || undefined)
}

const mayPass = (error) => error instanceof Problem && [0, 429, 502, 503, 504].includes(error.status)

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    }, { once: true })
  })
}

// search writes a query; a list becomes name[]=… for each of its values, and what is empty is left out.
function search(query) {
  const all = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) value.forEach((one) => all.append(name + '[]', one))
    else if (value !== undefined && value !== null && value !== '') all.set(name, value)
  }
  return all.size ? '?' + all : ''
}
