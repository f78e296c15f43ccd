// The coupons, each in words with its use.

import { html } from '../html.js'
import { ago, langOf, name } from '../i18n.js'
import { useGet } from '../resource.js'
import { route, to, withQuery } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/coupons.js'
import { CouponView, stateMark } from '../part/coupon.js'
import { benefit, bounds, useOf } from '../part/coupon_words.js'
import { icon } from '../part/icon.js'
import { useListKeys } from '../part/list_keys.js'
import { Pages } from '../part/pages.js'
import { SearchField } from '../part/product_filters.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'

/** @typedef {import('../part/coupon_words.js').Coupon} Coupon */

export const view = () =>
  allowed(route.value.id === 'new' ? 'coupons.write' : 'coupons.read', () =>
    route.value.id === ''
      ? html`<${Coupons} />`
      : html`<${CouponView} key=${route.value.id} id=${route.value.id} />`,
  )

const views = ['all', 'on', 'off', 'automatic']

function Coupons() {
  useListKeys('#coupons a.fold')
  const { query } = route.value
  const shown = views.find((view) => view === query.get('view')) ?? 'all'
  const search = query.get('search') ?? ''
  const { data, problem, loading, reload } = useGet('coupons', {
    active: shown === 'on' || shown === 'off' ? shown === 'on' : undefined,
    automatic: shown === 'automatic' ? true : undefined,
    search,
    page: query.get('page') ?? undefined,
  })
  /** @type {Coupon[]} */
  const all = data?.nodes ?? []
  const isFiltered = shown !== 'all' || search !== ''
  const button = can('coupons.write') && html`
    <a class="button primary" id="new-coupon" href=${to('coupons', 'new')}>
      ${icon('plus')}
      ${t('new')}
    </a>
  `
  return html`
    <div class="stack narrow coupons">
      <div class="head first row spread">
        <h1 tabindex="-1">${common('coupons')}</h1>
        ${(all.length > 0 || isFiltered) && button}
      </div>
      ${(all.length > 0 || isFiltered) && html`
        <${SearchField} hint=${t('search')} />
        <nav class="views" aria-label=${t('views')}>
          ${views.map((view) => html`
            <a
              href=${withQuery({ view: view === 'all' ? null : view, page: null })}
              aria-current=${view === shown ? 'page' : undefined}
            >
              ${t.dynamic(view)}
            </a>
          `)}
        </nav>
      `}
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(4)}<//>`
          : all.length === 0
            ? isFiltered
              ? html`
                  <${Empty} icon="search" title=${t('noneFound')}>
                    <a class="button" href=${withQuery({ view: null, search: null, page: null })}>
                      ${t('showAll')}
                    </a>
                  <//>
                `
              : html`
                  <${Empty} icon="ticket-percent" title=${t('none')} text=${t('noneText')}>
                    ${button}
                  <//>
                `
            : html`
                <div aria-busy=${loading}>
                  <ul class="card list" id="coupons">
                    ${all.map((coupon) => html`
                      <li key=${coupon._id}>
                        <a class="fold" href=${to('coupons', coupon._id)} data-coupon=${coupon._id}>
                          <span class="grow">
                            <span class="row spread">
                              ${coupon.code
                                ? html`<b class="mono">${coupon.code}</b>`
                                : html`
                                    <b lang=${langOf(name(coupon.title))}>${name(coupon.title)}</b>
                                  `}
                              ${stateMark(coupon)}
                            </span>
                            ${benefit(coupon)}
                            <br />
                            <span class="small quiet">
                              ${[bounds({ ...coupon, usageLimit: null }), useOf(coupon, ago)]
                                .filter(Boolean)
                                .join(' ')}
                            </span>
                          </span>
                          ${icon('chevron-right', 'mini')}
                        </a>
                      </li>
                    `)}
                  </ul>
                  <${Pages} meta=${data.meta} label=${common('coupons')} />
                </div>
              `}
    </div>
  `
}
