// Starts GraphiQL with headers and tabs that work against the demo shop as they stand.
// ?tenant=UID chooses another shop.
"use strict";

(() => {
  const tenant = new URLSearchParams(location.search).get("tenant") || "demo";
  const headers = JSON.stringify({ "x-tenant": tenant }, null, 2);

  const products = `# Products on sale, with what each variant costs. Press Ctrl-Enter to run it.
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

  const account = `# Register once, then put the token beside x-tenant in Headers:
#   "Authorization": "Bearer …"
mutation Register($input: StorefrontRegisterInput!) {
  register(input: $input) {
    accessToken
    user { _id name phoneNumber }
  }
}

query Me {
  me { _id name email phoneNumber }
  myOrders(limit: 5) { nodes { orderNumber status total { formatted } } }
}
`;

  const order = `# Variables hold the first product that can be bought now.
query Quote($input: OrderInput!) {
  quoteOrder(input: $input) {
    items { title quantity unitPrice { formatted } total { formatted } }
    delivery { name }
    deliveryCharge { formatted }
    total { amount formatted }
  }
}

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

  // cart gives one item that can be bought now, for the variables of the last tab.
  const cart = async () => {
    const query = "{ products(limit: 1, inStock: true) { nodes { _id variants { _id available } } } }";
    try {
      const answer = await fetch(location.pathname, {
        method: "POST",
        headers: { "Content-Type": "application/json", "x-tenant": tenant },
        body: JSON.stringify({ query }),
      });
      const [product] = (await answer.json()).data.products.nodes;
      const variant = product.variants.find((v) => v.available);
      return { productId: product._id, variantId: variant._id, quantity: 1 };
    } catch {
      return { productId: "", variantId: "", quantity: 1 }; // no such shop, or nothing to buy
    }
  };

  const person = { name: "Ayesha Rahman", phoneNumber: "01711-000000" };
  const tab = (query, variables) => ({ query, headers, variables: variables && JSON.stringify(variables, null, 2) });

  const start = async () => {
    const tabs = [
      tab(products),
      tab(shop),
      tab(account, { input: { ...person, password: "a long and quiet river" } }),
      tab(order, {
        input: {
          items: [await cart()],
          customer: person,
          shippingAddress: { line1: "House 12, Road 5", area: "Dhanmondi", city: "Dhaka" },
        },
      }),
    ];
    ReactDOM.createRoot(document.getElementById("graphiql")).render(
      React.createElement(GraphiQL, {
        fetcher: GraphiQL.createFetcher({ url: location.pathname }),
        defaultHeaders: headers,
        defaultTabs: tabs,
        isHeadersEditorEnabled: true,
        shouldPersistHeaders: false, // a token stays out of the browser's storage
      }),
    );
  };
  start();
})();
