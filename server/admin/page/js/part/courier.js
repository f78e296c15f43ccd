// The couriers that a shop can book with.

import { html, useSignal } from '../html.js'
import { load, save } from '../device.js'
import { useGet } from '../resource.js'
import { to } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/book.js'
import { icon } from './icon.js'
import { word } from './status.js'

export const couriers = ['courier_a', 'courier_b']

/** The courier that was booked last on this device. */
export const lastCourier = () => load('courier') ?? couriers[0]

/**
 * The courier to book with: the one that is chosen, or else the one that was booked last on this
 * device, unless another is connected and this one is not. isConnected is true as long as the
 * caller cannot see which ones are.
 */
export function useCourier() {
  const { data } = useGet(can('providers.read') ? 'providers' : null)
  const chosen = useSignal('')
  const isConnected = (/** @type {string} */ courier) => {
    const found = data?.nodes.find((/** @type {any} */ provider) => provider.provider === courier)
    if (found?.practice) return true
    if (found?.connection.state === 'refused') return false
    return (
      found?.capabilities.find((/** @type {any} */ capability) => capability.name === 'booking')
        ?.ready ?? true
    )
  }
  const last = lastCourier()
  const courier = chosen.value || (isConnected(last) ? last : (couriers.find(isConnected) ?? last))
  return {
    courier,
    choose: (/** @type {string} */ provider) => {
      chosen.value = provider
    },
    isConnected: isConnected(courier),
  }
}

export const saveCourier = (/** @type {string} */ courier) => save('courier', courier)

/**
 * Returns the field of the form that edits an order, by the name of what a courier refuses;
 * undefined: it has none.
 */
export const fieldToEdit = (/** @type {string | null} */ name) =>
  /** @type {Record<string, string>} */ ({
    'customer.phoneNumber': 'phoneNumber',
    'customer.name': 'name',
    shippingAddress: 'line1',
  })[name ?? '']

/** Shows that a courier cannot be booked yet, and leads to where it is connected. */
export const NotConnected = (/** @type {{ courier: string }} */ { courier }) => html`
  <div class="banner rounded" role="status" id="not-connected">
    ${icon('truck')}
    <div class="grow stack">
      <span>
        <b>${t('notConnected', { courier: word(courier) })}</b> ${t('notConnectedText')}
      </span>
      <a class="button" href=${to('settings', 'couriers')}>
        ${t('connect', { courier: word(courier) })}
      </a>
    </div>
  </div>
`
