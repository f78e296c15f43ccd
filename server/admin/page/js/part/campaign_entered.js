// The amounts that were entered as spent, one by one.

import { html } from '../html.js'
import { act } from '../api.js'
import { money, shopDay } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { route } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/campaigns.js'
import { t as common } from '../strings/common.js'
import { nameOf } from './campaign_name.js'
import { icon } from './icon.js'
import { Pages } from './pages.js'
import { attempt } from './product_change.js'
import { skeletonRows, Failed, Skeleton } from './states.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['Spend']} Spend */

const remove = (/** @type {Spend} */ { day, kind, name, amount }) =>
  attempt(async () => {
    await act('analytics/spend', {}, { method: 'DELETE', query: { day, kind, name }, label: name })
    changed()
    showToast(t('removed', { amount: money(amount), day: shopDay(day) }), {
      lasts: 8000,
      action: {
        text: common('undo'),
        run: () =>
          attempt(async () => {
            const spend = [{ day, kind, name, amount: amount.amount }]
            await act('analytics/spend', { spend }, { label: name })
            changed()
          }),
      },
    })
  })

/** @param {{ chosen: { from: string, to: string } }} props */
export function view({ chosen }) {
  const { data, problem, reload } = useGet('analytics/spend', {
    from: chosen.from,
    to: chosen.to,
    page: route.value.query.get('page') ?? undefined,
  })
  if (problem && !data) return html`<${Failed} problem=${problem} retry=${reload} />`
  if (!data) return html`<${Skeleton}>${skeletonRows(2)}<//>`
  /** @type {Spend[]} */
  const all = data.nodes
  if (all.length === 0) return html`<p class="section quiet">${t('none')}</p>`
  return html`
    <ul class="list" id="spends">
      ${all.map((spend) => html`
        <li key=${spend.day + spend.kind + spend.name} class="row spread entered">
          <span class="grow">
            ${nameOf(spend)}
            <br />
            <span class="small quiet">${shopDay(spend.day)}</span>
          </span>
          <b>${money(spend.amount)}</b>
          ${can('analytics.write') && html`
            <button
              type="button"
              class="icon-button"
              aria-label=${t('remove', { name: nameOf(spend), day: shopDay(spend.day) })}
              onClick=${() => remove(spend)}
            >
              ${icon('trash')}
            </button>
          `}
        </li>
      `)}
    </ul>
    <${Pages} meta=${data.meta} label=${t('entered')} />
  `
}
