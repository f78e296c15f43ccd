// Search and commands in one field.

import { html, useEffect, useSignal } from '../html.js'
import { get } from '../api.js'
import { age, digits, langOf, money, plainDigits } from '../i18n.js'
import { counts } from '../live.js'
import { open, to } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/common.js'
import { t as orders } from '../strings/orders.js'
import { closeOnLeave, Dialog } from './dialog.js'
import { icon } from './icon.js'
import { bare } from './status.js'

/** @typedef {{ icon: string, text: string, keys?: string, run: () => void }} Command */

/** @param {{ close: () => void, commands: Command[] }} props */
export function Palette({ close, commands }) {
  const text = useSignal('')
  const found = useSignal(/** @type {import('../api.js').Schemas['OrderRow'][]} */ ([]))
  const at = useSignal(0)
  const words = plainDigits(text.value.trim())
  useEffect(() => {
    found.value = []
    at.value = 0
    if (words.length < 2 || !can('orders.read')) return
    const abort = new AbortController()
    const timer = setTimeout(() => {
      get('orders', { search: words.replace(/^#/, ''), limit: 5 }, { signal: abort.signal }).then(
        (list) => {
          found.value = list.nodes
        },
        () => {},
      )
    }, 150)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [words])
  /** @type {Command[]} */
  const lists = Object.keys(words && counts.value).map((view) => ({
    icon: 'inbox',
    text: orders.dynamic(view),
    run: () => open(to('orders', '', { view })),
  }))
  const fitting = [...commands, ...lists].filter((command) =>
    command.text.toLowerCase().includes(words.toLowerCase()),
  )
  /** @type {{ key: string, run: () => void, view: any }[]} */
  const all = [
    ...fitting.map((command) => ({
      key: command.text,
      run: command.run,
      view: html`
        ${icon(command.icon)}
        <span class="grow">${command.text}</span>
        ${command.keys && html`<kbd>${command.keys}</kbd>`}
      `,
    })),
    ...found.value.map((row) => ({
      key: row._id,
      run: () => open(to('order', row._id)),
      view: html`
        ${icon('inbox')}
        <span class="grow cut">
          <span class="row spread">
            <b class="cut" lang=${langOf(row.customer.name)}>${row.customer.name}</b>
            <b class="nowrap">${can('prices.read') && money(row.total)}</b>
          </span>
          <span class="row spread">
            <span class="small quiet cut">#${digits(row.orderNumber)} · ${age(row.placedAt)}</span>
            ${bare(row.status)}
          </span>
        </span>
      `,
    })),
    ...(words.length >= 2
      ? [
          {
            key: 'all',
            run: () => open(to('orders', '', { view: 'all', search: words.replace(/^#/, '') })),
            view: html`
              ${icon('search')}
              <span class="grow cut">${orders('searchAll', { text: text.value.trim() })}</span>
            `,
          },
        ]
      : []),
  ]
  useEffect(() => closeOnLeave(close), [])
  const run = (/** @type {number} */ i) => {
    close()
    all[i]?.run()
  }
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) at.value = Math.max(0, Math.min(all.length - 1, at.value + step))
    else if (event.key === 'Enter') run(at.value)
    else return
    event.preventDefault()
  }
  return html`
    <${Dialog} title=${t('commands')} close=${close} kind="palette" id="palette" free>
      <div class="input">
        ${icon('search')}
        <input
          id="command"
          role="combobox"
          aria-expanded="true"
          aria-controls="found"
          autofocus
          autocomplete="off"
          aria-activedescendant=${all.length > 0 ? 'found-' + at.value : undefined}
          aria-label=${t('commandsHint')}
          placeholder=${t('searchHint')}
          onInput=${(/** @type {FieldEvent} */ event) => {
            text.value = event.target.value
          }}
          onKeyDown=${onKeyDown}
        />
      </div>
      <ul id="found" role="listbox" aria-label=${t('commands')} class="options">
        ${all.map((command, i) => html`
          <li
            key=${command.key}
            id=${'found-' + i}
            role="option"
            aria-selected=${i === at.value}
            class=${i === at.value ? 'option on' : 'option'}
            onClick=${() => run(i)}
          >
            ${command.view}
          </li>
        `)}
      </ul>
      ${all.length === 0 && html`
        <p class="quiet" role="status">${t('noCommand', { text: text.value })}</p>
      `}
    <//>
  `
}
