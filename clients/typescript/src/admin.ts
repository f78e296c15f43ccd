// A typed client of the Admin API of one shop, for programs with an API key and for pages with a session.
import createClient, { type Client, type Middleware } from 'openapi-fetch'
import { retrying } from './retry.js'
import type { components, paths } from './admin-schema.js'

export type { components, operations, paths } from './admin-schema.js'
export { ApiError, newIdempotencyKey, unwrap } from './client.js'

type Schemas = components['schemas']
export type StaffOrder = Schemas['StaffOrder']
export type StaffMember = Schemas['Member']
export type Session = Schemas['Session']

export interface AdminOptions {
  /** The server, such as https://api.example.com. */
  baseUrl: string
  /** An API key of the shop. Without one the browser's session is used. */
  apiKey?: string
  /** How often a request is repeated if that is safe. Default: 2. */
  retries?: number
  /** Replaces the global fetch. */
  fetch?: (request: Request) => Promise<Response>
}

/**
 * Returns a client of the Admin API. Reads are repeated after network errors, a 429 and a 503. Send an Idempotency-Key
 * of newIdempotencyKey() with an operation that accepts one, and it is repeated too.
 */
export function openAdmin(options: AdminOptions): Client<paths> {
  const headers: Record<string, string> = {}
  if (options.apiKey !== undefined) headers['Authorization'] = `Bearer ${options.apiKey}`
  const api = createClient<paths>({
    baseUrl: options.baseUrl,
    headers,
    fetch: retrying(options.fetch ?? ((request) => fetch(request)), options.retries ?? 2),
  })
  const contentType: Middleware = {
    onRequest({ request }) {
      if (request.method !== 'GET' && !request.headers.has('Content-Type')) request.headers.set('Content-Type', 'application/json')
      return request
    },
  }
  api.use(contentType)
  return api
}
