// Who has changed what of an order: its entries in the audit log.

import { html } from '../html.js'
import { useGet } from '../resource.js'
import { to } from '../router.js'
import { t } from '../strings/order.js'
import { Line } from './audit.js'
import { skeletonRows, Failed, Skeleton } from './states.js'

const shown = 20

/** @param {{ id: string }} props */
export function view({ id }) {
  const { data, problem, reload } = useGet('audit', { subject: id, limit: shown })
  if (problem && !data) return html`<${Failed} problem=${problem} retry=${reload} />`
  if (!data) return html`<${Skeleton}>${skeletonRows(2)}<//>`
  if (data.nodes.length === 0) return html`<p class="section quiet small">${t('noChanges')}</p>`
  return html`
    <div class="list changes">
      ${data.nodes.map((/** @type {import('../api.js').Schemas['AuditEntry']} */ entry) => html`
        <${Line} key=${entry._id} entry=${entry} of=${id} />
      `)}
    </div>
    ${data.meta.hasNextPage && html`
      <p class="section">
        <a class="button mini" href=${to('team', 'audit', { subject: id })}>${t('allChanges')}</a>
      </p>
    `}
  `
}
