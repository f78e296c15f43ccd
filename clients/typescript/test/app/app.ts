// A small storefront on the command line, built against the package as it is published: browses,
// registers, orders, cancels. STOREFRONT_URL is the URL of a running demo shop.
import assert from 'node:assert/strict'
import { ApiError, newIdempotencyKey, openShop, unwrap, type ErrorCode, type OrderStatus } from '@storefront/client'

const baseUrl = process.env['STOREFRONT_URL']
assert.ok(baseUrl, 'STOREFRONT_URL must be the URL of storefront serve --dev')

// What a buyer reads. The compiler finds a status that is missing or misspelt.
const words: Record<OrderStatus, string> = {
  pending: 'Waiting for the shop',
  pending_payment: 'Waiting for your payment',
  confirmed: 'Confirmed',
  processing: 'On its way',
  completed: 'Delivered',
  cancelled: 'Cancelled',
  expired: 'Not paid in time',
  returned: 'Returned',
}

// A line that fails once after the server has placed the order, and once before it is reached.
let failures = 0
async function shakyFetch(request: Request): Promise<Response> {
  const isOrder = request.method === 'POST' && new URL(request.url).pathname === '/api/v1/orders'
  if (isOrder && failures < 2) {
    if (failures++ === 1) throw new TypeError('offline')
    await fetch(request)
    throw new TypeError('connection reset')
  }
  return fetch(request)
}

const shop = openShop({ baseUrl, tenant: 'demo', fetch: shakyFetch })

const found = await unwrap(shop.api.GET('/api/v1/products', { params: { query: { search: 'pickle', inStock: true, sortBy: 'price', limit: 1 } } }))
const product = found.nodes[0]
assert.ok(product)
const variant = product.variants[0]
assert.ok(variant)
const image = product.images[0]
assert.ok(image)
assert.equal((await fetch(shop.url(image.url))).status, 200)

const body = {
  items: [{ productId: product._id, variantId: variant._id, quantity: 2 }],
  customer: { name: 'Ayesha Rahman', phoneNumber: '01711-000002' },
  shippingAddress: { line1: 'House 12, Road 5', area: 'Dhanmondi', city: 'Dhaka' },
}

// A guest's order: one, over the shaky line, whose token the client saves.
const quote = await unwrap(shop.api.POST('/api/v1/orders/quote', { body }))
const placed = await unwrap(shop.api.POST('/api/v1/orders', { body: { ...body, expectedTotal: quote.total.amount } }))
assert.equal(failures, 2)
assert.equal(placed.total.amount, quote.total.amount)
assert.equal(words[placed.status], 'Waiting for the shop')
const path = { orderId: placed.invoiceUid }
const mine = await unwrap(shop.api.GET('/api/v1/orders/{orderId}', { params: { path } }))
assert.equal(mine.customer.name, 'Ayesha Rahman')
const stranger = openShop({ baseUrl, tenant: 'demo' })
const masked = await unwrap(stranger.api.GET('/api/v1/orders/{orderId}', { params: { path } }))
assert.equal(masked.customer.name, 'A***')
const later = openShop({ baseUrl, tenant: 'demo', orderTokens: shop.orderTokens })
const cancelled = await unwrap(later.api.POST('/api/v1/orders/{orderId}/cancel', { params: { path }, body: {} }))
assert.equal(cancelled.status, 'cancelled')

// A customer's orders, with a key of the app's own.
const registered = await unwrap(
  shop.api.POST('/api/v1/auth/register', { body: { name: 'Ayesha Rahman', phoneNumber: '01711-000003', password: 'a long and quiet river' } }),
)
shop.signIn(registered.accessToken)
const header = { 'Idempotency-Key': newIdempotencyKey() }
const first = await unwrap(shop.api.POST('/api/v1/orders', { params: { header }, body }))
const again = await shop.api.POST('/api/v1/orders', { params: { header }, body })
assert.equal(again.data?.invoiceUid, first.invoiceUid)
assert.equal(again.response.headers.get('Idempotent-Replayed'), 'true')
const orders = await unwrap(shop.api.GET('/api/v1/orders'))
assert.deepEqual(orders.nodes.map((order) => order.invoiceUid), [first.invoiceUid])

// Errors have codes that the compiler knows.
shop.signIn(null)
const refused: ErrorCode = 'unauthenticated'
await assert.rejects(unwrap(shop.api.GET('/api/v1/auth/me')), (error) => error instanceof ApiError && error.code === refused && error.status === 401)

// What the compiler must refuse.
// @ts-expect-error: no such status
void (placed.status === 'pendng')
// @ts-expect-error: no such code
void (((error: ApiError) => error.code === 'nonsense') satisfies unknown)
// @ts-expect-error: no such sort key
void (() => shop.api.GET('/api/v1/products', { params: { query: { sortBy: 'colour' } } }))
// @ts-expect-error: no such payment method
void (() => shop.api.POST('/api/v1/orders/quote', { body: { ...body, paymentMethod: 'cheque' } }))

console.log(`${words[placed.status]}, ${words[cancelled.status]}`)
