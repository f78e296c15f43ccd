// What the parts of the screen for developers share: a secret that is shown once, a confirmation,
// and a choice of some of many.

import { html, useSignal } from '../html.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/developers.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { attempt } from './product_change.js'
import { copy } from './toast.js'

/** @param {{ title: string, secret: string, close: () => void, children?: any }} props */
export const SecretDialog = ({ title, secret, close, children }) => html`
  <${Dialog} title=${title} text=${t('secretText')} close=${close} id="secret-once">
    <p class="mono secret" id="secret" aria-label=${t('secret')}>${secret}</p>
    ${children}
    <div class="row">
      <button type="button" class="button big" onClick=${() => copy(secret)}>
        ${icon('copy')}
        ${common('copy')}
      </button>
      <button type="button" class="button primary big" onClick=${close}>${t('stored')}</button>
    </div>
  <//>
`

/**
 * @param {{ title: string, text: string, button: string, bad?: boolean, run: () => Promise<any>,
 *   close: () => void }} props
 */
export function Confirm({ title, text, button, bad = true, run, close }) {
  const busy = useSignal(false)
  async function confirm() {
    if (busy.value) return
    busy.value = true
    await attempt(run)
    busy.value = false
    close()
  }
  return html`
    <${Dialog} title=${title} text=${text} close=${close} id="confirm">
      <div class="row">
        <button type="button" class="button big" onClick=${close}>${common('cancel')}</button>
        <button
          type="button"
          class="button big ${bad ? 'bad' : 'primary'}"
          aria-busy=${busy.value}
          onClick=${confirm}
        >
          ${button}
        </button>
      </div>
    <//>
  `
}

/**
 * Chips of technical names, in groups by what stands before the dot.
 * @param {{ label: string, all: readonly string[], chosen: string[], onChange: (chosen: string[])
 *   => void, error?: string }} props
 */
export function Names({ label, all, chosen, onChange, error }) {
  const groups = [...new Set(all.map((permission) => permission.split('.')[0]))]
  return html`
    <fieldset class="names stack">
      <legend class="label">${label}</legend>
      ${groups.map((group) => html`
        <div class="row wraps" key=${group}>
          ${all
            .filter((permission) => permission.split('.')[0] === group)
            .map((permission) => html`
              <label class="chip" key=${permission}>
                <input
                  type="checkbox"
                  class="visually-hidden"
                  name=${permission}
                  checked=${chosen.includes(permission)}
                  onChange=${() =>
                    onChange(
                      chosen.includes(permission)
                        ? chosen.filter((other) => other !== permission)
                        : [...chosen, permission],
                    )}
                />
                <span lang="en">${permission}</span>
              </label>
            `)}
        </div>
      `)}
      ${error && html`
        <p class="error" role="alert" tabindex="-1">
          ${icon('circle-alert', 'mini')}
          <span>${error}</span>
        </p>
      `}
    </fieldset>
  `
}
