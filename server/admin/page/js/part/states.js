// What a view shows instead of its content: that it loads, is empty, or could not be loaded.

import { html, useEffect, useState } from '../html.js'
import { can } from '../session.js'
import { to } from '../router.js'
import { t } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { icon } from './icon.js'
import { copy } from './toast.js'

/** @typedef {import('../api.js').Problem} Problem */

/** Shows the bones of what is loading, once that takes longer than a moment. */
export function Skeleton(/** @type {{ children?: any }} */ { children }) {
  const [shown, show] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => show(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return html`
    <div class=${shown ? 'skeleton' : 'skeleton unseen'} aria-hidden="true">${children}</div>
    <p class="visually-hidden" role="status">${shown && t('loading')}</p>
  `
}

/** The sections of an order that is loading. */
export const OrderSkeleton = () => html`
  <${Skeleton}>
    <div class="card section">
      <span class="placeholder width-60"></span>
      <span class="placeholder width-90 tall"></span>
    </div>
    <div class="card section">
      <span class="placeholder width-70"></span>
      <span class="placeholder width-90"></span>
    </div>
  <//>
`

/** Rows like those of the orders. */
export const skeletonRows = (rows = 6) => html`
  <div class="card list">
    ${Array.from({ length: rows }, (_, i) => html`
      <div class="list-item">
        <span class="thumbnail placeholder"></span>
        <span class="placeholder width-${60 - 7 * (i % 3)}"></span>
        <span class="placeholder width-90"></span>
        <span class="placeholder width-70"></span>
      </div>
    `)}
  </div>
`

/**
 * With screen it is all that the screen shows, and its title the screen's heading.
 * @param {{ icon: string, title: string, text?: any, tone?: string, screen?: boolean, children?:
 *   any }} props
 */
export const Empty = ({ icon: name, title, text, tone = '', screen, children }) => html`
  <div class="empty">
    <span class="ring ${tone}">${icon(name)}</span>
    ${screen ? html`<h1 tabindex="-1">${title}</h1>` : html`<h2>${title}</h2>`}
    ${text && html`<p class="quiet">${text}</p>`}
    ${children}
  </div>
`

/** Says why nothing can be shown. */
export function Failed(
  /** @type {{ problem: Problem, retry: () => void, title?: string }} */ { problem, retry, title },
) {
  if (problem.code === 'forbidden') {
    return html`
      <${Empty} icon="lock" title=${t('forbiddenTitle')} text=${t('forbiddenText')}>
        <a class="button" href=${to('home')}>${t('toHome')}</a>
      <//>
    `
  }
  if (problem.status === 404) {
    return html`
      <${Empty} icon="circle-question-mark" title=${t('notFound')} text=${t('notFoundText')}>
        <a class="button" href=${to('home')}>${t('toHome')}</a>
      <//>
    `
  }
  return html`
    <${Empty}
      icon=${problem.status === 0 ? 'wifi-off' : 'server-off'}
      tone="tone-bad"
      title=${title ?? t('notLoaded')}
      text=${explain(problem)}
    >
      <button class="button primary" onClick=${retry}>${icon('rotate-cw')}${t('tryAgain')}</button>
      ${problem.requestId && html`
        <p class="small quiet">
          ${t('requestId')} <span class="mono">${problem.requestId}</span>
          ${' '}
          <button class="link" onClick=${() => copy(problem.requestId ?? '')}>${t('copy')}</button>
        </p>
      `}
    <//>
  `
}

/**
 * An address without a view: the way to another one.
 * @param {{ name?: string, address?: string }} props
 */
export const NotFound = ({ name = t('toHome'), address = to('home') }) => html`
  <${Empty} screen icon="circle-question-mark" title=${t('notFound')} text=${t('notFoundText')}>
    <a class="button" href=${address}>${name}</a>
  <//>
`

/** Shows a view only to those who may see it. */
export const allowed = (/** @type {string} */ permission, /** @type {() => any} */ view) =>
  can(permission)
    ? view()
    : html`
        <${Empty} screen icon="lock" title=${t('forbiddenTitle')} text=${t('forbiddenText')}>
          <a class="button" href=${to('home')}>${t('toHome')}</a>
        <//>
      `
