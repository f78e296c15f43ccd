// Suspends or resumes many shops: what would happen, the reason, and the result of each.

import { html, useEffect, useSignal } from '../html.js'
import { act, Problem, send } from '../api.js'
import { langOf, name as inLanguage } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { t } from '../strings/console.js'
import { t as plans } from '../strings/plan.js'
import { PlanChoice } from './console_plans.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { Failed, Skeleton, skeletonRows } from './states.js'

/**
 * @typedef {{ uid: string, name: string, ok: boolean, changed: boolean, message: string | null }}
 *   Result
 */

/** How many shops one change can have. */
export const most = 100

/**
 * @param {{ action: 'suspend' | 'resume' | 'plan', uids: string[], close: () => void, end: () =>
 *   void }} props
 */
export function Many({ action, uids, close, end }) {
  const plan = useSignal(/** @type {Result[] | null} */ (null))
  const done = useSignal(/** @type {Result[] | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  const turn = useSignal(0)
  const chosen = useSignal('')
  const { data: offered } = useGet(action === 'plan' ? 'plans' : null)
  const assigned = action === 'plan' ? chosen.value || undefined : undefined
  useEffect(() => {
    problem.value = null
    const abort = new AbortController()
    const body = { action, shops: uids, plan: assigned, dryRun: true, reason: '-' }
    send('POST', 'bulk/shops', { body, signal: abort.signal }).then(
      ({ data }) => {
        plan.value = data.results
      },
      (error) => {
        if (abort.signal.aborted) return
        if (!(error instanceof Problem)) throw error
        problem.value = error
      },
    )
    return () => abort.abort()
  }, [turn.value, assigned])
  const { form, errors, busy, onSubmit } = useForm(
    action === 'suspend' ? ['reason'] : [],
    async (/** @type {any} */ { reason }) => {
      done.value = (
        await act('bulk/shops', { action, shops: uids, reason, plan: assigned })
      ).results
      changed()
    },
  )
  const title =
    action === 'plan'
      ? plans('changePlan')
      : t(action === 'suspend' ? 'suspendMany' : 'resumeMany', { count: uids.length })
  if (done.value) {
    const ok = done.value.filter((result) => result.ok).length
    return html`
      <${Dialog} title=${title} close=${end} id="many" free>
        <p id="many-done" role="status">
          <b>${t('manyDone', { count: ok })}</b>
        </p>
        <${Names} results=${done.value.filter((result) => !result.ok)} />
        <button class="button primary big" onClick=${end}>${t('done')}</button>
      <//>
    `
  }
  const bad = plan.value?.filter((result) => !result.ok) ?? []
  const count = plan.value?.filter((result) => result.changed).length ?? 0
  const same = (plan.value?.length ?? 0) - bad.length - count
  return html`
    <${Dialog}
      title=${title}
      text=${action === 'plan'
        ? undefined
        : t(action === 'suspend' ? 'suspendText' : 'resumeManyText')}
      close=${close}
      id="many"
    >
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        ${offered && html`<${PlanChoice} plans=${offered.nodes} chosen=${chosen} />`}
        ${problem.value
          ? html`<${Failed} problem=${problem.value} retry=${() => turn.value++} />`
          : !plan.value
            ? html`<${Skeleton}>${skeletonRows(3)}<//>`
            : html`
                <p id="many-plan">
                  <b>${t('manyChange', { count })}</b>
                  ${same > 0 && html`
                    ${' '}
                    <span class="quiet">${t('manySame', { count: same })}</span>
                  `}
                </p>
                <${Names} results=${plan.value.filter((r) => r.changed || !r.ok)} />
              `}
        ${action === 'suspend' && html`
          <${Field}
            name="reason"
            label=${t('reason')}
            errors=${errors.value}
            autocomplete="off"
            maxlength="500"
          />
        `}
        <${Submit}
          busy=${busy.value}
          disabled=${count === 0}
          kind=${action === 'suspend' ? 'bad big' : 'primary big'}
        >
          ${action === 'plan' ? plans('save') : t.dynamic(action)}
        <//>
      </form>
    <//>
  `
}

/** @param {{ results: Result[] }} props */
const Names = ({ results }) =>
  results.length > 0 && html`
    <ul class="card list console-names" tabindex="0" aria-label=${t('shops')}>
      ${results.map((result) => html`
        <li class="section" key=${result.uid}>
          <b lang=${langOf(inLanguage(result.name))}>${inLanguage(result.name) || result.uid}</b>
          ${result.message && html`
            <br />
            <span class="error small">${result.message}</span>
          `}
        </li>
      `)}
    </ul>
  `
