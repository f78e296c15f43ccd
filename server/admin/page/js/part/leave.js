// The question before unsaved changes are left.

import { html, render } from '../html.js'
import { t } from '../strings/common.js'
import { Dialog } from './dialog.js'

/** Shows a question. @returns {Promise<boolean>} whether to leave */
export function ask(/** @type {string} */ question) {
  const root = document.body.appendChild(document.createElement('div'))
  return new Promise((resolve) => {
    const end = (isLeaving = false) => {
      render(null, root)
      root.remove()
      resolve(isLeaving)
    }
    render(
      html`
        <${Dialog} free id="leave" title=${t('leaveTitle')} text=${question} close=${() => end()}>
          <div class="row">
            <button type="button" class="button bad big" onClick=${() => end(true)}>
              ${t('leave')}
            </button>
            <button type="button" class="button primary big" onClick=${() => end()}>
              ${t('stay')}
            </button>
          </div>
        <//>
      `,
      root,
    )
  })
}
