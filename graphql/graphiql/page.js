// Starts GraphiQL with tabs and headers that work against the demo shop. ?tenant=UID selects another
// shop.

const tenant = new URLSearchParams(location.search).get('tenant') || 'demo'
const headers = JSON.stringify({ 'x-tenant': tenant }, null, 2)

const products = `# Products on sale and the price of each variant.
# Press Ctrl-Enter to run the query.
query Products {
  products(limit: 5, onSale: true) {
    nodes {
      _id
      handle
      title
      price { formatted }
      compareAtPrice { formatted }
      variants { _id title stockStatus price { amount formatted } }
    }
    meta { totalCount hasNextPage }
  }
}
`

const product = `# One product by its handle. Its id works as well.
query Product($handle: String!) {
  product(handle: $handle) {
    _id
    title
    descriptionHtml
    images { url alt }
    options { name values }
    variants { _id title available stockStatus price { formatted } }
  }
}
`

const shop = `# The public settings of the shop.
query Shop {
  apiVersion
  storeFront {
    name
    currency
    deliveryCharges { _id name charge { formatted } freeOver { formatted } areas }
    paymentMethods
    supportContact { phone email }
  }
  collections { nodes { _id title productCount } }
}
`

const register = `# Creates an account and signs in. From then on
# the page sends the token with each request,
# unless Headers have an Authorization.
mutation Register($input: StorefrontRegisterInput!) {
  register(input: $input) {
    accessToken
    user { _id name phoneNumber }
  }
}
`

const login = `# Signs in to the account of the Register tab.
# Run Register first.
mutation Login($input: StorefrontLoginInput!) {
  login(input: $input) {
    accessToken
    user { _id name phoneNumber }
  }
}
`

const quote = `# What an order would cost now. Variables have a
# product that is in stock.
query Quote($input: OrderInput!) {
  quoteOrder(input: $input) {
    items { title quantity unitPrice { formatted } total { formatted } }
    delivery { name }
    deliveryCharge { formatted }
    total { amount formatted }
  }
}
`

const place = `# Places the order, for the account that is signed
# in on this page, otherwise for a guest. Because
# of the key, running it again returns the same
# order.
mutation Place($input: PlaceOrderInput!) {
  placeOrder(input: $input) {
    _id
    orderNumber
    orderToken
    status
    total { formatted }
  }
}
`

const orders = `# The caller and their orders. Run Register or
# Login first.
query MyOrders {
  me { _id name email phoneNumber }
  myOrders(limit: 5) {
    nodes {
      orderNumber
      status
      total { formatted }
      items { title quantity }
    }
  }
}
`

const track = `# One order by its invoice UID. An empty orderId in
# Variables means the last order placed on this
# page. Personal data is masked unless the token of
# its owner is sent.
query Track($orderId: ID!) {
  order(orderId: $orderId) {
    orderNumber
    status
    paymentStatus
    fulfillmentStatus
    customer { name phoneNumber }
    timeline { at message }
  }
}
`

const callbacks = `# The URLs at which couriers and gateways reach
# the shop.
query WebhookUrls {
  plugin__webhookUrls { provider kind url }
}
`

// The last access token and order per tenant, {token, order}, until the page is closed.
const sessions = {}

async function post(body, headers) {
  const response = await fetch(location.pathname, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return response.json()
}

// fetcher sends the document of a tab. The token and the order of the session replace an
// Authorization header and an orderId that are missing.
async function fetcher({ query, operationName, variables }, { headers = {} } = {}) {
  const names = Object.fromEntries(Object.keys(headers).map((name) => [name.toLowerCase(), name]))
  const session = (sessions[headers[names['x-tenant']]] ??= {})
  if (session.token && !names.authorization) {
    headers = { ...headers, Authorization: 'Bearer ' + session.token }
  }
  if (variables?.orderId === '' && session.order) {
    variables = { ...variables, orderId: session.order }
  }
  const response = await post({ query, operationName, variables }, headers)
  for (const value of Object.values(response.data ?? {})) {
    session.token = value?.accessToken ?? session.token
    session.order = value?.orderToken ? value._id : session.order
  }
  return response
}

// findItem returns a product that is in stock, for the variables of the order tabs.
async function findItem() {
  const query = '{ products(limit: 1, inStock: true) { nodes { _id handle variants { _id available } } } }'
  try {
    const [found] = (await post({ query }, { 'x-tenant': tenant })).data.products.nodes
    const variant = found.variants.find((v) => v.available)
    return { handle: found.handle, item: { productId: found._id, variantId: variant._id, quantity: 1 } }
  } catch {
    return { handle: '', item: { productId: '', variantId: '', quantity: 1 } } // unknown shop, or nothing in stock
  }
}

const tab = (query, variables) => ({ query, headers, variables: variables && JSON.stringify(variables, null, 2) })

async function start() {
  const { handle, item } = await findItem()
  const digits = String(crypto.getRandomValues(new Uint32Array(1))[0] % 1e8).padStart(8, '0')
  const buyer = { name: 'Ayesha Rahman', phoneNumber: '017' + digits } // a new number, so that Register works
  const password = 'a long and quiet river'
  const order = { items: [item], customer: buyer, shippingAddress: { line1: 'House 12, Road 5', area: 'Dhanmondi', city: 'Dhaka' } }
  ReactDOM.createRoot(document.getElementById('graphiql')).render(
    React.createElement(GraphiQL, {
      fetcher,
      defaultHeaders: headers,
      defaultTabs: [
        tab(products),
        tab(product, { handle }),
        tab(shop),
        tab(register, { input: { ...buyer, password } }),
        tab(login, { input: { user: buyer.phoneNumber, password } }),
        tab(quote, { input: order }),
        tab(place, { input: { ...order, idempotencyKey: 'graphiql-' + digits } }),
        tab(orders),
        tab(track, { orderId: '' }),
        tab(callbacks),
      ],
      isHeadersEditorEnabled: true,
      shouldPersistHeaders: false, // no token in the browser's storage
    }),
  )
}

start()
