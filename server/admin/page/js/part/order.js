// One order, opened beside its list or as a screen of its own. What it shows is loaded later: the
// first visit is for the list.

import { html, useEffect } from '../html.js'
import { dateTime, digits } from '../i18n.js'
import { touched } from '../live.js'
import { useGet } from '../resource.js'
import { to } from '../router.js'
import { session } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/orders.js'
import { icon } from './icon.js'
import { Later } from './later.js'
import { openPrint } from './printing.js'
import { Failed, OrderSkeleton } from './states.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */

const loadShown = () => import('../part/order_shown.js')

/** @param {{ id: string, close: () => void, pane?: boolean }} props */
export function Order({ id, close, pane }) {
  const { data: order, problem, reload } = useGet('orders/' + encodeURIComponent(id))
  useEffect(() => {
    loadShown().catch(() => {})
  }, []) // while the order is requested
  useEffect(() => {
    const event = touched.value
    if (!event || event.subject !== id) return
    reload()
    if (event.actor && event.actor !== session.value?.staffMember._id) showToast(t('changedNow'))
  }, [touched.value])
  return html`
    <${Bar} order=${order} close=${close} pane=${pane} />
    ${problem && !order
      ? html`<${Failed} problem=${problem} retry=${reload} title=${t('orderNotLoaded')} />`
      : order
        ? html`<${Later} load=${loadShown} meanwhile=${Loading} order=${order} close=${close} />`
        : html`<${Loading} />`}
  `
}

const Loading = () => html`
  <div class="stack order">
    <${OrderSkeleton} />
  </div>
`

/** Where staff had the order from. One of the storefront needs no word. */
const from = ['phone', 'facebook', 'whatsapp', 'instagram', 'shop', 'other']

/** @param {{ order?: StaffOrder, close: () => void, pane?: boolean }} props */
function Bar({ order, close, pane }) {
  return html`
    <header class="top plain over">
      <button
        class="icon-button"
        aria-label=${pane ? common('close') : common('back')}
        onClick=${close}
      >
        ${icon(pane ? 'x' : 'arrow-left')}
      </button>
      <div class="title">
        <${pane ? 'h2' : 'h1'} tabindex="-1">
          ${order ? '#' + digits(order.orderNumber) : t('order')}
        <//>
        ${order && html`
          <div class="small quiet">
            ${dateTime(order.placedAt)}
            ${from.includes(order.source) && ' · ' + t.dynamic('from_' + order.source)}
          </div>
        `}
      </div>
      ${order && html`
        <button
          class="icon-button"
          aria-label=${t('print')}
          aria-haspopup="dialog"
          onClick=${() => openPrint([order._id])}
        >
          ${icon('printer')}
        </button>
      `}
      ${pane && order && html`
        <a class="icon-button" aria-label=${t('expand')} href=${to('order', order._id)}>
          ${icon('external-link')}
        </a>
      `}
    </header>
  `
}
