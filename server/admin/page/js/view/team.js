// The team: who works in the shop, with role and last use, and the way to invite another.

import { html, useSignal } from '../html.js'
import { ago, clock, phone } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { route, to } from '../router.js'
import { can, session } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/team.js'
import { t as audit } from '../strings/audit.js'
import { t as console } from '../strings/console.js'
import { Audit } from '../part/audit.js'
import { icon } from '../part/icon.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'
import { SecondFactor } from '../part/team_factor.js'
import { InviteDialog } from '../part/team_invite.js'
import { LinkDialog, named } from '../part/team_link.js'
import { expiry, MemberView } from '../part/team_member.js'

/** @typedef {import('../api.js').Schemas['Member']} Member */

export const view = () =>
  route.value.id === 'audit'
    ? allowed('audit.read', () => html`<${Audit} />`)
    : allowed('staff.read', () =>
        route.value.id === '' ? html`<${Team} />` : html`<${MemberView} key=${route.value.id} />`,
      )

function Team() {
  const { data, problem, reload } = useGet('staff')
  const { data: visits } = useGet('visits')
  const inviting = useSignal(false)
  const invited = useSignal(/** @type {import('../part/team_link.js').Invited | null} */ (null))
  /** @type {Member[]} */
  const all = data?.nodes ?? []
  const button = can('staff.write') && html`
    <button
      class="button primary"
      id="invite-button"
      onClick=${() => {
        inviting.value = true
      }}
    >
      ${icon('user-plus')}
      ${t('invite')}
    </button>
  `
  return html`
    <div class="stack narrow team">
      <div class="head first row spread">
        <h1 tabindex="-1">${common('team')}</h1>
        ${all.length > 1 && button}
      </div>
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(4)}<//>`
          : html`
              ${['active', 'invited', 'off'].map((status) => html`
                <${Group}
                  key=${status}
                  status=${status}
                  all=${all.filter((member) => member.status === status)}
                />
              `)}
              ${all.length === 1 && can('staff.write') && html`
                <${Empty} icon="users" title=${t('alone')} text=${t('aloneText')}>${button}<//>
              `}
            `}
      ${data && session.value?.staffMember.role === 'owner' && html`<${SecondFactor} />`}
      ${visits?.nodes.length > 0 && html`
        <section class="stack">
          <h2>${console('inShop')}</h2>
          <ul class="card list" id="visits">
            ${visits.nodes.map((/** @type {any} */ visit) => html`
              <li class="section" key=${visit._id}>
                ${console('visit', {
                  name: visit.operator,
                  time: clock(visit.expiresAt),
                  reason: visit.reason,
                })}
              </li>
            `)}
          </ul>
        </section>
      `}
      ${can('audit.read') && html`
        <nav class="card list" aria-label=${audit('title')}>
          <a class="fold" id="to-audit" href=${to('team', 'audit')}>
            ${icon('list-checks')}
            <span class="grow">
              ${audit('title')}
              <br />
              <span class="small quiet">${audit('hint')}</span>
            </span>
            ${icon('chevron-right', 'mini')}
          </a>
        </nav>
      `}
    </div>
    ${inviting.value && html`
      <${InviteDialog}
        close=${() => {
          inviting.value = false
        }}
        done=${(/** @type {any} */ created) => {
          inviting.value = false
          invited.value = created
          changed()
        }}
      />
    `}
    ${invited.value && html`
      <${LinkDialog}
        invited=${invited.value}
        close=${() => {
          invited.value = null
          reload()
        }}
      />
    `}
  `
}

/** @param {{ status: string, all: Member[] }} props */
const Group = ({ status, all }) =>
  all.length > 0 && html`
    <section class="stack">
      <h2>${t.dynamic('list_' + status)}</h2>
      <ul class="card list" id=${'team-' + status}>
        ${all.map((member) => html`
          <li key=${member._id}>
            <a class="fold" href=${to('team', member._id)} data-member=${member._id}>
              <span class="face" aria-hidden="true">${[...member.name][0]}</span>
              <span class="grow">
                <b>${named(member.name)}</b>
                ${session.value?.staffMember._id === member._id && html`
                  ${' '}
                  <span class="quiet">(${t('you')})</span>
                `}
                <br />
                <span class="small quiet">
                  ${member.email ?? phone(member.phoneNumber ?? '')}
                  <br />
                  ${seen(member)}
                </span>
              </span>
              <span class="small bold nowrap">${common.dynamic('role_' + member.role)}</span>
              ${icon('chevron-right', 'mini')}
            </a>
          </li>
        `)}
      </ul>
    </section>
  `

const seen = (/** @type {Member} */ member) =>
  member.status === 'invited'
    ? `${t('waiting')}. ${expiry(member)}`
    : member.status === 'off'
      ? t('isOff')
      : member.lastSeenAt
        ? t('seen', { age: ago(member.lastSeenAt) })
        : t('neverSeen')
