// Whether a provider works with its account, in our words first and the provider's under Details.

import { html } from '../html.js'
import { dateTime } from '../i18n.js'
import { t } from '../strings/connection.js'
import { icon } from './icon.js'
import { Details } from './toast.js'

/** @typedef {import('../api.js').Schemas['Connection']} ConnectionStatus */

/** The state as a pill. isComplete: all that it needs is entered; otherwise it may be practised. */
export const connectionPill = (
  /** @type {ConnectionStatus} */ { state },
  /** @type {boolean} */ isComplete,
  isPractice = false,
) => {
  const shown = isComplete ? state : isPractice ? 'practice' : 'incomplete'
  const tone = { works: 'done', refused: 'bad', unreached: 'wait', unchecked: 'wait' }[state]
  return html`
    <span class="status-pill ${isComplete ? tone : isPractice ? 'move' : 'off'}">
      ${t.dynamic('state_' + shown)}
    </span>
  `
}

const icons = { works: 'circle-check', refused: 'circle-x', unreached: 'clock', unchecked: 'clock' }
const tones = { works: 'good', refused: 'bad', unreached: 'warn', unchecked: 'quiet' }

/**
 * With byMessage, the next message tries the connection again too.
 * @param {{ connection: ConnectionStatus, name: string, byMessage?: boolean }} props
 */
export function Connection({ connection, name, byMessage }) {
  const { state, provedAt, nextCheckAt, words, requestId } = connection
  const next = nextCheckAt
    ? t('again', { time: dateTime(nextCheckAt) })
    : t(byMessage ? 'nextMessage' : 'byHand')
  return html`
    <div class="stack connection">
      <p class="row top-aligned tone-${tones[state]}">
        ${icon(icons[state], 'mini')}
        <span class="grow">
          ${t.dynamic('text_' + state, { name, time: provedAt ? dateTime(provedAt) : '' })}
          ${state === 'unreached' && ' ' + next}
        </span>
      </p>
      ${state !== 'works' && html`<${Details} words=${words} requestId=${requestId} />`}
    </div>
  `
}
