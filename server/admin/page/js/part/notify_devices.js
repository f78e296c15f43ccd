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
import { say } from './toast.js'

/** @typedef {import('../api.js').Schemas['Preferences']} Preferences */
/** @typedef {Preferences['devices'][number]} Device */

const stateOf = (/** @type {Device} */ one) =>
  one.failingSince
    ? t('failing', { reason: one.error })
    : one.usedAt
      ? t('lastSent', { age: ago(one.usedAt) })
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
  const look = async () => {
    try {
      isSubscribed.value = (await ownSubscription(publicKey)) !== null
      const shop = await otherShop(publicKey, knownShops.value)
      other.value = shop ? name(shop.name) || t('unknownShop') : ''
    } catch {
      // The browser does not say.
    }
  }
  useEffect(() => {
    look()
  }, [publicKey])
  const own = ownDevice()
  const state = pushState(isSubscribed.value && devices.some((one) => one._id === own))
  const run = async (/** @type {string} */ what, /** @type {() => Promise<void>} */ action) => {
    if (busy.value) return
    busy.value = what
    try {
      await action()
    } catch (error) {
      say(
        error instanceof Problem
          ? explain(error)
          : t(Notification.permission === 'denied' ? 'blocked' : 'pushFailed'),
        { bad: true },
      )
    } finally {
      busy.value = ''
      look()
      reload()
    }
  }
  const on = () =>
    run('on', async () => {
      await turnOn(publicKey, session.value?.staffMember._id ?? '')
      say(t('turnedOn'))
    })
  const remove = (/** @type {Device} */ one) =>
    run(one._id, async () => {
      await removeDevice(one._id, publicKey)
      say(t('removed'))
    })
  const test = () =>
    run('test', async () => {
      result.value = await act('notifications/test')
    })
  return html`
    <section class="card sec stack" id="devices">
      <h2>${t('devices')}</h2>
      <p class="q">${t(state === 'on' ? 'isOn' : state === 'off' ? 'deviceText' : state)}</p>
      ${other.value && html`
        <p class="ban r" id="other-shop">
          ${icon('info')}
          <span>${t('otherShop', { shop: other.value })}</span>
        </p>
      `}
      ${state === 'off' && html`
        <button class="btn pri" id="push-on" aria-busy=${busy.value === 'on'} onClick=${on}>
          ${icon('bell')}
          ${t('turnOn')}
        </button>
      `}
      ${devices.map((one) => html`
        <div class="row" key=${one._id} data-device=${one._id}>
          <span class="q">${icon('smartphone')}</span>
          <span class="grow">
            ${browserName(one.agent)}
            ${one._id === own && html`
              ${' '}
              <span class="tag">${t('device')}</span>
            `}
            <br />
            <span class=${one.failingSince ? 'sm t-bad' : 'sm q'}>
              ${one._id === own && other.value
                ? t('endedFor', { shop: other.value })
                : stateOf(one)}
            </span>
          </span>
          <button class="btn mini" onClick=${() => remove(one)} aria-busy=${busy.value === one._id}>
            ${t('remove')}
          </button>
        </div>
      `)}
      <button class="btn" id="test" aria-busy=${busy.value === 'test'} onClick=${test}>
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
            ${result.value.targets.map((one) => html`
              <li class="sm">
                ${t(one.channel)}
                ${': '}
                ${one.channel === 'push' ? browserName(one.label) : one.label} – ${one.accepted
                  ? t('ok')
                  : one.error}
              </li>
            `)}
          </ul>
        `}
      </div>
    </section>
  `
}
