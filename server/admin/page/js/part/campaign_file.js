// What was spent, from a file of Ads Manager: first as a dry run.

import { html, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { money } from '../i18n.js'
import { changed } from '../resource.js'
import { t } from '../strings/campaigns.js'
import { explain } from '../strings/problem.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['SpendSaved']} Saved */

const mostShown = 50

/** @param {{ close: () => void }} props */
export function view({ close }) {
  const file = useSignal(/** @type {File | null} */ (null))
  const plan = useSignal(/** @type {Saved | null} */ (null))
  const problem = useSignal(
    /** @type {{ text: string, lines: { line: number, message: string }[] } | null} */ (null),
  )
  const busy = useSignal(false)
  async function send(/** @type {boolean} */ dryRun) {
    if (!file.value || busy.value) return
    busy.value = true
    problem.value = null
    try {
      const saved = await act('imports/spend', file.value, {
        type: 'text/csv',
        query: { dryRun: dryRun || undefined },
        label: t('file'),
        ...(dryRun && { key: '' }), // a preview can be repeated
      })
      if (dryRun) plan.value = saved
      else {
        changed()
        showToast(t('saved', { total: money(saved.total) }))
        close()
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      plan.value = null
      problem.value = {
        text: error.errors.length > 0 ? t('problems') : explain(error),
        lines: error.errors.map(({ field, message }) => ({
          line: Number(/^line\[(\d+)\]/.exec(field)?.[1] ?? 1),
          message,
        })),
      }
    } finally {
      busy.value = false
    }
  }
  const found = plan.value
  return html`
    <${Dialog} title=${t('file')} text=${t('fileText')} close=${close} id="spend-import">
      <label class="button file">
        <input
          type="file"
          class="visually-hidden"
          id="file"
          accept=".csv,text/csv,text/plain"
          disabled=${busy.value}
          onChange=${(/** @type {FieldEvent} */ event) => {
            file.value = event.target.files?.[0] ?? null
            event.target.value = ''
            plan.value = null
            send(true)
          }}
        />
        ${icon(busy.value ? 'loader' : 'file-up', busy.value ? 'spin' : '')}
        ${file.value ? file.value.name : t('choose')}
      </label>
      <div role="status">
        ${found && html`
          <p>
            ${t('plan', {
              total: money(found.total),
              saved: found.saved,
              removed: found.removed,
              unchanged: found.unchanged,
            })}
          </p>
        `}
      </div>
      ${problem.value && html`
        <div class="banner bad rounded" role="alert">
          ${icon('circle-alert')}
          <div class="grow">
            ${problem.value.text}
            <ul class="small">
              ${problem.value.lines.slice(0, mostShown).map(({ line, message }) => html`
                <li>
                  ${t('line', { n: line })} <span lang="en">${message}</span>
                </li>
              `)}
            </ul>
          </div>
        </div>
      `}
      ${found && found.saved + found.removed > 0 && html`
        <button
          type="button"
          class="button primary big"
          id="run"
          aria-busy=${busy.value}
          onClick=${() => send(false)}
        >
          ${t('run', { total: money(found.total) })}
        </button>
      `}
    <//>
  `
}
