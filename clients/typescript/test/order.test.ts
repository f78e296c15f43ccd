// Places an order in a running demo shop. STOREFRONT_URL is the URL of the server.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop } from '../src/client.js'

test('browse, register, order', async () => {
  const url = process.env['STOREFRONT_URL']
  assert.ok(url, 'STOREFRONT_URL must be the URL of storefront serve --dev')
  const shop = openShop(url, 'demo')

  const found = await shop.api.GET('/api/v1/products', { params: { query: { search: 'pickle', inStock: true, limit: 1 } } })
  const product = found.data?.nodes[0]
  assert.ok(product)
  const variant = product.variants.find((v) => v.available)
  assert.ok(variant)

  const registered = await shop.api.POST('/api/v1/auth/register', {
    body: { name: 'Ayesha Rahman', phoneNumber: '01711-000002', password: 'a long and quiet river' },
  })
  assert.ok(registered.data, registered.error?.detail)
  shop.signIn(registered.data.accessToken)

  const body = {
    items: [{ productId: product._id, variantId: variant._id, quantity: 2 }],
    shippingAddress: { line1: 'House 12, Road 5', area: 'Dhanmondi', city: 'Dhaka' },
  }
  const quoted = await shop.api.POST('/api/v1/orders/quote', { body })
  assert.ok(quoted.data, quoted.error?.detail)
  const placed = await shop.api.POST('/api/v1/orders', {
    params: { header: { 'Idempotency-Key': 'client-1' } },
    body: { ...body, expectedTotal: quoted.data.total.amount },
  })
  assert.ok(placed.data, placed.error?.detail)
  assert.equal(placed.data.total.amount, quoted.data.total.amount)

  const orders = await shop.api.GET('/api/v1/orders')
  assert.deepEqual(orders.data?.nodes.map((o) => o.invoiceUid), [placed.data.invoiceUid])
  const { data: mine } = await shop.api.GET('/api/v1/orders/{orderId}', { params: { path: { orderId: placed.data.invoiceUid } } })
  assert.equal(mine?.customer.name, 'Ayesha Rahman')

  shop.signIn(null)
  const refused = await shop.api.GET('/api/v1/auth/me')
  assert.equal(refused.error?.code, 'unauthenticated')
})
