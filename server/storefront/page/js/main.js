// The entry point. It loads the data of the frame, then the view of the address.

import { name } from './language.js'
import { draw, markCurrent } from './part/frame.js'
import { failure } from './part/states.js'
import { start } from './router.js'
import { collections, tenant } from './shop.js'
import { account } from './view/account.js'
import { checkout } from './view/checkout.js'
import { home } from './view/home.js'
import { order } from './view/order.js'
import { policy, track } from './view/pages.js'
import { product } from './view/product.js'
import { products } from './view/products.js'

// The view of an address: by the first parameter found, otherwise by `view`.
const byParameter = { order, product, collection: products, search: products, policy }
const byName = { products, checkout, account, track }

function viewOf(query) {
  const parameter = Object.keys(byParameter).find((key) => query.get(key))
  return byParameter[parameter] ?? byName[query.get('view')] ?? home
}

async function run() {
  try {
    const [shop, all] = await Promise.all([tenant(), collections()])
    draw(shop, all)
    await start(viewOf, (view, query) => {
      document.title = view.title ? `${view.title} · ${name(shop.name)}` : name(shop.name)
      markCurrent(query)
    })
  } catch (error) {
    document.getElementById('main').replaceChildren(failure(error, run))
  }
}

run()
