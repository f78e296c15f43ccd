// States that the shop is closed to buyers, who closed it, and whether it will be deleted.

import { html } from '../html.js'
import { dateTime } from '../i18n.js'
import { session } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/console.js'
import { icon } from './icon.js'

export function view() {
  const held = session.value?.shop.suspension
  const text = held
    ? [
        t('heldByOperator'),
        held.reason,
        held.deleteAt && t('willBeDeleted', { time: dateTime(held.deleteAt) }),
      ].join(' ')
    : common('suspended')
  return html`
    <p class="banner bad" id="suspended">
      ${icon('circle-alert')}
      <span>${text}</span>
    </p>
  `
}
