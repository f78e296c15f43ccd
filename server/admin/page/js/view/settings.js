// The settings of the shop: a list of sections, each at an address of its own.

import { html } from '../html.js'
import { name } from '../i18n.js'
import { useGet } from '../resource.js'
import { ownPath, route, to } from '../router.js'
import { can, session } from '../session.js'
import { t as common } from '../strings/common.js'
import { t as states } from '../strings/connection.js'
import { t } from '../strings/settings.js'
import { word } from '../part/status.js'
import { Advance, summary as advanceSummary } from '../part/settings_advance.js'
import { Advertising, summary as advertisingSummary } from '../part/settings_advertising.js'
import { Brand } from '../part/settings_brand.js'
import { Delivery } from '../part/settings_delivery.js'
import { Incomplete } from '../part/settings_incomplete.js'
import { Messages } from '../part/settings_buyer.js'
import { Mail, SMS } from '../part/settings_message.js'
import { Plan } from '../part/settings_plan.js'
import { Domains, Mode } from '../part/settings_mode.js'
import { Couriers, Payments } from '../part/settings_provider.js'
import { Printing, Shop } from '../part/settings_shop.js'
import { useSettings } from '../part/setting_card.js'
import { icon } from '../part/icon.js'
import { allowed, skeletonRows, Failed, NotFound, Skeleton } from '../part/states.js'

/** @typedef {import('../part/setting_card.js').Settings} Settings */

/**
 * @type {{ id: string, icon: string, permission?: string, part: any, summary?: (s: Settings) =>
 *   any, own?: boolean }[]}
 */
const sections = [
  { id: 'shop', icon: 'store', part: Shop, summary: (s) => name(s.name) },
  {
    id: 'brand',
    icon: 'palette',
    part: Brand,
    summary: () => {
      const url = ownPath(session.value?.shop.logoUrl)
      return url ? html`<img class="own-logo" src=${url} alt=${t('hasLogo')} />` : t('noLogo')
    },
  },
  {
    id: 'delivery',
    icon: 'map-pin',
    part: Delivery,
    summary: (s) =>
      s.deliveryCharges.length === 0
        ? t('freeDelivery')
        : s.deliveryCharges.map((charge) => name(charge.name)).join(', '),
  },
  { id: 'advance', icon: 'wallet', part: Advance, summary: advanceSummary },
  {
    id: 'incomplete',
    icon: 'phone-missed',
    part: Incomplete,
    summary: (s) => t(s.incompleteOrders.enabled ? 'yes' : 'no'),
  },
  { id: 'advertising', icon: 'send', part: Advertising, summary: advertisingSummary },
  { id: 'payments', icon: 'credit-card', part: Payments, permission: 'providers.read', own: true },
  { id: 'couriers', icon: 'truck', part: Couriers, permission: 'providers.read', own: true },
  { id: 'sms', icon: 'message-square-text', part: SMS, permission: 'providers.read', own: true },
  { id: 'mail', icon: 'mail', part: Mail, permission: 'providers.read', own: true },
  {
    id: 'messages',
    icon: 'message-circle',
    part: Messages,
    summary: (s) =>
      t(
        (s.buyerMessages.sms ?? []).length + (s.buyerMessages.email ?? []).length > 0
          ? 'yes'
          : 'none',
      ),
  },
  {
    id: 'printing',
    icon: 'printer',
    part: Printing,
    summary: (s) => t.dynamic('size_' + (s.print.labelSize || 'a6')),
  },
  {
    id: 'domains',
    icon: 'globe',
    part: Domains,
    summary: (s) => s.domains.join(', ') || t('noDomain'),
  },
  {
    id: 'plan',
    icon: 'layers',
    part: Plan,
    summary: (s) => s.plan?.name ?? t('noPlan'),
    own: true,
  },
  {
    id: 'mode',
    icon: 'power',
    part: Mode,
    summary: (s) =>
      [t(s.activeMode === 'sandbox' ? 'sandbox' : 'live'), s.suspended ? t('suspended') : '']
        .filter(Boolean)
        .join(' · '),
  },
]

const shown = () => sections.filter((section) => !section.permission || can(section.permission))

export const view = () => allowed('settings.read', () => html`<${Screen} />`)

function Screen() {
  const { id } = route.value
  const { loaded, problem, reload, retry } = useSettings(id)
  const section = shown().find((section) => section.id === id)
  if (id === '')
    return html`<${Index} settings=${loaded?.settings} problem=${problem} retry=${retry} />`
  if (!section) return html`<${NotFound} name=${common('settings')} address=${to('settings')} />`
  return html`
    <header class="top plain over">
      <a
        class="icon-button"
        data-back
        aria-label=${common('back')}
        href=${to(route.value.query.get('from') === 'home' ? 'home' : 'settings')}
      >
        ${icon('arrow-left')}
      </a>
      <div class="title">
        <h1 tabindex="-1">${t.dynamic(id)}</h1>
      </div>
    </header>
    ${problem && !loaded
      ? html`<${Failed} problem=${problem} retry=${retry} />`
      : !loaded
        ? html`<${Skeleton}>${skeletonRows(3)}<//>`
        : html`
            <div class="stack narrow form-view" key=${id}>
              <${section.part} loaded=${loaded} reload=${reload} />
            </div>
          `}
  `
}

/**
 * @param {{ settings?: Settings, problem: import('../api.js').Problem | null, retry: () => void }}
 *   props
 */
function Index({ settings, problem, retry }) {
  const { data } = useGet(can('providers.read') ? 'providers' : null)
  const { data: sms } = useGet(can('providers.read') ? 'sms' : null)
  const { data: mail } = useGet(can('providers.read') ? 'mail' : null)
  const state = (/** @type {any} */ { connection }) => states.dynamic('state_' + connection.state)
  const ready = (/** @type {RegExp} */ kind) =>
    (data?.nodes ?? [])
      .filter((/** @type {any} */ provider) => kind.test(provider.provider) && provider.configured)
      .map((/** @type {any} */ provider) =>
        provider.connection.state === 'works'
          ? word(provider.provider)
          : `${word(provider.provider)} (${state(provider)})`,
      )
      .join(', ')
  /** @type {Record<string, string | undefined>} */
  const own = {
    couriers: data && (ready(/^courier/) || t('none')),
    payments: data && [t('cod'), ready(/^gateway/)].filter(Boolean).join(', '),
    sms: sms && (sms.configured ? state(sms) : t('none')),
    mail: mail && (mail.configured ? state(mail) : t('none')),
  }
  return html`
    <div class="stack narrow">
      <div class="head first">
        <h1 tabindex="-1">${common('settings')}</h1>
      </div>
      ${problem && !settings
        ? html`<${Failed} problem=${problem} retry=${retry} />`
        : !settings
          ? html`<${Skeleton}>${skeletonRows(6)}<//>`
          : html`
              <nav class="card list" id="sections" aria-label=${common('settings')}>
                ${shown().map((section) => html`
                  <a class="fold" href=${to('settings', section.id)}>
                    ${icon(section.icon)}
                    <span class="grow cut">
                      ${t.dynamic(section.id)}
                      <br />
                      <span class="small quiet">
                        ${section.own ? (own[section.id] ?? ' ') : section.summary?.(settings)}
                      </span>
                    </span>
                    ${icon('chevron-right', 'mini')}
                  </a>
                `)}
              </nav>
            `}
    </div>
  `
}
