// Shipments that came back: one after the other by what is written on them.

import { html, useRef, useSignal } from '../html.js'
import { act, get, Problem } from '../api.js'
import { dayOfShop, digits, instant, langOf, money, name, number, plainDigits } from '../i18n.js'
import { refreshCounts } from '../live.js'
import { isWide } from '../media.js'
import { changed, useGet } from '../resource.js'
import { route, to } from '../router.js'
import { can } from '../session.js'
import { explain } from '../strings/problem.js'
import { t } from '../strings/returns.js'
import { icon } from '../part/icon.js'
import { useListKeys } from '../part/list_keys.js'
import { isInPart } from '../part/order_part.js'
import { OrderCard, thumb } from '../part/order_row.js'
import { Pages } from '../part/pages.js'
import { backBody, backOf, CameBack, faultOf, Restock, restockBody } from '../part/restock.js'
import { canScan, Scan } from '../part/scan.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'
import { bare, word } from '../part/status.js'
import { showToast } from '../part/toast.js'

/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */
/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */

export const view = () => allowed('orders.fulfill', () => html`<${Returns} />`)

/** @type {import('../part/restock.js').Back} */
const noneBack = { fit: {}, damaged: {} }

function Returns() {
  useListKeys('main ul.list > li > :is(a, button)')
  const { data, problem, reload } = useGet('orders', { view: 'returning', limit: 50 })
  const found = useSignal(/** @type {OrderRow[]} */ ([]))
  const order = useSignal(/** @type {StaffOrder | null} */ (null))
  const message = useSignal('')
  const busy = useSignal(false)
  const scanning = useSignal(false)
  const { data: ended } = useGet('orders', {
    returnedFrom: instant(dayOfShop()).toISOString(),
    sortBy: 'updatedAt',
    limit: 50,
    page: route.value.query.get('page') ?? undefined,
  })
  const damaged = useSignal(/** @type {Record<string, number>} */ ({}))
  const back = useSignal(noneBack)
  const whole = useSignal(false) // all of an order that was delivered in part is back
  const key = useRef('')
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))

  const fail = (/** @type {unknown} */ error) => {
    if (!(error instanceof Problem)) throw error
    showToast(explain(error), { bad: true })
  }
  async function choose(/** @type {string} */ id) {
    found.value = []
    damaged.value = {}
    back.value = noneBack
    whole.value = false
    key.current = crypto.randomUUID()
    try {
      const loaded = await get('orders/' + id)
      back.value = backOf(loaded)
      order.value = loaded
    } catch (error) {
      fail(error)
    }
  }
  const scanned = (/** @type {string} */ code) => {
    scanning.value = false
    if (field.current) field.current.value = code
    find()
  }
  async function find(/** @type {Event | undefined} */ event = undefined) {
    event?.preventDefault()
    const text = field.current?.value.trim() ?? ''
    if (text === '') return
    order.value = null
    message.value = ''
    busy.value = true
    try {
      /** @type {OrderRow[]} */
      const rows = (await get('orders', { search: plainDigits(text).replace(/^#/, ''), limit: 10 }))
        .nodes
      if (rows.length === 0) message.value = t('unknown', { text })
      else if (rows.length === 1) await choose(rows[0]._id)
      else {
        found.value = rows
        message.value = t('several', { text })
      }
    } catch (error) {
      fail(error)
    } finally {
      busy.value = false
    }
  }
  async function record() {
    const shown = /** @type {StaffOrder} */ (order.value)
    busy.value = true
    try {
      const [action, body] = isKept
        ? ['deliver', backBody(shown, back.value)]
        : ['return', restockBody(shown, damaged.value)]
      await act(`orders/${shown._id}/${action}`, body, {
        label: '#' + digits(shown.orderNumber),
        key: key.current,
      })
      showToast(t(isKept ? 'completed' : 'done', { number: digits(shown.orderNumber) }))
      order.value = null
      if (field.current) field.current.value = ''
      field.current?.focus()
      changed()
      refreshCounts()
    } catch (error) {
      fail(error)
    } finally {
      busy.value = false
    }
  }
  const shown = order.value
  // in part
  const isKept = shown !== null && isInPart(shown) && shown.actions.restock.allowed && !whole.value
  return html`
    <div class="stack narrow">
      <div class="head first">
        <h1 tabindex="-1">${t('title')}</h1>
      </div>
      <form class="field" onSubmit=${find}>
        <label for="shipment">${t('field')}</label>
        <div class="row">
          <div class="input grow">
            <input
              id="shipment"
              ref=${field}
              autocomplete="off"
              autocapitalize="characters"
              spellcheck=${false}
              aria-describedby="shipment-hint"
              enterkeyhint="search"
            />
          </div>
          ${canScan && isWide.value && html`
            <button
              type="button"
              class="button square"
              aria-label=${t('scan')}
              aria-haspopup="dialog"
              onClick=${() => {
                scanning.value = true
              }}
            >
              ${icon('scan-barcode')}
            </button>
          `}
          <button class="button find" aria-busy=${busy.value}>${icon('search')}${t('find')}</button>
        </div>
        <p class="hint" id="shipment-hint">${t('intro')}</p>
      </form>
      ${!shown && canScan && !isWide.value && html`
        <div class="action-bar above">
          <button
            class="button primary big"
            id="scan-next"
            aria-haspopup="dialog"
            onClick=${() => {
              scanning.value = true
            }}
          >
            ${icon('scan-barcode')}
            ${t('scan')}
          </button>
        </div>
      `}
      ${scanning.value && html`
        <${Scan}
          found=${scanned}
          close=${() => {
            scanning.value = false
          }}
        />
      `}
      <div role="status">
        ${message.value && html`
          <p class="banner rounded">
            ${icon('circle-question-mark')}
            <span>${message.value}</span>
          </p>
        `}
      </div>
      ${found.value.length > 0 && html`
        <ul class="card list">
          ${found.value.map((row) => html`
            <li>
              <button class="option pad" onClick=${() => choose(row._id)}>
                ${thumb(row.firstItem, row.units, 'mini')}
                <span class="grow cut">
                  <b>#${digits(row.orderNumber)}</b> <span lang=${langOf(row.customer.name)}>
                    ${row.customer.name}
                  </span>
                </span>
                ${bare(row.status)}
              </button>
            </li>
          `)}
        </ul>
      `}
      ${shown && html`
        <section class="card" id="shipment-order">
          <div class="section row spread">
            <div>
              <a class="bold" href=${to('order', shown._id)}>#${digits(shown.orderNumber)}</a>
              <div lang=${langOf(shown.customer.name)}>${shown.customer.name}</div>
            </div>
            ${bare(
              shown.shipments.length > 0
                ? 'ship_' + shown.shipments[shown.shipments.length - 1].status
                : shown.status,
            )}
          </div>
          ${!isKept && html`
            <div class="section">
              ${shown.items.map((item) => html`
                <div class="line">
                  ${thumb(item, item.quantity)}
                  <span class="grow">
                    ${name(item.title)} <span class="small quiet"> ${item.variantTitle}</span>
                  </span>
                  <span>${can('prices.read') && money(item.total)}</span>
                </div>
              `)}
            </div>
          `}
          ${isKept
            ? html`
                <div class="section stack">
                  <${CameBack}
                    key=${shown._id}
                    order=${shown}
                    back=${back.value}
                    change=${(/** @type {any} */ to) => {
                      back.value = to
                      key.current = crypto.randomUUID()
                    }}
                  />
                  ${shown.actions.return.allowed && html`
                    <button
                      class="button mini"
                      id="nothing-kept"
                      onClick=${() => {
                        whole.value = true
                      }}
                    >
                      ${t('nothingKept')}
                    </button>
                  `}
                  <div class=${isWide.value ? '' : 'action-bar above'}>
                    <button
                      class="button primary big full"
                      aria-busy=${busy.value}
                      onClick=${record}
                      disabled=${faultOf(shown, back.value) !== ''}
                    >
                      ${icon('package-check')}
                      ${t('complete')}
                    </button>
                  </div>
                </div>
              `
            : shown.actions.return.allowed
              ? html`
                  <div class="section stack">
                    <${Restock}
                      key=${shown._id}
                      order=${shown}
                      damaged=${damaged.value}
                      change=${(/** @type {any} */ to) => {
                        damaged.value = to
                        key.current = crypto.randomUUID()
                      }}
                    />
                    <div class=${isWide.value ? '' : 'action-bar above'}>
                      <button
                        class="button primary big full"
                        aria-busy=${busy.value}
                        onClick=${record}
                      >
                        ${icon('undo-2')}
                        ${t(
                          isInPart(shown) || Object.values(damaged.value).some((n) => n > 0)
                            ? 'record'
                            : 'isBack',
                        )}
                      </button>
                    </div>
                  </div>
                `
              : html`
                  <p class="section tone-warn">
                    ${shown.actions.return.message && word(shown.status) ? t('notPossible') : ''}
                  </p>
                `}
        </section>
      `}
      ${ended?.meta.totalCount > 0 && html`
        <section id="today">
          <h2 class="head">
            ${t('today')} <span class="quiet">${number(ended.meta.totalCount)}</span>
          </h2>
          <ul class="card list">
            ${ended.nodes.map((/** @type {OrderRow} */ row) => html`
              <li key=${row._id}>
                <a class="fold" href=${to('order', row._id)}>
                  <span class="tone-good">${icon('check')}</span>
                  <span class="grow cut">
                    #${digits(row.orderNumber)}
                    <span lang=${langOf(row.customer.name)}> ${row.customer.name}</span>
                  </span>
                  <span class="small quiet nowrap">${can('prices.read') && money(row.total)}</span>
                </a>
              </li>
            `)}
          </ul>
          <${Pages} meta=${ended.meta} label=${t('today')} />
        </section>
      `}
      <section>
        <h2 class="head">${t('coming')}</h2>
        ${problem && !data
          ? html`<${Failed} problem=${problem} retry=${reload} />`
          : !data
            ? html`<${Skeleton}>${skeletonRows(3)}<//>`
            : data.nodes.length === 0
              ? html`<${Empty} icon="undo-2" title=${t('noneComing')} text=${t('noneText')} />`
              : html`
                  <ul class="card list">
                    ${data.nodes.map((/** @type {OrderRow} */ row) => html`
                      <${OrderCard}
                        key=${row._id}
                        row=${row}
                        view="returning"
                        href=${to('order', row._id)}
                        choosing=${false}
                        chosen=${false}
                        choose=${() => {}}
                        press=${{}}
                        current=${false}
                      />
                    `)}
                  </ul>
                `}
      </section>
    </div>
  `
}
