// States that a setting comes from the operator of the server, with the way to one's own.

import { html, useSignal } from '../html.js'
import { t } from '../strings/defaults.js'
import { useOperatorName } from './branding.js'
import { icon } from './icon.js'

/**
 * @param {{ id: string, title: string, locked: boolean, mayChange: boolean, own: () => any }} props
 *   own returns the form of one's own
 */
export function Inherited({ id, title, locked, mayChange, own }) {
  const isOwn = useSignal(false)
  if (isOwn.value) return own()
  return html`
    <section class="card section stack" id=${id}>
      <h2>${title}</h2>
      <${From} id=${id} locked=${locked} />
      ${!locked && mayChange && html`
        <button
          class="button"
          id=${id + '-own'}
          onClick=${() => {
            isOwn.value = true
          }}
        >
          ${t('useOwn')}
        </button>
      `}
    </section>
  `
}

/** @param {{ id: string, locked: boolean }} props */
function From({ id, locked }) {
  const name = useOperatorName()
  return html`
    <p class="quiet small" id=${id + '-inherited'}>
      ${icon('info', 'mini')} ${t(locked ? 'lockedBy' : 'fromServer', { name })}
    </p>
  `
}

/**
 * States that what follows is the operator's, or offers to use it.
 *
 * @param {{ id: string, on: boolean, locked: boolean, mayChange: boolean, follow: () => void }}
 *   props
 */
export function Follow({ id, on, locked, mayChange, follow }) {
  const name = useOperatorName()
  if (on) return html`<${From} id=${id} locked=${locked} />`
  return (
    mayChange && html`
      <p>
        <button type="button" class="link" id=${id + '-follow'} onClick=${follow}>
          ${t('useServers', { name })}
        </button>
      </p>
    `
  )
}
