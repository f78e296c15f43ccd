// The team: who works in the shop, with role and last use, and the way to invite another.

import { html, useSignal } from '../html.js'
import { ago, phone } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { route, to } from '../router.js'
import { can, session } from '../session.js'
import { t as frame } from '../strings/frame.js'
import { t } from '../strings/team.js'
import { t as audit } from '../strings/audit.js'
import { Audit } from '../part/audit.js'
import { icon } from '../part/icon.js'
import { allowed, bones, Empty, Failed, Skeleton } from '../part/states.js'
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
  const inviting = useSignal(false)
  const invited = useSignal(/** @type {import('../part/team_link.js').Invited | null} */ (null))
  /** @type {Member[]} */
  const all = data?.nodes ?? []
  const button = can('staff.write') && html`
    <button
      class="btn pri"
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
      <div class="head first row sp">
        <h1 tabindex="-1">${frame('team')}</h1>
        ${all.length > 1 && button}
      </div>
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${bones(4)}<//>`
          : html`
              ${['active', 'invited', 'off'].map((status) => html`
                <${Group}
                  key=${status}
                  status=${status}
                  all=${all.filter((one) => one.status === status)}
                />
              `)}
              ${all.length === 1 && can('staff.write') && html`
                <${Empty} icon="users" title=${t('alone')} text=${t('aloneText')}>${button}<//>
              `}
            `}
      ${data && can('staff.write') && can('settings.write') && html`<${SecondFactor} />`}
      ${can('audit.read') && html`
        <nav class="card list" aria-label=${audit('title')}>
          <a class="fold" id="to-audit" href=${to('team', 'audit')}>
            ${icon('list-checks')}
            <span class="grow">
              ${audit('title')}
              <br />
              <span class="sm q">${audit('hint')}</span>
            </span>
            ${icon('chevron-right', 's')}
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
      <h2>${t(/** @type {any} */ ('list_' + status))}</h2>
      <ul class="card list" id=${'team-' + status}>
        ${all.map((one) => html`
          <li key=${one._id}>
            <a class="fold" href=${to('team', one._id)} data-member=${one._id}>
              <span class="face" aria-hidden="true">${[...one.name][0]}</span>
              <span class="grow">
                <b>${named(one.name)}</b>
                ${session.value?.staffMember._id === one._id && html`
                  ${' '}
                  <span class="q">(${t('you')})</span>
                `}
                <br />
                <span class="sm q">
                  ${one.email ?? phone(one.phoneNumber ?? '')}
                  <br />
                  ${seen(one)}
                </span>
              </span>
              <span class="sm b nw">${frame(/** @type {any} */ ('role_' + one.role))}</span>
              ${icon('chevron-right', 's')}
            </a>
          </li>
        `)}
      </ul>
    </section>
  `

const seen = (/** @type {Member} */ one) =>
  one.status === 'invited'
    ? `${t('waiting')}. ${expiry(one)}`
    : one.status === 'off'
      ? t('isOff')
      : one.lastSeenAt
        ? t('seen', { age: ago(one.lastSeenAt) })
        : t('neverSeen')
