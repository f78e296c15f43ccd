// A new link, shown once, to be sent by any messenger; and a question before something serious.

import { html } from '../html.js'
import { Problem } from '../api.js'
import { dateTime } from '../i18n.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/console.js'
import { Dialog } from './dialog.js'
import { formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { copy } from './toast.js'

/** @param {{ name: string, link: any, address: string, close: () => void }} props */
export function NewLink({ name, link, address, close }) {
  const url = `${location.origin}${location.pathname}#/${address}/link/${link.token}`
  return html`
    <${Dialog}
      title=${t('sendLink', { name })}
      text=${t('sendLinkText', { time: dateTime(link.expiresAt) })}
      close=${close}
      id="new-link"
      free
    >
      <div class="field">
        <label for="link-url">${t('link')}</label>
        <div class="input">
          <input id="link-url" class="mono" readonly value=${url} />
        </div>
      </div>
      <button class="button" id="copy-link" onClick=${() => copy(url)}>
        ${icon('copy')}
        ${common('copy')}
      </button>
      <button class="button primary big" id="link-done" onClick=${close}>${t('done')}</button>
    <//>
  `
}

/**
 * @param {{ title: string, text: string, action: string, run: () => Promise<void>, close: () =>
 *   void }} props
 */
export function Confirm({ title, text, action, run, close }) {
  const { form, errors, busy, onSubmit } = useForm([], run)
  return html`
    <${Dialog} title=${title} text=${text} close=${close} id="confirm" free>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Submit} busy=${busy.value} kind="bad big">${action}<//>
      </form>
    <//>
  `
}

/** Returns the error of a form for a new shop: a UID that another shop has is one of its field. */
export const refusedShop = (/** @type {any} */ error) =>
  error.code === 'shop_exists'
    ? new Problem(422, { errors: [{ field: 'uid', code: 'invalid', message: t('uidTaken') }] })
    : error
