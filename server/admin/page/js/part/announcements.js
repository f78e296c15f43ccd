// Messages of the operator of the server, such as about maintenance. Each person dismisses them on
// each device.

import { html, signal } from '../html.js'
import { langOf, language } from '../i18n.js'
import { session } from '../session.js'
import { t } from '../strings/announcement.js'
import { icon } from './icon.js'

const key = 'announcements'

const stored = () => {
  try {
    return /** @type {string[]} */ (JSON.parse(localStorage.getItem(key) ?? '[]'))
  } catch {
    return []
  }
}

const dismissed = signal(stored())

/** What identifies an announcement for the person who is signed in. */
const entry = (/** @type {any} */ { id }) => session.value?.staffMember?._id + ' ' + id

function dismiss(/** @type {any} */ announcement) {
  dismissed.value = [...stored(), entry(announcement)].slice(-100)
  try {
    localStorage.setItem(key, JSON.stringify(dismissed.value))
  } catch {
    // without storage it is shown again after the next start
  }
}

export function view() {
  const all = /** @type {any[]} */ (session.value?.shop.announcements ?? [])
  const shown = all.filter(
    (one) =>
      !dismissed.value.includes(entry(one)) && !(one.until && Date.parse(one.until) <= Date.now()),
  )
  return shown.map((one) => {
    const text = (language.value === 'bn' ? one.bn : one.en) || one.en || one.bn
    return html`
      <div class="banner info jobs announcement" key=${one.id}>
        ${icon('info')}
        <span class="grow">
          <b>${t.dynamic('kind_' + one.kind)}:</b>
          ${' '}
          <span lang=${langOf(text)}>${text}</span>
        </span>
        <button class="button mini" onClick=${() => dismiss(one)}>${t('dismiss')}</button>
      </div>
    `
  })
}
