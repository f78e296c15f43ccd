// What the frame leads to. A screen stands here if the caller may see it.

import { can, isSandbox } from './session.js'
import { count } from './live.js'
import { t } from './strings/frame.js'

/** @typedef {{ view: string, icon: string, key: string, permission: string, count?: () => number, urgent?: boolean, bad?: boolean }} Screen */

/** @type {Screen[]} */
const screens = [
  { view: 'home', icon: 'house', key: 'h', permission: 'orders.read' },
  { view: 'orders', icon: 'inbox', key: 'o', permission: 'orders.read', count: () => count('toConfirm'), urgent: true },
  { view: 'returns', icon: 'undo-2', key: 'r', permission: 'orders.fulfill', count: () => count('returning') },
  { view: 'payments', icon: 'wallet', key: 'm', permission: 'payments.read', count: () => count('toRefund'), bad: true },
]

export const shownScreens = () => screens.filter((one) => can(one.permission))

export const screenName = (/** @type {string} */ view) => t(/** @type {any} */ (view))

export { isSandbox }
