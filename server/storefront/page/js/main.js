// The entry point. It loads the data of the frame, then the view of the address.

import { Problem, forgetResponses } from './api.js'
import { name } from './language.js'
import { draw, showAddress } from './part/frame.js'
import { failure } from './part/states.js'
import { start } from './router.js'
import { collections, tenant } from './shop.js'

// The modules of the views, each loaded when it is needed first. The server preloads that of the
// address, and knows by which parameter: see describe.go.
const modules = {
  account: () => import('./view/account.js'),
  checkout: () => import('./view/checkout.js'),
  home: () => import('./view/home.js'),
  order: () => import('./view/order.js'),
  pages: () => import('./view/pages.js'),
  product: () => import('./view/product.js'),
  products: () => import('./view/products.js'),
}

// The view of an address: by the first parameter found, otherwise by `view`. A view is a function
// of its module, which has its name unless another one is given.
const view = (module, name = module) => ({ module, name })
const byParameter = {
  order: view('order'),
  product: view('product'),
  collection: view('products'),
  search: view('products'),
  policy: view('pages', 'policy'),
}
const byName = {
  products: view('products'),
  checkout: view('checkout'),
  account: view('account'),
  track: view('pages', 'track'),
}

function viewOf(query) {
  if (location.pathname !== '/') return notFound
  const parameter = Object.keys(byParameter).find((key) => query.get(key))
  const { module, name } = byParameter[parameter] ?? byName[query.get('view')] ?? view('home')
  return async (query, signal) => (await load(module))[name](query, signal)
}

async function notFound() {
  throw new Problem(404, { code: 'not_found' })
}

async function load(module) {
  try {
    return await modules[module]()
  } catch (error) {
    if (error instanceof TypeError)
      throw new Problem(0, { detail: 'The shop could not be reached.' })
    throw error
  }
}

async function run() {
  try {
    const [shop, all] = await Promise.all([tenant(), collections()])
    draw(shop, all)
    await start(viewOf, showAddress, (view) => {
      document.title = view.title ? `${view.title} · ${name(shop.name)}` : name(shop.name)
    })
    forgetResponses()
  } catch (error) {
    document.getElementById('main').replaceChildren(failure(error, run))
  }
}

// The other views are loaded once the buyer does something, so that they are there without a
// connection too.
const loadAll = () => Object.keys(modules).forEach((module) => load(module).catch(() => {}))
for (const event of ['pointerdown', 'keydown']) addEventListener(event, loadAll, { once: true })

run()
