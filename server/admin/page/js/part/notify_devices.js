// The browsers that show notifications, and the test.

import { html, useEffect, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { ago, name } from '../i18n.js'
import { otherShop, ownDevice, ownSubscription, pushState, removeDevice, turnOn } from '../push.js'
import { knownShops, session } from '../session.js'
import { t } from '../strings/notifications.js'
import { explain } from '../strings/problem.js'
import { browserName } from './agent.js'
import { icon } from './icon.js'
import { Details, showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['Preferences']} Preferences */
/** @typedef {Preferences['devices'][number]} Device */

const stateOf = (/** @type {Device} */ device) =>
  device.failingSince
    ? t(device.refused ? 'deviceRefused' : 'notReached')
    : device.usedAt
      ? t('lastSent', { age: ago(device.usedAt) })
      : t('neverSent')

/** @param {{ preferences: Preferences, reload: () => void }} props */
export function Devices({ preferences, reload }) {
  const isSubscribed = useSignal(false)
  const other = useSignal('') // the shop whose notifications this browser shows instead
  const busy = useSignal('')
  const result = useSignal(/** @type {import('../api.js').Schemas['TestResult'] | null} */ (null))
  const {
    devices,
    push: { publicKey },
  } = preferences
  const refresh = async () => {
    try {
      isSubscribed.value = (await ownSubscription(publicKey)) !== null
      const shop = await otherShop(publicKey, knownShops.value)
      other.value = shop ? name(shop.name) || t('unknownShop') : ''
    } catch {
      // The browser does not say.
    }
  }
  useEffect(() => {
    refresh()
  }, [publicKey])
  const own = ownDevice()
  const state = pushState(isSubscribed.value && devices.some((device) => device._id === own))
  const run = async (/** @type {string} */ what, /** @type {() => Promise<void>} */ action) => {
    if (busy.value) return
    busy.value = what
    try {
      await action()
    } catch (error) {
      showToast(
        error instanceof Problem
          ? explain(error)
          : t(Notification.permission === 'denied' ? 'blocked' : 'pushFailed'),
        { bad: true },
      )
    } finally {
      busy.value = ''
      refresh()
      reload()
    }
  }
  const on = () =>
    run('on', async () => {
      await turnOn(publicKey, session.value?.staffMember._id ?? '')
      showToast(t('turnedOn'))
    })
  const remove = (/** @type {Device} */ device) =>
    run(device._id, async () => {
      await removeDevice(device._id, publicKey)
      showToast(t('removed'))
    })
  const test = () =>
    run('test', async () => {
      result.value = await act('notifications/test')
    })
  return html`
    <section class="card section stack" id="devices">
      <h2>${t('devices')}</h2>
      <p class="quiet">${t(state === 'on' ? 'isOn' : state === 'off' ? 'deviceText' : state)}</p>
      ${other.value && html`
        <p class="banner rounded" id="other-shop">
          ${icon('info')}
          <span>${t('otherShop', { shop: other.value })}</span>
        </p>
      `}
      ${state === 'off' && html`
        <button class="button primary" id="push-on" aria-busy=${busy.value === 'on'} onClick=${on}>
          ${icon('bell')}
          ${t('turnOn')}
        </button>
      `}
      ${devices.map((device) => html`
        <div class="row" key=${device._id} data-device=${device._id}>
          <span class="quiet">${icon('smartphone')}</span>
          <span class="grow">
            ${browserName(device.agent)}
            ${device._id === own && html`
              ${' '}
              <span class="tag">${t('device')}</span>
            `}
            <br />
            <span class=${device.failingSince ? 'small tone-bad' : 'small quiet'}>
              ${device._id === own && other.value
                ? t('endedFor', { shop: other.value })
                : stateOf(device)}
            </span>
            <${Details} words=${device.error} />
          </span>
          <button
            class="button mini"
            onClick=${() => remove(device)}
            aria-busy=${busy.value === device._id}
          >
            ${t('remove')}
          </button>
        </div>
      `)}
      <button class="button" id="test" aria-busy=${busy.value === 'test'} onClick=${test}>
        ${icon('send')}
        ${t('test')}
      </button>
      <div role="status" id="test-result">
        ${result.value && html`
          <p>
            ${result.value.targets.length === 0
              ? t('nowhere')
              : t('accepted', { count: result.value.accepted })}
          </p>
          <ul>
            ${result.value.targets.map((target) => html`
              <li class="small">
                ${t(target.channel)}
                ${': '}
                ${target.channel === 'push' ? browserName(target.label) : target.label}
                ${' – '}
                ${t(target.accepted ? 'ok' : target.refused ? 'refused' : 'notReached')}
                <${Details} words=${target.error} />
              </li>
            `)}
          </ul>
        `}
      </div>
    </section>
  `
}
