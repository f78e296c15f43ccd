// How much of each limit of a plan is used.

import { html } from '../html.js'
import { number } from '../i18n.js'
import { t } from '../strings/plan.js'

/** @typedef {{ limit: string, used: number, max: number, soft: boolean }} Use */

/** A size in MB. */
export const megabytes = (/** @type {number} */ bytes) =>
  number(Math.max(bytes > 0 ? 0.1 : 0, Math.round(bytes / (1 << 20) / 0.1) / 10)) + ' MB'

const quantity = (/** @type {string} */ limit, /** @type {number} */ n) =>
  limit === 'imageBytes' ? megabytes(n) : number(n)

/** The limits of a plan in one line. */
export const limitsOf = (/** @type {Record<string, number>} */ limits) =>
  Object.entries(limits)
    .map(([limit, n]) => t.dynamic('limit_' + limit) + ': ' + quantity(limit, n))
    .join(' · ')

/** @param {{ uses: Use[] }} props */
export const Uses = ({ uses }) => html`
  <dl class="card section console-facts" id="uses">
    ${uses.map((use) => html`
      <div key=${use.limit}>
        <dt class="small quiet">${t.dynamic('limit_' + use.limit)}</dt>
        <dd>
          ${t('ofLimit', {
            used: quantity(use.limit, use.used),
            max: quantity(use.limit, use.max),
          })}
          <meter
            class="plan-meter"
            max=${Math.max(use.max, 1)}
            high=${use.max * 0.8}
            optimum="0"
            value=${Math.min(use.used, use.max)}
            aria-label=${t.dynamic('limit_' + use.limit)}
          ></meter>
          ${use.soft && html`<span class="small quiet">${t('isSoft')}</span>`}
        </dd>
      </div>
    `)}
  </dl>
`
