// A typed client of one shop. The types are generated from the OpenAPI document: see README.md.
import createClient, { type Client, type Middleware } from 'openapi-fetch'
import { retrying } from './retry.js'
import type { components, paths } from './schema.js'

export type { components, operations, paths } from './schema.js'

type Schemas = components['schemas']
export type Product = Schemas['Product']
export type Variant = Schemas['Variant']
export type Collection = Schemas['Collection']
export type Customer = Schemas['Customer']
export type Money = Schemas['Money']
export type Quote = Schemas['Quote']
export type Order = Schemas['Order']
export type PlacedOrder = Schemas['PlacedOrder']
export type OrderInput = Schemas['OrderInput']
export type OrderStatus = Schemas['OrderStatus']
export type PaymentStatus = Schemas['PaymentStatus']
export type FulfillmentStatus = Schemas['FulfillmentStatus']
export type ShipmentStatus = Schemas['ShipmentStatus']
export type StockStatus = Schemas['StockStatus']
export type TimelineType = Schemas['TimelineType']
export type ErrorCode = Schemas['ErrorCode']
export type Problem = Schemas['Problem']

export interface Options {
  /** The server, such as https://api.example.com. */
  baseUrl: string
  /** The shop's UID. */
  tenant: string
  /** An access token from an earlier visit. */
  accessToken?: string | null
  /** Order tokens from an earlier visit, by invoice UID. */
  orderTokens?: Iterable<readonly [string, string]>
  /** How often a request is repeated if that is safe. Default: 2. */
  retries?: number
  /** Replaces the global fetch. */
  fetch?: (request: Request) => Promise<Response>
}

export interface Shop {
  /** The operations by method and path. */
  api: Client<paths>
  /** Sets the access token for later requests. null means a guest. */
  signIn(accessToken: string | null): void
  /** The order tokens by invoice UID: those of orders placed with this client are added. */
  orderTokens: Map<string, string>
  /** Returns the absolute form of a URL of a response, such as that of an image. */
  url(path: string): string
}

/** An error response of the server. */
export class ApiError extends Error {
  readonly problem: Problem
  /** What went wrong, for programs. */
  readonly code: ErrorCode
  /** The HTTP status. */
  readonly status: number

  constructor(problem: Problem) {
    super(problem.detail)
    this.name = 'ApiError'
    this.problem = problem
    this.code = problem.code
    this.status = problem.status
  }
}

/** Returns the data of a response, or throws its error as an ApiError. */
export async function unwrap<T>(result: Promise<{ data?: T; error?: Problem; response: Response }>): Promise<T> {
  const { data, error, response } = await result
  if (error !== undefined) {
    if (typeof error === 'object' && error !== null && 'code' in error) throw new ApiError(error)
    throw new Error(`HTTP ${response.status}`) // of a proxy, not of the server
  }
  return data as T
}

/** Returns a new idempotency key. Save it with the cart to repeat an order after a reload. */
export function newIdempotencyKey(): string {
  return crypto.randomUUID()
}

const idempotencyKey = 'Idempotency-Key'
const ordersPath = '/api/v1/orders'

/** Returns a client of a shop. */
export function openShop(options: Options): Shop {
  let token = options.accessToken ?? null
  const orderTokens = new Map(options.orderTokens ?? [])
  const tokens: Middleware = {
    onRequest({ request, schemaPath, params }) {
      if (token !== null && !request.headers.has('Authorization')) request.headers.set('Authorization', `Bearer ${token}`)
      const orderToken = orderTokens.get(String(params.path?.['orderId'] ?? ''))
      if (orderToken !== undefined && !request.headers.has('X-Order-Token')) request.headers.set('X-Order-Token', orderToken)
      if (request.method === 'POST' && schemaPath === ordersPath && !request.headers.has(idempotencyKey)) {
        request.headers.set(idempotencyKey, newIdempotencyKey())
      }
      return request
    },
    async onResponse({ request, response, schemaPath }) {
      if (request.method !== 'POST' || schemaPath !== ordersPath || !response.ok) return
      const placed = (await response.clone().json()) as PlacedOrder
      orderTokens.set(placed.invoiceUid, placed.orderToken)
    },
  }
  const api = createClient<paths>({
    baseUrl: options.baseUrl,
    headers: { 'x-tenant': options.tenant },
    fetch: retrying(options.fetch ?? ((request) => fetch(request)), options.retries ?? 2),
  })
  api.use(tokens)
  return {
    api,
    orderTokens,
    signIn: (accessToken) => (token = accessToken),
    url: (path) => new URL(path, options.baseUrl).href,
  }
}
