// What a courier owes by its own account, beside what the ledger says, and its last payouts.

import { html } from '../html.js'
import { date, dateTime, money } from '../i18n.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/cash.js'
import { explain } from '../strings/problem.js'
import { icon } from './icon.js'
import { word } from './status.js'

/** @typedef {import('../api.js').Schemas['CourierBalance']} Balance */
/** @typedef {import('../api.js').Schemas['Payout']} Payout */
/** @typedef {import('../api.js').Schemas['Money']} Amount */
/** @typedef {import('../api.js').Problem} Problem */

const newest = 5

const failure = (/** @type {string} */ text, /** @type {() => void} */ retry) => html`
  <p class="error" role="status">
    ${icon('circle-alert', 'mini')}
    <span>${text}</span>
  </p>
  <div class="row">
    <button type="button" class="button balance-retry" onClick=${retry}>
      ${icon('rotate-cw')}
      ${common('tryAgain')}
    </button>
  </div>
`

const row = (/** @type {Payout} */ { _id, amount, charges, method, status, at }) => html`
  <li class="fold inset small" key=${_id}>
    <span class="grow">
      <b>${at ? date(at) : '–'}</b> <span class="mono">${_id}</span>
      <br />
      <span class="quiet" lang="en">${[method, status].filter(Boolean).join(' · ')}</span>
    </span>
    <span class="right nowrap">
      <b>${money(amount)}</b>
      ${charges && html`
        <br />
        <span class="quiet">${t('charges')} ${money(charges)}</span>
      `}
    </span>
  </li>
`

/** How the account differs from what the shop has recorded. */
function difference(/** @type {Balance['balance']} */ balance, /** @type {Amount} */ payable) {
  const more = balance ? balance.amount - payable.amount : 0
  return (
    more !== 0 && html`
      <p class="small tone-warn">
        ${t(more > 0 ? 'accountMore' : 'accountLess', {
          amount: money({ ...payable, amount: Math.abs(more) }),
        })}
      </p>
    `
  )
}

/** The account at one courier, as parts of its card. Payable is what it owes by the shop's ledger.
 * @param {{ balance: Balance, payable?: Amount, retry: () => void }} props */
export const CourierAccount = ({
  balance: { provider, at, balance, payouts, problem },
  payable,
  retry,
}) => html`
  <div class="section stack" id=${'balance-' + provider}>
    <div class="row spread wraps">
      <span class="small quiet">
        ${t('account', { courier: word(provider) })}
        <br />
        ${t('asOf', { time: dateTime(at) })}
      </span>
      ${balance && html`<b class="nowrap">${money(balance)}</b>`}
    </div>
    ${payable && difference(balance, payable)}
    ${problem !== null && failure(t('noAnswer', { message: problem }), retry)}
  </div>
  ${payouts.length > 0 && html`
    <details class="section tight" id=${'payouts-' + provider}>
      <summary class="fold inset">
        <span class="grow">${t('lastPayouts')}</span>
        ${icon('chevron-down', 'mini')}
      </summary>
      <ul class="list">${payouts.slice(0, newest).map(row)}</ul>
    </details>
  `}
`

/** What stands there while no account can be read. */
export const NoBalances = (
  /** @type {{ problem: Problem, retry: () => void }} */ { problem, retry },
) => html`
  <div class="card section stack" id="no-balances">
    ${failure(`${t('balancesFailed')} ${explain(problem)}`, retry)}
  </div>
`
