// One buyer: an account by its ID, or a guest by phone number.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { age, ago, date, digits, langOf, money, name, phone, typedPhone } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { open, to } from '../router.js'
import { can } from '../session.js'
import { t as buyer } from '../strings/buyer.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/customers.js'
import { view as ContactDialog } from './contact.js'
import { Dialog } from './dialog.js'
import { download } from './download.js'
import { formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { thumb } from './order_row.js'
import { attempt } from './product_change.js'
import { skeletonRows, Failed, Skeleton } from './states.js'
import { bare, recordSignal } from './status.js'
import { copy, showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['CustomerDetails']} Account */
/** @typedef {import('../api.js').Schemas['ContactDetails']} Guest */
/** @typedef {import('../api.js').Schemas['Contact']} Contact */
/**
 * @typedef {{ id: string, title: string, account: Account | null, contact: Contact | null,
 *   phoneNumber: string | null, email: string | null, orders: number, spent:
 *   import('../i18n.js').Money | null, lastOrderAt: string | null, record: Account['record'],
 *   latest: Guest['latestOrders'], addresses: Account['addresses'] }} Buyer
 */

/** Whether an ID in an address is a phone number, and so that of a guest. */
const isPhone = (/** @type {string} */ id) => id.startsWith('+')

/** @returns {Buyer} */
const ofAccount = (/** @type {Account} */ account) => ({
  id: account._id,
  title: account.name,
  account: account,
  contact: account.contact,
  phoneNumber: account.phoneNumber,
  email: account.email,
  orders: account.orders,
  spent: account.spent,
  lastOrderAt: account.lastOrderAt,
  record: account.record,
  latest: account.latestOrders,
  addresses: account.addresses,
})

/** @returns {Buyer} */
const ofGuest = (/** @type {Guest} */ guest) => ({
  id: guest.phoneNumber,
  title: guest.guest?.name ?? guest.names[0] ?? phone(guest.phoneNumber),
  account: null,
  contact: guest,
  phoneNumber: guest.phoneNumber,
  email: null,
  orders: guest.guest?.orders ?? 0,
  spent: guest.guest?.spent ?? null,
  lastOrderAt: guest.lastOrderAt,
  record: guest.record.orders > 0 ? guest.record : null,
  latest: guest.latestOrders,
  addresses: guest.addresses,
})

/** @param {{ id: string }} props */
export function CustomerView({ id }) {
  const { data, problem, reload } = useGet(
    (isPhone(id) ? 'contacts/' : 'customers/') + encodeURIComponent(id),
  )
  const dialog = useSignal('')
  const close = () => {
    dialog.value = ''
  }
  const buyer = data && (isPhone(id) ? ofGuest(data) : ofAccount(data))
  const choices = buyer ? choicesOf(buyer) : []
  return html`
    <header class="top plain over">
      <a class="icon-button" data-back aria-label=${common('back')} href=${to('customers')}>
        ${icon('arrow-left')}
      </a>
      <div class="title">
        <h1 tabindex="-1" class="cut" lang=${langOf(buyer?.title)}>
          ${buyer?.title ?? common('customers')}
        </h1>
        ${buyer && html`
          <div class="small quiet cut">
            ${[
              !buyer.account && t('isGuest'),
              buyer.phoneNumber ? phone(buyer.phoneNumber) : buyer.email,
            ]
              .filter(Boolean)
              .join(' · ')}
          </div>
        `}
      </div>
      ${choices.length > 0 && html`
        <button
          class="icon-button"
          id="customer-more"
          aria-label=${t('more')}
          aria-haspopup="dialog"
          onClick=${() => {
            dialog.value = 'menu'
          }}
        >
          ${icon('ellipsis-vertical')}
        </button>
      `}
    </header>
    ${problem && !buyer
      ? html`<${Failed} problem=${problem} retry=${reload} />`
      : !buyer
        ? html`<${Skeleton}>${skeletonRows(3)}<//>`
        : html`
            <div class="stack form-view customer">
              ${isPhone(id) && data.customerId && html`
                <p class="banner info rounded">
                  ${icon('user')}
                  <span class="grow">${t('hasAccount')}</span>
                  <a class="button mini" href=${to('customers', data.customerId)}>
                    ${t('openAccount')}
                  </a>
                </p>
              `}
              ${buyer.phoneNumber && html`<${Ways} phoneNumber=${buyer.phoneNumber} />`}
              <${Figures} buyer=${buyer} />
              <${Known}
                contact=${buyer.contact}
                change=${() => {
                  dialog.value = 'contact'
                }}
              />
              ${buyer.account && html`<${AccountCard} account=${buyer.account} />`}
              ${!buyer.account && buyer.addresses.length > 0 && html`
                <section class="card section stack" id="addresses">
                  <h2>${t('addresses')}</h2>
                  <${Addresses} all=${buyer.addresses} />
                </section>
              `}
              <${Latest} buyer=${buyer} />
            </div>
            ${dialog.value === 'contact' && buyer.phoneNumber && html`
              <${ContactDialog} phoneNumber=${buyer.phoneNumber} close=${close} />
            `}
            ${dialog.value === 'menu' && html`
              <${Dialog} title=${t('more')} close=${close} id="customer-menu">
                <ul class="options">
                  ${choices.map(([key, mark, text]) => html`
                    <li>
                      <button
                        class=${key === 'delete' ? 'option tone-bad' : 'option'}
                        data-action=${key}
                        onClick=${() => {
                          dialog.value = key === 'export' ? '' : key
                          if (key === 'export') exportAll(buyer)
                        }}
                      >
                        ${icon(mark)}
                        <span class="grow">
                          ${text}
                          ${key === 'export' && html`
                            <br />
                            <span class="small quiet">${t('exportText')}</span>
                          `}
                        </span>
                      </button>
                    </li>
                  `)}
                </ul>
              <//>
            `}
            ${dialog.value === 'reset' && html`<${Reset} buyer=${buyer} close=${close} />`}
            ${dialog.value === 'delete' && html`<${Erase} buyer=${buyer} close=${close} />`}
          `}
  `
}

/** What may be done with a buyer. @returns {[string, string, string][]} */
const choicesOf = (/** @type {Buyer} */ buyer) =>
  /** @type {[string, string, string][]} */ (
    [
      buyer.account && can('customers.write') && ['reset', 'key-round', t('reset')],
      can('export') && ['export', 'save', t('export')],
      can('customers.delete') && ['delete', 'trash', t('delete')],
    ].filter(Boolean)
  )

const exportAll = (/** @type {Buyer} */ buyer) =>
  attempt(async () => {
    await download(
      `customers/${encodeURIComponent(buyer.id)}/export`,
      {},
      `customer-${buyer.id.replace('+', '')}.json`,
    )
    showToast(t('exported'))
  })

/** The ways to reach a buyer. @param {{ phoneNumber: string }} props */
const Ways = ({ phoneNumber }) => html`
  <div class="actions">
    <a class="button" href=${'tel:' + phoneNumber}>${icon('phone')}${t('call')}</a>
    <a
      class="button"
      href=${'https://wa.me/' + phoneNumber.replace('+', '')}
      target="_blank"
      rel="noopener"
    >
      ${icon('message-circle')}
      ${t('whatsapp')}
    </a>
    <button
      class="button"
      aria-label=${t('copyPhone')}
      onClick=${() => copy(typedPhone(phoneNumber))}
    >
      ${icon('copy')}
      ${common('copy')}
    </button>
  </div>
`

/** @param {{ buyer: Buyer }} props */
function Figures({ buyer }) {
  const signal = buyer.record && recordSignal(buyer.record)
  const counts =
    buyer.record &&
    /** @type {const} */ (['delivered', 'returned', 'cancelled', 'open'])
      .filter((key) => Number(buyer.record?.[key]) > 0)
      .map((key) => t(key, { count: buyer.record?.[key] }))
      .join(', ')
  return html`
    <section class="card section" id="figures" aria-label=${t('ordersTitle')}>
      <dl class="facts about">
        <dt class="quiet">${t('ordersTitle')}</dt>
        <dd>
          <b>${digits(buyer.orders)}</b>
        </dd>
        ${buyer.spent && html`
          <dt class="quiet">${t('spent')}</dt>
          <dd>
            <b>${money(buyer.spent)}</b>
          </dd>
        `}
        ${buyer.lastOrderAt && html`
          <dt class="quiet">${t('lastOrder')}</dt>
          <dd>${ago(buyer.lastOrderAt)}</dd>
        `}
        ${buyer.record && html`
          <dt class="quiet">${t('record')}</dt>
          <dd>${counts || t('noRecord')}</dd>
        `}
      </dl>
      ${signal && html`
        <div class="signals">
          <span class="tone-${signal.tone}">${icon(signal.icon, 'mini')}${signal.text}</span>
        </div>
      `}
    </section>
  `
}

/**
 * What staff have recorded about the phone number.
 * @param {{ contact: Contact | null, change: () => void }} props
 */
function Known({ contact, change }) {
  if (!contact)
    return html`
      <section class="card section">
        <h2>${t('known')}</h2>
        <p class="small quiet">${t('noPhone')}</p>
      </section>
    `
  const others = contact.names.slice(1)
  return html`
    <section class="card section stack" id="known">
      <div class="row spread">
        <h2>${t('known')}</h2>
        ${can('customers.write') && html`
          <button class="button mini" id="change-contact" aria-haspopup="dialog" onClick=${change}>
            ${icon('pencil', 'mini')}
            ${t('change')}
          </button>
        `}
      </div>
      <p class="small quiet">${t('knownText')}</p>
      ${contact.blocked !== 'none' && html`
        <p class="banner bad rounded">
          ${icon('ban')}
          <span class="grow">
            <b>
              ${buyer(contact.blocked === 'all' ? 'blockedAll' : 'blockedCash')}
            </b> ${contact.blockedReason && html`
              <q lang=${langOf(contact.blockedReason)}>${contact.blockedReason}</q>
            `}
          </span>
        </p>
      `}
      <dl class="facts about">
        <dt class="quiet">${t('block')}</dt>
        <dd>${t.dynamic('block_' + contact.blocked)}</dd>
        <dt class="quiet">${t('tags')}</dt>
        <dd>
          ${contact.tags.length === 0
            ? t('nothing')
            : contact.tags.map((tag) => html`
                <span class="tag" lang=${langOf(tag)}>${tag}</span>
                ${' '}
              `)}
        </dd>
        ${others.length > 0 && html`
          <dt class="quiet">${t('names')}</dt>
          <dd>
            ${others.map((number, i) => html`
              ${i > 0 && ', '}
              <span lang=${langOf(number)}>${number}</span>
            `)}
          </dd>
        `}
        ${!contact.note && html`
          <dt class="quiet">${t('note')}</dt>
          <dd>${t('nothing')}</dd>
        `}
      </dl>
      ${contact.note && html`<p class="noted" lang=${langOf(contact.note)}>${contact.note}</p>`}
    </section>
  `
}

const linesOf = (/** @type {Account['addresses'][number]} */ a) => [
  [a.line1, a.line2].filter(Boolean).join(', '),
  [[a.area, a.city].filter(Boolean).join(', '), a.postcode].filter(Boolean).join(' '),
]

/** @param {{ account: Account }} props */
const AccountCard = ({ account }) => html`
  <section class="card section stack" id="account">
    <h2>${t('accountTitle')}</h2>
    <dl class="facts about">
      <dt class="quiet">${t('since')}</dt>
      <dd>${date(account.createdAt)}</dd>
      ${account.phoneNumber && html`
        <dt class="quiet">${t('phoneNumber')}</dt>
        <dd>
          ${phone(account.phoneNumber)}, ${t(account.phoneVerified ? 'verified' : 'notVerified')}
        </dd>
      `}
      ${account.email && html`
        <dt class="quiet">${t('email')}</dt>
        <dd>${account.email}, ${t(account.emailVerified ? 'verified' : 'notVerified')}</dd>
      `}
      <dt class="quiet">${t('password')}</dt>
      <dd>
        ${t(
          account.passwordResetRequired
            ? 'mustReset'
            : account.hasPassword
              ? 'hasPassword'
              : 'noPassword',
        )}
      </dd>
    </dl>
    <h3 class="label">${t('addresses')}</h3>
    ${account.addresses.length === 0
      ? html`<p class="quiet">${t('noAddresses')}</p>`
      : html`<${Addresses} all=${account.addresses} />`}
  </section>
`

/** @param {{ all: Account['addresses'] }} props */
const Addresses = ({ all }) => html`
  <ul class="stack">
    ${all.map((address) => {
      const lines = linesOf(address)
      return html`
        <li class="row spread">
          <address lang=${langOf(lines[0])}>
            ${lines[0]}
            <br />
            ${lines[1]}
          </address>
          <button
            class="icon-button"
            aria-label=${t('copyAddress') + ': ' + lines[0]}
            onClick=${() => copy(lines.join('\n'))}
          >
            ${icon('copy')}
          </button>
        </li>
      `
    })}
  </ul>
`

/** @param {{ buyer: Buyer }} props */
const Latest = ({ buyer }) =>
  can('orders.read') &&
  buyer.latest.length > 0 && html`
    <section class="card list" id="latest">
      <div class="section row spread">
        <h2>${t('latest')}</h2>
        ${buyer.phoneNumber && html`
          <a
            class="tone-accent small bold"
            href=${to('orders', '', { view: 'all', search: buyer.phoneNumber.replace('+', '') })}
          >
            ${t('allOrders')}
          </a>
        `}
      </div>
      ${buyer.latest.map((row) => html`
        <a class="fold" href=${to('order', row._id)}>
          ${thumb(row.firstItem, row.units, 'mini')}
          <span class="grow cut">
            <span class="row spread">
              <b>#${digits(row.orderNumber)}</b>
              <b class="nowrap">${money(row.total)}</b>
            </span>
            <span class="row spread">
              <span class="small quiet cut">
                <span lang=${langOf(name(row.firstItem?.title))}>
                  ${name(row.firstItem?.title)}
                </span> ·${' ' + age(row.placedAt)}
              </span>
              ${bare(row.status)}
            </span>
          </span>
        </a>
      `)}
    </section>
  `

/** @param {{ buyer: Buyer, close: () => void }} props */
function Reset({ buyer, close }) {
  const { form, errors, busy, onSubmit } = useForm([], async () => {
    const { sentTo } = await act(`customers/${buyer.id}/password`, {}, { label: t('reset') })
    close()
    changed()
    showToast(t(sentTo.length > 0 ? 'resetDone' : 'resetUnsent'))
  })
  return html`
    <${Dialog}
      title=${t('askReset', { name: buyer.title })}
      text=${t('askResetText')}
      close=${close}
      id="reset"
    >
      <form ref=${form} class="stack" onSubmit=${onSubmit}>
        ${formError(errors.value)}
        <${Submit} busy=${busy.value}>${t('resetIt')}<//>
      </form>
    <//>
  `
}

/** @param {{ buyer: Buyer, close: () => void }} props */
function Erase({ buyer, close }) {
  const { form, errors, busy, onSubmit } = useForm([], async () => {
    const { orders } = await act(
      'customers/' + encodeURIComponent(buyer.id),
      {},
      { method: 'DELETE', label: t('delete') },
    )
    close()
    open(to('customers'), { replace: true })
    changed()
    showToast(t('deleted', { count: orders }))
  })
  const isOpen = Number(buyer.record?.open) > 0
  return html`
    <${Dialog} title=${t('askDelete', { name: buyer.title })} close=${close} id="erase">
      <ul class="stack">
        <li class="row">
          ${icon('trash')}
          <span>${t(buyer.account ? 'erased' : 'erasedGuest')}</span>
        </li>
        <li class="row">
          ${icon('archive')}
          <span>
            ${t('retained')} ${buyer.contact &&
              buyer.contact.blocked !== 'none' &&
              t('retainedBlock')}
          </span>
        </li>
      </ul>
      ${isOpen && html`
        <p class="banner rounded">
          ${icon('triangle-alert')}
          <span>${t('openOrders')}</span>
        </p>
      `}
      <p class="bold">${t('understand')}</p>
      <form ref=${form} class="stack" onSubmit=${onSubmit}>
        ${formError(errors.value)}
        <${Submit} busy=${busy.value} kind="big bad">${icon('trash')}${t('delete')}<//>
      </form>
    <//>
  `
}
