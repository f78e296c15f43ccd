// An example of a client of the API, without a framework or a build step: it lists products, prices a
// cart, places an order and follows it. It runs in Node.js 20 or newer, and the functions above `main`
// run unchanged in a browser.
//
//   node shop.mjs list [WORDS]
//   node shop.mjs quote HANDLE CITY [QUANTITY]
//   node shop.mjs order HANDLE CITY PHONE NAME ADDRESS [QUANTITY]
//   node shop.mjs track ORDER [TOKEN]

const base = globalThis.process?.env.STOREFRONT_URL ?? 'http://localhost:8080'
const tenant = globalThis.process?.env.STOREFRONT_TENANT ?? 'demo'

/** A refusal of the API: a stable code, a text for people, and the fields that it concerns. */
export class Refusal extends Error {
  constructor(problem, status) {
    super(problem.detail ?? `The server responded with status ${status}.`)
    this.code = problem.code ?? 'internal'
    this.status = status
    this.fields = problem.errors ?? []
    this.details = problem.details ?? {}
  }
}

/** Sends a request, and again after a lost response. With an idempotency key that is safe for orders, too. */
export async function call(method, path, { body, headers } = {}, attempts = 3) {
  let response
  try {
    response = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: {
        'x-tenant': tenant,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    })
  } catch (lost) {
    if (attempts <= 1) throw lost
    return call(method, path, { body, headers }, attempts - 1)
  }
  if (response.ok) return response.json()
  const wait = Number(response.headers.get('Retry-After'))
  if (attempts > 1 && [429, 503].includes(response.status) && wait <= 10) {
    await new Promise((done) => setTimeout(done, Math.max(wait, 1) * 1000))
    return call(method, path, { body, headers }, attempts - 1)
  }
  throw new Refusal(await response.json().catch(() => ({})), response.status)
}

/** Lists the products in stock that match some words, the best matches first. */
export const list = (words = '') =>
  call('GET', `/products?${new URLSearchParams({ limit: '10', inStock: 'true', search: words })}`)

const find = (handle) => call('GET', `/products/handle/${encodeURIComponent(handle)}`)

/** Returns the body of a quote or an order: one product, and where it is delivered. */
async function cart(handle, city, quantity, line1 = '–') {
  const product = await find(handle)
  const variant = product.variants.find((one) => one.available)
  if (!variant) throw new Error(`${product.title} is sold out.`)
  return {
    items: [{ productId: product._id, variantId: variant._id, quantity }],
    shippingAddress: { line1, city },
    paymentMethod: 'cod',
  }
}

/** Prices a cart. If several delivery charges are possible, it takes the first that the shop offers. */
export async function quote(body) {
  try {
    return await call('POST', '/orders/quote', { body })
  } catch (refusal) {
    const [first] = refusal.details?.deliveryCharges ?? []
    if (refusal.code !== 'delivery_charge_required' || !first) throw refusal
    body.deliveryChargeId = first._id
    return call('POST', '/orders/quote', { body })
  }
}

/**
 * Places an order at the total that the buyer has seen. A changed price is refused as price_changed.
 * The key makes a repeated request harmless: use one for each attempt of a buyer to order.
 */
export function place(body, customer, total, key) {
  const headers = { 'Idempotency-Key': key }
  return call('POST', '/orders', { headers, body: { ...body, customer, expectedTotal: total } })
}

/** Returns an order. Without its token the buyer's data are masked. */
export const track = (id, token) =>
  call('GET', `/orders/${encodeURIComponent(id)}`, { headers: token && { 'X-Order-Token': token } })

const commands = {
  async list(...words) {
    const found = await list(words.join(' '))
    for (const p of found.nodes) console.log(`${p.handle}\t${p.price.formatted}\t${p.title}`)
  },
  async quote(handle, city, quantity = '1') {
    const priced = await quote(await cart(handle, city, Number(quantity)))
    console.log(`Goods ${priced.subtotal.formatted}, delivery ${priced.deliveryCharge.formatted}`)
    console.log(`Total ${priced.total.formatted}`)
  },
  async order(handle, city, phoneNumber, name, line1, quantity = '1') {
    const body = await cart(handle, city, Number(quantity), line1)
    const { total } = await quote(body)
    const order = await place(body, { name, phoneNumber }, total.amount, crypto.randomUUID())
    console.log(`Order ${order.orderNumber}, ${order.total.formatted} in cash on delivery`)
    console.log(`node shop.mjs track ${order.invoiceUid} ${order.orderToken}`)
  },
  async track(id, token) {
    const order = await track(id, token)
    console.log(`Order ${order.orderNumber}: ${order.status}, ${order.paymentStatus}`)
    console.log(`For ${order.customer.name}, ${order.shippingAddress.city}`)
  },
}

async function main([name, ...parameters]) {
  const command = commands[name]
  if (!command) throw new Error(`Use one of: ${Object.keys(commands).join(', ')}.`)
  await command(...parameters)
}

if (globalThis.process?.argv[1]?.endsWith('shop.mjs')) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(error.message)
    for (const field of error.fields ?? []) console.error(`  ${field.field}: ${field.message}`)
    process.exitCode = 1
  })
}
