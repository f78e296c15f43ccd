// States that an operator of the server is in the shop, why and until when, and the way out.

import { html } from '../html.js'
import { act } from '../api.js'
import { clock } from '../i18n.js'
import { session } from '../session.js'
import { t } from '../strings/console.js'
import { icon } from './icon.js'

/** Ends the visit, and shows the list of all shops. */
async function leave() {
  await act('session', {}, { method: 'DELETE' })
  location.hash = '#/-/shops'
  location.reload()
}

export function view() {
  const visit = session.value?.visit
  return (
    visit && html`
      <div class="banner jobs" id="visit">
        ${icon('info')}
        <span class="grow">
          ${t('visitBanner', {
            name: visit.operator,
            time: clock(visit.expiresAt),
            reason: visit.reason,
          })}
        </span>
        <button class="button mini" id="leave-shop" onClick=${leave}>${t('leave')}</button>
      </div>
    `
  )
}
