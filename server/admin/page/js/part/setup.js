// The steps of setting up the shop that are left, each with how it is done.

import { html } from '../html.js'
import { act, Problem } from '../api.js'
import { number } from '../i18n.js'
import { to } from '../router.js'
import { can } from '../session.js'
import { explain } from '../strings/problem.js'
import { t } from '../strings/setup.js'
import { icon } from './icon.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['SetupTask']} Task */

/** Where a step is done. @type {Record<string, () => string>} */
const views = {
  logo: () => setting('brand'),
  deliveryCharge: () => setting('delivery'),
  courier: () => provider('couriers'),
  payment: () => provider('payments'),
  sms: () => provider('sms'),
  design: () => (can('site.write') ? to('site') : ''),
  domain: () => setting('domains'),
  secondFactor: () => to('account'),
  product: () => (can('products.write') ? to('product', 'new') : ''),
  testOrder: () => (can('orders.write') ? to('new') : ''),
}

/** A section of the settings, whose way back leads here. */
const setting = (/** @type {string} */ section, permission = 'settings.write') =>
  can(permission) ? to('settings', section, { from: 'home' }) : ''

const provider = (/** @type {string} */ section) => setting(section, 'providers.write')

/** @param {{ tasks: Task[], isNew?: boolean, onHidden: () => void }} props */
export function Setup({ tasks, isNew = false, onHidden }) {
  const done = tasks.filter((task) => task.done).length
  const next = tasks.find((task) => !task.done)
  const hide = async () => {
    try {
      await act('settings', { setupHidden: true }, { method: 'PATCH', label: t('title') })
      onHidden()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      showToast(explain(error), { bad: true })
    }
  }
  return html`
    <section class="card list" id="setup">
      <div class="section row spread">
        <h2>${t('title')}</h2>
        <span class="quiet small nowrap">
          ${t('done', { done: number(done), all: number(tasks.length) })}
        </span>
      </div>
      ${tasks
        .filter((task) => isNew || !task.done)
        .map((task) => html`
          <${Step} key=${task.step} task=${task} isNext=${isNew && task === next} />
        `)}
      <div class="section right">
        <button class="link" id="hide-setup" onClick=${hide}>${t('hide')}</button>
      </div>
    </section>
  `
}

/** @param {{ task: Task, isNext: boolean }} props isNext: the first that is left */
function Step({ task: { step, done }, isNext }) {
  const title = t.dynamic(step)
  if (done)
    return html`
      <div class="fold" data-step=${step}>
        <span class="tone-good">${icon('circle-check')}</span>
        <span class="grow quiet">${title}</span>
        <span class="visually-hidden">${t('isDone')}</span>
      </div>
    `
  const text = html`<p class="quiet small">${t.dynamic('text_' + step)}</p>`
  const mark = html`<span class="quiet">${icon('circle')}</span>`
  const href = views[step]?.()
  if (href)
    return html`
      <div class="fold" data-step=${step}>
        ${mark}
        <span class="grow">${title}${text}</span>
        <a class=${isNext ? 'button primary' : 'button'} href=${href}>${t('start')}</a>
      </div>
    `
  return html`
    <details data-step=${step}>
      <summary class="fold">
        ${mark}
        <span class="grow">${title}</span>
        ${icon('chevron-down', 'mini')}
      </summary>
      <div class="section">${text}</div>
    </details>
  `
}
