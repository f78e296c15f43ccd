// The way to the other pages of a list.

import { html } from '../html.js'
import { withQuery } from '../router.js'
import { t } from '../strings/orders.js'
import { icon } from './icon.js'

/** @param {{ meta: any, label: string }} props */
export function Pages({ meta, label }) {
  const { currentPage: page, hasNextPage, totalPages } = meta
  if (page === 1 && !hasNextPage) return null
  return html`
    <nav class="pages row spread" aria-label=${`${t('pages')}: ${label}`}>
      ${page > 1
        ? html`
            <a class="button" href=${withQuery({ page: page === 2 ? null : page - 1 })}>
              ${icon('arrow-left')}
              ${t('previous')}
            </a>
          `
        : html`<span></span>`}
      <span class="small quiet">${t('pageOf', { page, pages: totalPages })}</span>
      ${hasNextPage
        ? html`
            <a class="button" href=${withQuery({ page: page + 1 })}>
              ${t('next')}
              ${icon('arrow-right')}
            </a>
          `
        : html`<span></span>`}
    </nav>
  `
}
