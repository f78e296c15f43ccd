// The recovery codes of a second factor, which are shown once.

import { html } from '../html.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/account.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { copy } from './toast.js'

/** @param {{ codes: string[], close: () => void }} props */
export const RecoveryCodes = ({ codes, close }) => html`
  <${Dialog} title=${t('codes')} text=${t('codesText')} close=${close} id="codes">
    <ul class="mono codes">${codes.map((code) => html`<li>${code}</li>`)}</ul>
    <div class="row">
      <button class="button big" onClick=${() => copy(codes.join('\n'))}>
        ${icon('copy')}
        ${common('copy')}
      </button>
      <button class="button primary big" onClick=${close}>${t('written')}</button>
    </div>
  <//>
`
