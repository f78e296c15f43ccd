// Making the sandbox of a shop, for its developers.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { number } from '../i18n.js'
import { changed } from '../resource.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/console_sandbox.js'
import { Dialog } from './dialog.js'
import { formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { copy } from './toast.js'

/** @param {{ path: string }} props */
export function Sandbox({ path }) {
  const isOpen = useSignal(false)
  const close = () => {
    isOpen.value = false
  }
  return html`
    <button
      class="button"
      id="sandbox"
      onClick=${() => {
        isOpen.value = true
      }}
    >
      ${t('make')}
    </button>
    ${isOpen.value && html`<${Make} path=${path} close=${close} />`}
  `
}

/** @param {{ path: string, close: () => void }} props */
function Make({ path, close }) {
  const made = useSignal(/** @type {import('../api.js').Schemas['Sandbox'] | null} */ (null))
  const { form, errors, busy, onSubmit } = useForm([], async () => {
    made.value = await act(path + '/sandbox', {})
    changed()
  })
  if (made.value) {
    const { uid, key, orders } = made.value
    return html`
      <${Dialog}
        title=${t('made', { uid })}
        text=${t('madeText', { orders: number(orders) })}
        close=${close}
        id="sandbox-made"
        free
      >
        <div class="field">
          <label for="sandbox-key">${t('key')}</label>
          <div class="input">
            <input id="sandbox-key" class="mono" readonly value=${key} />
          </div>
        </div>
        <button class="button" id="copy-key" onClick=${() => copy(key)}>
          ${icon('copy')}
          ${common('copy')}
        </button>
        <button class="button primary big" id="sandbox-done" onClick=${close}>${t('done')}</button>
      <//>
    `
  }
  return html`
    <${Dialog} title=${t('make')} text=${t('makeText')} close=${close} id="make-sandbox" free>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Submit} busy=${busy.value}>${t('make')}<//>
      </form>
    <//>
  `
}
