// The screens that have no place in the bar of a phone.

import { html } from '../html.js'
import { langOf } from '../i18n.js'
import { screenName, shownScreens } from '../nav.js'
import { to } from '../router.js'
import { session } from '../session.js'
import { t } from '../strings/common.js'
import { badge } from '../part/frame.js'
import { view as Branding } from '../part/branding.js'
import { icon } from '../part/icon.js'

export function view() {
  const member = session.value?.staffMember
  return html`
    <div class="stack narrow">
      <div class="head first">
        <h1 tabindex="-1">${t('more')}</h1>
      </div>
      <nav class="card list" aria-label=${t('more')}>
        ${shownScreens()
          .filter((screen) => !screen.tab)
          .map((screen) => html`
            <a class="fold" href=${to(screen.view)}>
              ${icon(screen.icon)}
              <span class="grow">${screenName(screen.view)}</span>
              ${badge(screen)}
              ${icon('chevron-right', 'mini')}
            </a>
          `)}
        <a class="fold" href=${to('account')}>
          ${icon('user')}
          <span class="grow">
            ${t('account')}
            <br />
            <span class="small quiet" lang=${langOf(member?.name)}>${member?.name}</span>
          </span>
          ${icon('chevron-right', 'mini')}
        </a>
      </nav>
      <${Branding} />
    </div>
  `
}
