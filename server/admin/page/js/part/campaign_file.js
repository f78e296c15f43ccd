// What was spent, from a file of Ads Manager.

import { html } from '../html.js'
import { money } from '../i18n.js'
import { t } from '../strings/campaigns.js'
import { ImportFile } from './import_file.js'

/** @typedef {import('../api.js').Schemas['SpendSaved']} Saved */

/** @param {{ close: () => void }} props */
export const view = ({ close }) => html`
  <${ImportFile}
    id="spend-import"
    path="imports/spend"
    title=${t('file')}
    text=${t('fileText')}
    choose=${t('choose')}
    problems=${t('problems')}
    line=${(/** @type {number} */ n) => t('line', { n })}
    plan=${(/** @type {Saved} */ { total, saved, removed, unchanged }) =>
      t('plan', { total: money(total), saved, removed, unchanged })}
    action=${(/** @type {Saved} */ { total, saved, removed }) =>
      saved + removed > 0 ? t('run', { total: money(total) }) : ''}
    done=${(/** @type {Saved} */ { total }) => t('saved', { total: money(total) })}
    close=${close}
  />
`
