// Who must sign in with a second factor.

import { html, useEffect, useSignal } from '../html.js'
import { Problem, send } from '../api.js'
import { guard } from '../router.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/team.js'
import { Choice, hasChanges, SettingCard } from './setting_card.js'

/** @typedef {import('./setting_card.js').Loaded} Loaded */

const choices = () =>
  /** @type {[string, string][]} */ ([
    ['none', t('factor_none')],
    ['owners', t('factor_owners')],
    ['everyone', t('factor_everyone')],
  ])

export function SecondFactor() {
  const loaded = useSignal(/** @type {Loaded | null} */ (null))
  const load = async () => {
    const { data, etag } = await send('GET', 'settings')
    return (loaded.value = { settings: data, etag })
  }
  useEffect(() => {
    load().catch((error) => {
      if (!(error instanceof Problem)) throw error
    }) // the rest of the screen reports it
  }, [])
  useEffect(() => guard(() => (hasChanges() ? common('unsaved') : null)), [])
  return (
    loaded.value && html`
      <${SettingCard}
        id="set-factor"
        title=${t('factorTitle')}
        text=${t('factorText')}
        fields=${['requireSecondFactor']}
        loaded=${loaded.value}
        reload=${load}
        draftOf=${(/** @type {any} */ s) => ({
          requireSecondFactor: s.requireSecondFactor || 'none',
        })}
        bodyOf=${(/** @type {any} */ d) => d}
        lines=${(/** @type {any} */ d) => [
          [t('factorTitle'), t.dynamic('factor_' + d.requireSecondFactor)],
        ]}
        form=${(/** @type {any} */ d, /** @type {any} */ change) => html`
          <${Choice}
            id="requireSecondFactor"
            label=${t('factorWho')}
            value=${d.requireSecondFactor}
            choices=${choices()}
            onChange=${(/** @type {string} */ to) => change({ requireSecondFactor: to })}
          />
        `}
      />
    `
  )
}
