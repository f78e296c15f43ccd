// What the frame leads to. A screen stands here if the caller may see it.

import { can, firstList, isSandbox } from './session.js'
import { count } from './live.js'
import { t } from './strings/common.js'

/**
 * tab: in the bar of a phone; the others are behind More there.
 * @typedef {{ view: string, icon: string, key: string, permission: string, or?: string, tab?:
 *   boolean, count?: () => number, unit?: string, urgent?: boolean, bad?: boolean }} Screen
 */

/** @type {Screen[]} */
const screens = [
  { view: 'home', icon: 'house', key: 'h', permission: 'orders.read', tab: true },
  {
    view: 'orders',
    icon: 'inbox',
    key: 'o',
    permission: 'orders.read',
    tab: true,
    count: () => count(firstList()),
    urgent: true,
  },
  { view: 'call', icon: 'phone', key: 'q', permission: 'orders.write' },
  { view: 'products', icon: 'package', key: 'p', permission: 'products.read', tab: true },
  { view: 'cash', icon: 'hand-coins', key: 'c', permission: 'cash.read', tab: true },
  { view: 'stock', icon: 'boxes', key: 's', permission: 'products.read' },
  { view: 'collections', icon: 'layers', key: 'l', permission: 'products.read' },
  { view: 'coupons', icon: 'ticket-percent', key: 'k', permission: 'coupons.read' },
  { view: 'customers', icon: 'user', key: 'u', permission: 'customers.read' },
  {
    view: 'returns',
    icon: 'undo-2',
    key: 'r',
    permission: 'orders.fulfill',
    count: () => count('returning'),
  },
  {
    view: 'payments',
    icon: 'wallet',
    key: 'm',
    permission: 'payments.read',
    count: () => count('toRefund'),
    unit: 'paymentsOf',
    bad: true,
  },
  {
    view: 'incomplete',
    icon: 'phone-missed',
    key: 'i',
    permission: 'orders.write',
    count: () => count('incomplete'),
    unit: 'incompleteOf',
  },
  {
    view: 'wallets',
    icon: 'badge-check',
    key: 'y',
    permission: 'orders.read',
    count: () => count('walletPayments'),
    unit: 'paymentsOf',
  },
  { view: 'analytics', icon: 'chart-column', key: 'a', permission: 'analytics.read' },
  { view: 'site', icon: 'palette', key: 'w', permission: 'site.read' },
  { view: 'team', icon: 'users', key: 't', permission: 'staff.read' },
  {
    view: 'developers',
    icon: 'key-round',
    key: 'd',
    permission: 'providers.read',
    or: 'keys.write',
  },
  { view: 'settings', icon: 'settings', key: 'e', permission: 'settings.read' },
]

export const shownScreens = () =>
  screens.filter((screen) => can(screen.permission) || (screen.or && can(screen.or)))

export const screenName = (/** @type {string} */ view) =>
  t.dynamic(view === 'call' ? 'callQueue' : view)

export { isSandbox }
