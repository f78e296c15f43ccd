// The shop's plan, and how much of it is used.

import { html } from '../html.js'
import { useGet } from '../resource.js'
import { t } from '../strings/plan.js'
import { Uses } from './plan_use.js'
import { Failed, Skeleton, skeletonRows } from './states.js'

export function Plan() {
  const { data, problem, reload } = useGet('plan')
  if (problem && !data) return html`<${Failed} problem=${problem} retry=${reload} />`
  if (!data) return html`<${Skeleton}>${skeletonRows(2)}<//>`
  if (!data.plan) return html`<p class="quiet">${t('noLimits')}</p>`
  return html`
    <div class="stack">
      <p>
        ${t('plan') + ': '}
        <b>${data.plan.name}</b>
      </p>
      <${Uses} uses=${data.uses} />
      <p class="small quiet">${t('more')}</p>
    </div>
  `
}
