// A link with which a staff member sets a password: shown once, to be sent by any messenger.

import { html, useRef } from '../html.js'
import { dateTime, langOf, name } from '../i18n.js'
import { shopUID } from '../router.js'
import { session } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/team.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { copy } from './toast.js'

/** @typedef {import('../api.js').Schemas['InvitedMember']} Invited */

/** @param {{ invited: Invited, close: () => void }} props */
export function LinkDialog({ invited: { link, staffMember: member }, close }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))
  const page = location.origin + location.pathname
  const url = `${page}#/${encodeURIComponent(shopUID.value)}/link/${link.token}`
  const text = t(link.kind === 'invite' ? 'sent_invite' : 'sent_reset', {
    shop: name(session.value?.shop.name),
    url,
  })
  const body = encodeURIComponent(text)
  const number = member.phoneNumber ?? ''
  // what reaches the person comes first
  const kind = (/** @type {boolean} */ first) => (first ? 'button primary' : 'button')
  return html`
    <${Dialog}
      title=${t('linkTitle', { name: member.name })}
      close=${close}
      id="link"
      text=${t('linkText', { name: member.name, time: dateTime(link.expiresAt) })}
    >
      <div class="field">
        <label for="link-url">${t('link')}</label>
        <div class="input">
          <input
            ref=${field}
            id="link-url"
            class="mono"
            readonly
            value=${url}
            onFocus=${() => field.current?.select()}
          />
        </div>
      </div>
      <div class="send-by">
        <a
          class=${kind(number !== '')}
          target="_blank"
          rel="noopener noreferrer"
          href=${`https://wa.me/${number.replace('+', '')}?text=${body}`}
        >
          ${icon('message-circle')}
          ${t('whatsapp')}
        </a>
        <a class="button" href=${`sms:${number}?body=${body}`}>
          ${icon('message-square-text')}
          ${t('sms')}
        </a>
        <a
          class=${kind(number === '')}
          href=${`mailto:${encodeURIComponent(member.email ?? '')}?body=${body}`}
        >
          ${icon('mail')}
          ${t('mail')}
        </a>
        <button type="button" class="button" id="copy-link" onClick=${() => copy(url)}>
          ${icon('copy')}
          ${common('copy')}
        </button>
      </div>
      <button type="button" class="button big" id="link-done" onClick=${close}>
        ${t('finished')}
      </button>
    <//>
  `
}

/** A name in its own language. */
export const named = (/** @type {string} */ text) => html`<span lang=${langOf(text)}>${text}</span>`
