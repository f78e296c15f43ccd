// The screen of one order.

import { html } from '../html.js'
import { goBack, route, to } from '../router.js'
import { Order } from '../part/order.js'
import { allowed } from '../part/states.js'

export const view = () =>
  allowed('orders.read', () => html`
    <${Order} key=${route.value.id} id=${route.value.id} close=${() => goBack(to('orders'))} />
  `)
