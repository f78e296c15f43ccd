import { html } from '../html.js'
import { number } from '../i18n.js'
import { t } from '../strings/common.js'

/** The number of orders behind a word, or of what unit names. It is read out with its unit. */
export const countMark = (/** @type {number} */ n, tone = '', unit = 'countOf') => html`
  <span class="count ${tone}" aria-hidden="true">${n > 999 ? number(999) + '+' : number(n)}</span>
  <span class="visually-hidden">${t.dynamic(unit, { count: n })}</span>
`
