// Whether what buyers type without ordering is stored, and the notice about it.

import { html } from '../html.js'
import { t } from '../strings/incomplete.js'
import { icon } from './icon.js'
import { Area, SettingCard } from './setting_card.js'

/** @typedef {import('./setting_card.js').Loaded} Loaded */
/** @typedef {{ enabled: boolean, optOut: boolean, notice: string }} Draft */

const yesNo = (/** @type {boolean} */ is) => t(is ? 'yes' : 'no')

/** @param {{ loaded: Loaded, reload: () => Promise<Loaded> }} props */
export const Incomplete = (props) => html`
  <${SettingCard}
    ...${props}
    id="set-incomplete"
    title=${t('settingTitle')}
    text=${t('settingText')}
    fields=${['incompleteOrders.notice']}
    draftOf=${(/** @type {any} */ { incompleteOrders }) => incompleteOrders}
    bodyOf=${(/** @type {Draft} */ d) => ({
      incompleteOrders: { ...d, notice: d.notice.trim() },
    })}
    lines=${(/** @type {Draft} */ d) => [
      [t('enabled'), yesNo(d.enabled)],
      [t('optOut'), yesNo(d.optOut)],
      [t('notice'), d.notice],
    ]}
    form=${(
      /** @type {Draft} */ d,
      /** @type {(to: Partial<Draft>) => void} */ change,
      /** @type {Record<string, string>} */ errors,
    ) => html`
      <p class="hint row">${icon('info')}${t('law')}</p>
      <div>
        ${/** @type {['enabled' | 'optOut', string][]} */ ([
          ['enabled', 'enabledHint'],
          ['optOut', 'optOutHint'],
        ]).map(([key, hint]) => html`
          <label class="row choice">
            <input
              type="checkbox"
              class="checkbox"
              id=${'incomplete-' + key}
              checked=${d[key]}
              onChange=${(/** @type {FieldEvent} */ event) =>
                change({ [key]: event.target.checked })}
            />
            <span class="grow">
              ${t.dynamic(key)}
              <br />
              <span class="small quiet">${t.dynamic(hint)}</span>
            </span>
          </label>
        `)}
      </div>
      <${Area}
        name="incompleteOrders.notice"
        label=${t('notice')}
        hint=${t('noticeHint')}
        value=${d.notice}
        errors=${errors}
        rows="3"
        maxlength="250"
        onInput=${(/** @type {FieldEvent} */ event) => change({ notice: event.target.value })}
      />
    `}
  />
`
