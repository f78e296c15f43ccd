// The list of shortcuts.

import { html } from '../html.js'
import { singleKeys } from '../keys.js'
import { screenName, shownScreens } from '../nav.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/shortcuts.js'
import { Dialog } from './dialog.js'

/** @param {{ close: () => void }} props */
export function view({ close }) {
  /** @type {[string[], string][]} */
  const keys = [
    ...shownScreens().map(
      (screen) => /** @type {[string[], string]} */ ([['g', screen.key], screenName(screen.view)]),
    ),
    [['/'], t('keySearch')],
    [['Ctrl K'], t('keyPalette')],
    [['j', 'k'], t('keyMove')],
    [['x', 'Shift x'], t('keySelect')],
    [['Enter'], t('keyOpen')],
    [['c'], t('keyConfirm')],
    [['b'], t('keyBook')],
    [['p'], t('keyPrint')],
    [['l'], t('keyCall')],
    [['1', '2', '3', '4', '5'], t('keyOutcome')],
    [['z', 'Ctrl Z'], common('undo')],
    [['n'], common('newOrder')],
    [['Esc'], t('keyBack')],
    [['?'], t('keyHelp')],
  ]
  return html`
    <${Dialog} title=${common('shortcuts')} close=${close}>
      ${!singleKeys.value && html`<p class="banner info rounded">${t('shortcutsOff')}</p>`}
      <dl class="keys">
        ${keys.map(([list, text]) => html`
          <dt>
            ${list.map((key) => html`
              <kbd>${key}</kbd>
              ${' '}
            `)}
          </dt>
          <dd>${text}</dd>
        `)}
      </dl>
    <//>
  `
}
