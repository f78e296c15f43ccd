// The dialog that imports a CSV file, first as a dry run.

import { html, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { changed } from '../resource.js'
import { explain } from '../strings/problem.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { showToast } from './toast.js'

const mostShown = 50

/**
 * The words of a plan are those of the operation's result. Without words for its action there is
 * nothing to import.
 * @template Result
 * @param {{ id: string, path: string, title: string, text: string, choose: string,
 *   problems: string, line: (n: number) => string, plan: (found: Result) => string,
 *   action: (found: Result) => string, done: (saved: Result) => string, close: () => void }} props
 */
export function ImportFile({
  id,
  path,
  title,
  text,
  choose,
  problems,
  line: lineOf,
  plan: planOf,
  action,
  done,
  close,
}) {
  const file = useSignal(/** @type {File | null} */ (null))
  const plan = useSignal(/** @type {Result | null} */ (null))
  const problem = useSignal(
    /** @type {{ text: string, lines: { line: number, message: string }[] } | null} */ (null),
  )
  const busy = useSignal(false)
  async function send(/** @type {boolean} */ dryRun) {
    if (!file.value || busy.value) return
    busy.value = true
    problem.value = null
    try {
      const found = await act(path, file.value, {
        type: 'text/csv',
        query: { dryRun: dryRun || undefined },
        label: title,
        ...(dryRun && { key: '' }), // a preview can be repeated
      })
      if (dryRun) plan.value = found
      else {
        changed()
        showToast(done(found))
        close()
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      plan.value = null
      problem.value = {
        text: error.errors.length > 0 ? problems : explain(error),
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
  const run = found && action(found)
  return html`
    <${Dialog} title=${title} text=${text} close=${close} id=${id}>
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
        ${file.value ? file.value.name : choose}
      </label>
      <div role="status">${found && html`<p>${planOf(found)}</p>`}</div>
      ${problem.value && html`
        <div class="banner bad rounded" role="alert">
          ${icon('circle-alert')}
          <div class="grow">
            ${problem.value.text}
            <ul class="small">
              ${problem.value.lines.slice(0, mostShown).map(({ line, message }) => html`
                <li>
                  ${lineOf(line)} <span lang="en">${message}</span>
                </li>
              `)}
            </ul>
          </div>
        </div>
      `}
      ${run && html`
        <button
          type="button"
          class="button primary big"
          id="run"
          aria-busy=${busy.value}
          onClick=${() => send(false)}
        >
          ${run}
        </button>
      `}
    <//>
  `
}
