// The dashboard: chooses the view of the address, and loads it when it is first shown. The list of
// orders is here from the start: most visits begin there.

import { effect, html, render, useEffect, useSignal } from './html.js'
import { removeOldDrafts } from './device.js'
import { language } from './i18n.js'
import { shortcuts } from './keys.js'
import { isWide } from './media.js'
import { clearMemory } from './resource.js'
import { Problem } from './api.js'
import { start } from './place.js'
import { goBack, leaving, route, shopUID, to } from './router.js'
import { decline, knownShops, loadProblem, loadSession, opened, session } from './session.js'
import { Frame, Offline } from './part/frame.js'
import { Later } from './part/later.js'
import { printing } from './part/printing.js'
import { Failed, NotFound, Skeleton, skeletonRows } from './part/states.js'
import { t } from './strings/common.js'
import { prepare, view as orders } from './view/orders.js'
import './live.js'
import './install.js'

leaving.confirm = async (question) => (await import('./part/leave.js')).ask(question)

/**
 * The views, loaded when first shown.
 * @type {Record<string, { load: () => Promise<{ view: any }>, bare?: () => boolean }>}
 */
const views = {
  home: { load: () => import('./view/home.js') },
  orders: {
    load: async () => ({ view: orders }),
    bare: () => route.value.id !== '' && !isWide.value,
  },
  order: { load: () => import('./view/order.js'), bare: () => true },
  book: { load: () => import('./view/book.js'), bare: () => true },
  new: { load: () => import('./view/new_order.js'), bare: () => true },
  edit: { load: () => import('./view/edit_order.js'), bare: () => true },
  call: { load: () => import('./view/call.js'), bare: () => true },
  returns: { load: () => import('./view/returns.js') },
  products: { load: () => import('./view/products.js') },
  product: { load: () => import('./view/product.js'), bare: () => true },
  import: { load: () => import('./view/import.js'), bare: () => true },
  collections: { load: () => import('./view/collections.js'), bare: () => route.value.id !== '' },
  stock: { load: () => import('./view/stock.js') },
  coupons: { load: () => import('./view/coupons.js'), bare: () => route.value.id !== '' },
  customers: { load: () => import('./view/customers.js'), bare: () => route.value.id !== '' },
  payments: { load: () => import('./view/payments.js') },
  wallets: { load: () => import('./view/wallets.js') },
  incomplete: { load: () => import('./view/incomplete.js') },
  site: { load: () => import('./view/site.js') },
  settings: { load: () => import('./view/settings.js'), bare: () => route.value.id !== '' },
  cash: { load: () => import('./view/cash.js'), bare: () => route.value.id !== '' },
  conversions: { load: () => import('./view/conversions.js') },
  analytics: { load: () => import('./view/analytics.js') },
  team: { load: () => import('./view/team.js'), bare: () => route.value.id !== '' },
  developers: { load: () => import('./view/developers.js') },
  account: { load: () => import('./view/account.js') },
  notifications: { load: () => import('./view/notifications.js') },
  more: { load: () => import('./view/more.js') },
}

/** Views for people without a session. */
const doors = {
  signIn: () => import('./view/sign_in.js'),
  link: () => import('./view/link.js'),
  setUp: () => import('./view/set_up.js'),
  console: () => import('./view/console.js'),
}

const loadPrint = () => import('./view/print.js')
const loadReauth = () => import('./part/reauth_dialog.js')

/** @typedef {import('./html.js').Component} Component */

/** @type {Map<() => Promise<{ view: Component }>, Component>} */
const loaded = new Map([[views.orders.load, orders]])

function Lazy(/** @type {{ load: () => Promise<{ view: Component }> }} */ { load }) {
  const View = useSignal(loaded.get(load))
  const failed = useSignal(false)
  useEffect(() => {
    failed.value = false
    View.value = loaded.get(load)
    if (View.value) return
    load().then(
      (module) => {
        loaded.set(load, module.view)
        View.value = module.view
      },
      () => {
        failed.value = true
      },
    )
  }, [load])
  const Shown = View.value ?? loaded.get(load)
  if (Shown) return html`<${Shown} key=${language.value} />`
  if (failed.value)
    return html`<${Failed} problem=${new Problem(0, {})} retry=${() => location.reload()} />`
  return html`<${Skeleton}>${skeletonRows()}<//>`
}

/** Whether the address is that of a link: #/UID/link/TOKEN. */
const isLink = () => route.value.view === 'link' && route.value.shop !== ''

/**
 * Whether the address is that of the link to create the first shop: #/setup/TOKEN. No view has so
 * long a name.
 */
const isSetUp = () => route.value.shop === 'setup' && route.value.view.length > 20

/** Whether the address is of the operators' console: no shop has this UID. */
const isConsole = () => route.value.shop === '-'

function App() {
  const { view } = route.value
  const screen = views[/** @type {keyof typeof views} */ (view)]
  useEffect(
    () =>
      shortcuts({
        Escape: () => {
          if (route.value.view !== 'home') goBack(to('home'))
        },
      }),
    [],
  )
  if (isConsole()) return html`<${Lazy} key="console" load=${doors.console} />`
  if (isLink()) return html`<${Lazy} key="link" load=${doors.link} />`
  if (isSetUp()) return html`<${Lazy} key="setUp" load=${doors.setUp} />`
  if (session.value === undefined)
    return html`
      <div class="sign-in">
        <${Skeleton}>${skeletonRows(3)}<//>
      </div>
    `
  if (session.value === null) {
    if (loadProblem.value?.status === 0 && shopUID.value !== '') return html`<${Offline} />`
    return loadProblem.value &&
      loadProblem.value.code !== 'tenant_not_found' &&
      shopUID.value !== ''
      ? html`
          <main class="sign-in">
            <h1 tabindex="-1">${shopUID.value}</h1>
            <${Failed} problem=${loadProblem.value} retry=${loadSession} />
          </main>
        `
      : html`<${Lazy} key="door" load=${doors.signIn} />`
  }
  return html`
    <${Frame} bare=${screen?.bare?.()}>
      ${screen ? html`<${Lazy} key=${view} load=${screen.load} />` : html`<${NotFound} />`}
    <//>
    ${printing.value && html`<${Lazy} key="print" load=${loadPrint} />`}
    ${opened.value && html`<${Later} load=${loadReauth} close=${decline} />`}
  `
}

// Another shop is another session. A link brings its own.
let shop = /** @type {string | null} */ (null)
effect(() => {
  const uid = shopUID.value
  if (uid !== shop) {
    shop = uid
    clearMemory()
    session.value = undefined
  }
  if (isConsole() || isLink() || isSetUp() || session.peek() !== undefined) return
  loadSession()
  if (route.peek().view === 'orders' && knownShops.peek().some((shop) => shop.uid === uid))
    prepare()
})

// Images of products that are not published are for staff, whose session is at this host and not at
// that of the CDN in front of the images.
document.addEventListener(
  'error',
  ({ target }) => {
    if (!(target instanceof HTMLImageElement)) return
    const { origin, pathname } = new URL(target.currentSrc || target.src, location.href)
    if (origin === location.origin || !pathname.includes('/media/')) return
    target.removeAttribute('srcset')
    target.src = pathname.slice(pathname.indexOf('/media/'))
  },
  true,
)

removeOldDrafts()
render(html`<${App} />`, /** @type {Element} */ (document.getElementById('app')))
start()
