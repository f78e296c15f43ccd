// Those who have ordered or have an account: a list by last order, and each of them.

import { html } from '../html.js'
import { age, langOf, money, phone, plainDigits } from '../i18n.js'
import { useGet } from '../resource.js'
import { open, route, to, withQuery } from '../router.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/customers.js'
import { CustomerView } from '../part/customer.js'
import { icon } from '../part/icon.js'
import { useListKeys } from '../part/list_keys.js'
import { Pages } from '../part/pages.js'
import { SearchField } from '../part/product_filters.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'
import { recordSignal } from '../part/status.js'

/** @typedef {import('../api.js').Schemas['CustomerRow']} Row */

export const view = () =>
  allowed('customers.read', () =>
    route.value.id === ''
      ? html`<${Customers} />`
      : html`<${CustomerView} key=${route.value.id} id=${route.value.id} />`,
  )

const kinds = ['all', 'account', 'guest']
const sorts = ['lastOrderAt', 'spent', 'name']

function Customers() {
  useListKeys('#customers a.fold')
  const { query } = route.value
  const kind = kinds.find((kind) => kind === query.get('kind')) ?? 'all'
  const sortBy = sorts.find((sort) => sort === query.get('order')) ?? 'lastOrderAt'
  const search = query.get('search') ?? ''
  const { data, problem, loading, reload } = useGet('customers', {
    kind,
    sortBy,
    search: plainDigits(search),
    page: query.get('page') ?? undefined,
  })
  /** @type {Row[]} */
  const all = data?.nodes ?? []
  const isFiltered = kind !== 'all' || search !== ''
  return html`
    <div class="stack narrow customers">
      <div class="head first">
        <h1 tabindex="-1">${common('customers')}</h1>
      </div>
      <${SearchField} hint=${t('search')} />
      <nav class="views" aria-label=${t('kinds')}>
        ${kinds.map((value) => html`
          <a
            href=${withQuery({ kind: value === 'all' ? null : value, page: null })}
            aria-current=${value === kind ? 'page' : undefined}
          >
            ${t.dynamic(value)}
          </a>
        `)}
      </nav>
      <div class="chips">
        <label class="chip">
          ${icon('arrow-down-up', 'mini')}
          <span class="visually-hidden">${t('sort')}</span>
          <select
            id="sort"
            onChange=${(/** @type {FieldEvent} */ event) =>
              open(withQuery({ order: event.target.value, page: null }))}
          >
            ${sorts.map((sort) => html`
              <option value=${sort} selected=${sort === sortBy}>
                ${t.dynamic('sort_' + sort)}
              </option>
            `)}
          </select>
        </label>
        ${data && html`
          <span class="quiet small found" role="status">
            ${data.meta.bounded ? t('foundMany') : t('found', { count: data.meta.totalCount })}
          </span>
        `}
      </div>
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(5)}<//>`
          : all.length === 0
            ? isFiltered
              ? html`
                  <${Empty} icon="search" title=${t('noneFound')} text=${t('noneFoundText')}>
                    <a class="button" href=${withQuery({ kind: null, search: null, page: null })}>
                      ${t('clear')}
                    </a>
                  <//>
                `
              : html`<${Empty} icon="users" title=${t('none')} text=${t('noneText')} />`
            : html`
                <div aria-busy=${loading}>
                  <ul class="card list" id="customers">
                    ${all.map((customer) => html`
                      <${CustomerRow} key=${customer._id ?? customer.phoneNumber} row=${customer} />
                    `)}
                  </ul>
                  <${Pages} meta=${data.meta} label=${common('customers')} />
                </div>
              `}
    </div>
  `
}

/** @param {{ row: Row }} props */
function CustomerRow({ row }) {
  const signal = row.record && recordSignal(row.record)
  return html`
    <li>
      <a
        class="fold"
        href=${to('customers', row._id ?? row.phoneNumber ?? '')}
        data-customer=${row._id ?? row.phoneNumber}
      >
        <span class="face" aria-hidden="true">${[...row.name.trim()][0] ?? '?'}</span>
        <span class="grow">
          <span class="row spread">
            <b class="cut" lang=${langOf(row.name)}>${row.name}</b>
            ${row.orders > 0 && html`<b class="nowrap">${money(row.spent)}</b>`}
          </span>
          <span class="small quiet">
            ${row.phoneNumber ? phone(row.phoneNumber) : row.email} · ${row.orders === 0
              ? t('noOrders')
              : t('orders', { count: row.orders })}
            ${row.lastOrderAt && ', ' + t('last', { age: age(row.lastOrderAt) })}
          </span>
          <span class="signals">
            ${row.kind === 'guest' && html`<span class="tone-quiet">${t('isGuest')}</span>`}
            ${signal && html`
              <span class="tone-${signal.tone}">${icon(signal.icon, 'mini')}${signal.text}</span>
            `}
          </span>
        </span>
      </a>
    </li>
  `
}
