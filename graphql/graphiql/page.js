// Starts GraphiQL with headers and tabs that work against the demo shop as they stand.
// ?tenant=UID chooses another shop.
"use strict";

(() => {
  const tenant = new URLSearchParams(location.search).get("tenant") || "demo";
  const headers = JSON.stringify({ "x-tenant": tenant }, null, 2);

  const products = `# Products on sale and what each variant costs.
# Press Ctrl-Enter to run it.
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
`;

  const product = `# One product by its handle; its id does as well.
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
`;

  const shop = `# What a storefront needs to know of the shop.
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
`;

  const register = `# Makes an account and signs in. The page keeps
# the token and sends it along from now on, unless
# Headers have an Authorization of their own.
mutation Register($input: StorefrontRegisterInput!) {
  register(input: $input) {
    accessToken
    user { _id name phoneNumber }
  }
}
`;

  const login = `# Signs in to the account of the tab before: run
# that one first.
mutation Login($input: StorefrontLoginInput!) {
  login(input: $input) {
    accessToken
    user { _id name phoneNumber }
  }
}
`;

  const quote = `# What an order would cost now. Variables hold a
# product that can be bought.
query Quote($input: OrderInput!) {
  quoteOrder(input: $input) {
    items { title quantity unitPrice { formatted } total { formatted } }
    delivery { name }
    deliveryCharge { formatted }
    total { amount formatted }
  }
}
`;

  const place = `# Places it: for the account that has signed in
# here, or else for a guest. The key makes it the
# same order if you run it again.
mutation Place($input: PlaceOrderInput!) {
  placeOrder(input: $input) {
    _id
    orderNumber
    orderToken
    status
    total { formatted }
  }
}
`;

  const orders = `# The caller and their orders: run Register or
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
`;

  const track = `# One order by its invoice UID. In Variables an
# empty orderId stands for the order that was
# placed here last. Without the owner's token
# personal data is masked.
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
`;

  const callbacks = `# Where couriers and gateways reach the shop.
query WebhookUrls {
  plugin__webhookUrls { provider kind url }
}
`;

  // What this page has learnt of each shop: { token, order }. It is gone with the page.
  const learnt = {};

  const post = async (body, headers) => {
    const answer = await fetch(location.pathname, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return answer.json();
  };

  // fetcher sends what a tab has, with what was learnt in the place of what is left out.
  const fetcher = async ({ query, operationName, variables }, { headers = {} } = {}) => {
    const names = Object.fromEntries(Object.keys(headers).map((name) => [name.toLowerCase(), name]));
    const known = (learnt[headers[names["x-tenant"]]] ??= {});
    if (known.token && !names.authorization) {
      headers = { ...headers, Authorization: `Bearer ${known.token}` };
    }
    if (variables?.orderId === "" && known.order) {
      variables = { ...variables, orderId: known.order };
    }
    const answer = await post({ query, operationName, variables }, headers);
    for (const value of Object.values(answer.data ?? {})) {
      known.token = value?.accessToken ?? known.token;
      known.order = value?.orderToken ? value._id : known.order;
    }
    return answer;
  };

  // cart gives one item that can be bought now, for the variables of the orders.
  const cart = async () => {
    const query = "{ products(limit: 1, inStock: true) { nodes { _id handle variants { _id available } } } }";
    try {
      const [found] = (await post({ query }, { "x-tenant": tenant })).data.products.nodes;
      const variant = found.variants.find((v) => v.available);
      return { handle: found.handle, item: { productId: found._id, variantId: variant._id, quantity: 1 } };
    } catch {
      return { handle: "", item: { productId: "", variantId: "", quantity: 1 } }; // no such shop, or nothing to buy
    }
  };

  const tab = (query, variables) => ({ query, headers, variables: variables && JSON.stringify(variables, null, 2) });

  const start = async () => {
    const { handle, item } = await cart();
    const digits = String(crypto.getRandomValues(new Uint32Array(1))[0] % 1e8).padStart(8, "0");
    const buyer = { name: "Ayesha Rahman", phoneNumber: `017${digits}` }; // nobody's yet, so that Register works
    const password = "a long and quiet river";
    const cartOf = { items: [item], customer: buyer, shippingAddress: { line1: "House 12, Road 5", area: "Dhanmondi", city: "Dhaka" } };
    ReactDOM.createRoot(document.getElementById("graphiql")).render(
      React.createElement(GraphiQL, {
        fetcher,
        defaultHeaders: headers,
        defaultTabs: [
          tab(products),
          tab(product, { handle }),
          tab(shop),
          tab(register, { input: { ...buyer, password } }),
          tab(login, { input: { user: buyer.phoneNumber, password } }),
          tab(quote, { input: cartOf }),
          tab(place, { input: { ...cartOf, idempotencyKey: `graphiql-${digits}` } }),
          tab(orders),
          tab(track, { orderId: "" }),
          tab(callbacks),
        ],
        isHeadersEditorEnabled: true,
        shouldPersistHeaders: false, // a token stays out of the browser's storage
      }),
    );
  };
  start();
})();
