// What surrounds every view: the bars and menus, banners and messages.

import { html, useEffect, useSignal } from '../html.js'
import { offlineSince } from '../api.js'
import { maxUnseen, unseen } from '../bell.js'
import { clock, langOf, language, name, number, setLanguage } from '../i18n.js'
import { shortcuts } from '../keys.js'
import { muted, setSound, sound, titleCount } from '../live.js'
import { isSandbox, screenName, shownScreens } from '../nav.js'
import { open, ownPath, route, to } from '../router.js'
import { can, knownShops, loadSession, session, setTheme, signOut, theme } from '../session.js'
import { t } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { Dialog } from './dialog.js'
import { countMark } from './count.js'
import { icon } from './icon.js'
import { JobBars, JobDialog } from './job_dialog.js'
import { Later } from './later.js'
import { Palette } from './palette.js'
import { Empty } from './states.js'
import { Toasts, showToast } from './toast.js'

export const badge = (/** @type {import('../nav.js').Screen} */ screen) => {
  const n = screen.count?.() ?? 0
  return n > 0 && countMark(n, screen.urgent ? 'hot' : screen.bad ? 'bad' : '', screen.unit)
}

/** Some views are part of the orders. */
const isOfOrders = (/** @type {string} */ view) => /^(order|book|edit|new)$/.test(view)

const isCurrent = (/** @type {string} */ view) =>
  route.value.view === view ||
  (view === 'orders' && isOfOrders(route.value.view)) ||
  (view === 'products' && /^(product|import)$/.test(route.value.view))
    ? 'page'
    : undefined

export const logo = () => {
  const url = ownPath(session.value?.shop.logoUrl)
  return url
    ? html`<img class="logo" src=${url} alt="" />`
    : html`<span class="logo" aria-hidden="true">${icon('store')}</span>`
}

const titleOf = (/** @type {string} */ view) =>
  isOfOrders(view)
    ? t('orders')
    : /^(product|import)$/.test(view)
      ? t('products')
      : /^(account|more|notifications)$/.test(view) ||
          shownScreens().some((screen) => screen.view === view)
        ? screenName(view)
        : t('notFound')

const bell = (/** @type {string} */ kind, /** @type {string} */ word) => html`
  <a class="bell ${kind}" href=${to('notifications')} aria-current=${isCurrent('notifications')}>
    ${icon('bell')}
    <span class=${word}>${t('notifications')}</span>
    ${unseen.value > 0 && html`
      <span class="count hot" aria-hidden="true">
        ${number(unseen.value) + (unseen.value < maxUnseen ? '' : '+')}
      </span>
      <span class="visually-hidden">${t('unseenOf', { count: unseen.value })}</span>
    `}
  </a>
`

const shopName = () =>
  name(
    session.value?.shop.name ??
      knownShops.value.find((shop) => shop.uid === route.value.shop)?.name ??
      route.value.shop,
  )

const loadAnnouncements = () => import('../part/announcements.js')
const loadVisit = () => import('../part/visit_banner.js')
const loadSuspended = () => import('../part/suspended_banner.js')
const loadBrand = () => import('./branding.js')
const loadShortcuts = () => import('./shortcuts.js')

const retryEvery = 15_000

/**
 * The frame while nothing could be loaded for want of a network. It fills itself once there is one.
 */
export function Offline() {
  useEffect(() => {
    const timer = setInterval(loadSession, retryEvery)
    addEventListener('online', loadSession)
    return () => {
      clearInterval(timer)
      removeEventListener('online', loadSession)
    }
  }, [])
  return html`
    <div class="wide">
      <div class="col-main">
        <header class="top plain shell">
          <span class="shop">
            ${logo()}
            <span class="cut" lang=${langOf(shopName())}>${shopName()}</span>
          </span>
        </header>
        <main id="main" tabindex="-1">
          <${Empty}
            screen
            icon="wifi-off"
            title=${t('offline', { time: clock(offlineSince.value ?? Date.now()) })}
            text=${t('offlineEmpty')}
          >
            <button class="button primary" onClick=${loadSession}>
              ${icon('rotate-cw')}
              ${t('tryAgain')}
            </button>
          <//>
        </main>
      </div>
    </div>
  `
}

function ShopSwitcher(/** @type {{ close: () => void }} */ { close }) {
  return html`
    <${Dialog} title=${t('switchShop')} close=${close}>
      <ul class="options">
        ${knownShops.value.map(({ uid, name: title }) => html`
          <li>
            <a class="option" href=${'#/' + encodeURIComponent(uid) + '/home'} onClick=${close}>
              ${icon('store')}
              <span class="grow">
                <b lang=${langOf(name(title))}>${name(title)}</b>
                <br />
                <span class="small quiet">${uid}</span>
              </span>
              ${uid === route.value.shop && icon('check')}
            </a>
          </li>
        `)}
        <li>
          <a class="option" href="#/?other=1" onClick=${close}>
            ${icon('arrow-right')}
            <span class="grow">${t('otherShop')}</span>
          </a>
        </li>
      </ul>
    <//>
  `
}

function Side({ openShops }) {
  const member = session.value?.staffMember
  return html`
    <nav class="side" aria-label=${t('mainMenu')}>
      <button class="shop" onClick=${openShops} aria-label=${t('switchShop') + ': ' + shopName()}>
        ${logo()}
        <span class="cut" lang=${langOf(shopName())}>${shopName()}</span>
        ${icon('chevrons-up-down', 'mini')}
      </button>
      ${bell('', '')}
      ${shownScreens().map((screen) => html`
        <a href=${to(screen.view)} aria-current=${isCurrent(screen.view)}>
          ${icon(screen.icon)}
          ${screenName(screen.view)}
          ${badge(screen)}
        </a>
      `)}
      <${Later} load=${loadBrand} at="foot" />
      <a class="foot" href=${to('account')} aria-current=${isCurrent('account')}>
        <span class="face" aria-hidden="true">${[...(member?.name ?? '?')][0]}</span>
        <span class="grow cut">
          <span lang=${langOf(member?.name)}>${member?.name}</span>
          <br />
          <span class="tiny quiet">${t.dynamic('role_' + member?.role)}</span>
        </span>
      </a>
    </nav>
  `
}

function Tabs() {
  const tabs = shownScreens().filter((screen) => screen.tab)
  return html`
    <nav class="bottom-tabs" aria-label=${t('mainMenu')}>
      ${tabs.map((screen) => html`
        <a href=${to(screen.view)} aria-current=${isCurrent(screen.view)}>
          ${icon(screen.icon)}
          ${screen.view === 'cash' ? t('cashTab') : screenName(screen.view)}
          ${badge(screen)}
        </a>
      `)}
      <a
        href=${to('more')}
        aria-current=${tabs.some((screen) => isCurrent(screen.view)) ? undefined : 'page'}
      >
        ${icon('menu')}
        ${t('more')}
      </a>
    </nav>
  `
}

function Banners() {
  const since = offlineSince.value
  return html`
    <div role="status">
      ${since && html`
        <p class="banner">
          ${icon('wifi-off')}
          <span>
            <b>${t('offline', { time: clock(since) })}</b> ${t('offlineText')}
          </span>
        </p>
      `}
      ${session.value?.shop.suspended && html`<${Later} load=${loadSuspended} />`}
      ${isSandbox.value && html`
        <p class="banner info">
          ${icon('info')}
          <span>${t('sandbox')}</span>
        </p>
      `}
      ${muted.value && sound.value !== 'off' && html`
        <div class="banner info jobs">
          ${icon('volume-2')}
          <span class="grow">${t('muted')}</span>
          <button class="button mini" id="unmute" onClick=${() => setSound(sound.value)}>
            ${t('unmute')}
          </button>
        </div>
      `}
      ${session.value && session.value.shop.announcements.length > 0 && html`
        <${Later} load=${loadAnnouncements} />
      `}
      ${session.value?.visit && html`<${Later} load=${loadVisit} />`}
      <${JobBars} />
    </div>
  `
}

/** @typedef {import('./palette.js').Command} Command */

/** The commands beside those that lead to a view. @returns {Command[]} */
const commands = () => [
  ...shownScreens().map((screen) => ({
    icon: screen.icon,
    text: screenName(screen.view),
    keys: 'g ' + screen.key,
    run: () => open(to(screen.view)),
  })),
  ...(can('products.write')
    ? [
        { icon: 'image-plus', text: t('newProduct'), run: () => open(to('product', 'new')) },
        { icon: 'file-up', text: t('importProducts'), run: () => open(to('import')) },
      ]
    : []),
  ...(can('coupons.write')
    ? [{ icon: 'ticket-percent', text: t('newCoupon'), run: () => open(to('coupons', 'new')) }]
    : []),
  ...(can('orders.write')
    ? [{ icon: 'plus', text: t('newOrder'), keys: 'n', run: () => open(to('new')) }]
    : []),
  { icon: 'bell', text: t('notifications'), run: () => open(to('notifications')) },
  { icon: 'user', text: t('account'), run: () => open(to('account')) },
  ...['light', 'dark', 'system']
    .filter((colours) => colours !== theme.value)
    .map((colours) => ({
      icon: { light: 'sun', dark: 'moon' }[colours] ?? 'monitor',
      text: t('colours', { name: t.dynamic(colours) }),
      run: () => setTheme(colours),
    })),
  {
    icon: 'languages',
    text: t('otherLanguage'),
    run: () => setLanguage(language.value === 'bn' ? 'en' : 'bn'),
  },
  { icon: 'keyboard', text: t('shortcuts'), keys: '?', run: () => {} },
  {
    icon: 'log-out',
    text: t('signOut'),
    run: () => {
      signOut().catch((problem) => showToast(explain(problem), { bad: true }))
    },
  },
]

/**
 * The frame around a view. bare: a view with bars of its own, such as an order on a phone.
 * @param {{ children?: any, bare?: boolean }} props
 */
export function Frame({ children, bare }) {
  const dialog = useSignal(/** @type {'' | 'shops' | 'palette' | 'keys'} */ (''))
  const close = () => {
    dialog.value = ''
  }
  useEffect(() => {
    /** @type {Record<string, () => void>} */
    const keys = {
      '/': () => {
        dialog.value = 'palette'
      },
      'Ctrl K': () => {
        dialog.value = 'palette'
      },
      '?': () => {
        dialog.value = 'keys'
      },
    }
    if (can('orders.write')) keys.n = () => open(to('new'))
    for (const screen of shownScreens()) keys['g ' + screen.key] = () => open(to(screen.view))
    return shortcuts(keys)
  }, [session.value?.permissions])
  useEffect(() => {
    document.title = titleCount.value + titleOf(route.value.view) + ' – ' + shopName()
  }, [titleCount.value, route.value, language.value])
  return html`
    <a
      class="skip"
      href="#main"
      onClick=${(/** @type {Event} */ event) => {
        event.preventDefault()
        document.getElementById('main')?.focus()
      }}
    >
      ${t('skip')}
    </a>
    <div class="wide">
      <${Side} openShops=${() => {
        dialog.value = 'shops'
      }} />
      <div class="col-main">
        <${Banners} />
        ${!bare && html`
          <header class="top">
            <button
              class="shop"
              onClick=${() => {
                dialog.value = 'shops'
              }}
              aria-label=${t('switchShop') + ': ' + shopName()}
            >
              ${logo()}
              <span class="cut" lang=${langOf(shopName())}>${shopName()}</span>
              ${icon('chevron-down', 'mini')}
            </button>
            ${bell('icon-button', 'visually-hidden')}
            <button
              class="icon-button"
              aria-label=${t('search')}
              onClick=${() => {
                dialog.value = 'palette'
              }}
            >
              ${icon('search')}
            </button>
          </header>
        `}
        <main id="main" tabindex="-1">${children}</main>
      </div>
    </div>
    ${!bare && html`<${Tabs} />`}
    <${JobDialog} />
    <${Toasts} />
    ${dialog.value === 'shops' && html`<${ShopSwitcher} close=${close} />`}
    ${dialog.value === 'palette' && html`
      <${Palette}
        close=${close}
        commands=${commands().map((command) =>
          command.keys === '?'
            ? {
                ...command,
                run: () =>
                  setTimeout(() => {
                    dialog.value = 'keys'
                  }),
              }
            : command,
        )}
      />
    `}
    ${dialog.value === 'keys' && html`<${Later} load=${loadShortcuts} close=${close} />`}
  `
}
