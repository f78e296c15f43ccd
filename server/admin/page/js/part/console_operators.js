// The operators of the server, and what they did.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { dateTime, language } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { route } from '../router.js'
import { t } from '../strings/console.js'
import { t as plans } from '../strings/plan.js'
import { Confirm, NewLink } from './console_link.js'
import { Dialog } from './dialog.js'
import { Field, formError, Segments, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { Pages } from './pages.js'
import { Empty, Failed, Skeleton, skeletonRows } from './states.js'

const roles = ['owner', 'support', 'viewer']

/** @param {{ can: (permission: string) => boolean, own: string }} props */
export function Operators({ can, own }) {
  const { data, problem, reload } = useGet('operators')
  const inviting = useSignal(false)
  const link = useSignal(/** @type {any} */ (null))
  const requested = useSignal(
    /** @type {{ kind: 'link' | 'role' | 'remove', who: any } | null} */ (null),
  )
  const close = () => {
    requested.value = null
  }
  const request =
    (/** @type {'link' | 'role' | 'remove'} */ kind, /** @type {any} */ who) => () => {
      requested.value = { kind, who }
    }
  if (problem && !data) return html`<${Failed} problem=${problem} retry=${reload} />`
  return html`
    <div class="stack">
      <div class="head first row spread">
        <h1 tabindex="-1">${t('operators')}</h1>
        ${can('operators.write') && html`
          <button
            class="button primary"
            id="invite"
            onClick=${() => {
              inviting.value = true
            }}
          >
            ${icon('user-plus')}
            ${t('invite')}
          </button>
        `}
      </div>
      ${!data
        ? html`<${Skeleton}>${skeletonRows(3)}<//>`
        : html`
            <ul class="card list" id="operators">
              ${data.nodes.map((/** @type {any} */ who) => html`
                <li class="section stack" key=${who._id}>
                  <div>
                    <b>${who.name}</b>
                    <br />
                    <span class="small quiet">
                      ${[
                        who.email,
                        t.dynamic('role_' + who.role),
                        t.dynamic('status_' + who.status),
                      ].join(' · ')}
                    </span>
                  </div>
                  ${can('operators.write') && who._id !== own && html`
                    <div class="row console-actions">
                      <button class="button mini" onClick=${request('link', who)}>
                        ${t('newLink')}
                      </button>
                      <button
                        class="button mini"
                        data-role=${who.email}
                        onClick=${request('role', who)}
                      >
                        ${t('changeRole')}
                      </button>
                      <button class="button mini" onClick=${request('remove', who)}>
                        ${t('remove')}
                      </button>
                    </div>
                  `}
                </li>
              `)}
            </ul>
          `}
    </div>
    ${inviting.value && html`
      <${Invite}
        close=${() => {
          inviting.value = false
        }}
        done=${(/** @type {any} */ created) => {
          inviting.value = false
          link.value = created
          changed()
        }}
      />
    `}
    ${requested.value?.kind === 'link' && html`
      <${Confirm}
        title=${t('newLink')}
        text=${t('newLinkText', { name: requested.value.who.name })}
        action=${t('createLink')}
        close=${close}
        run=${async () => {
          const created = await act(`operators/${requested.value?.who._id}/link`)
          close()
          link.value = created
        }}
      />
    `}
    ${requested.value?.kind === 'role' && html`
      <${Role} who=${requested.value.who} close=${close} />
    `}
    ${requested.value?.kind === 'remove' && html`
      <${Confirm}
        title=${t('remove')}
        text=${t('removeText', { name: requested.value.who.name })}
        action=${t('remove')}
        close=${close}
        run=${async () => {
          await act(`operators/${requested.value?.who._id}`, {}, { method: 'DELETE' })
          close()
          changed()
        }}
      />
    `}
    ${link.value && html`
      <${NewLink}
        name=${link.value.operator.name}
        link=${link.value.link}
        address="-"
        close=${() => {
          link.value = null
        }}
      />
    `}
  `
}

/** @param {{ close: () => void, done: (created: any) => void }} props */
function Invite({ close, done }) {
  const role = useSignal('support')
  const { form, errors, busy, onSubmit } = useForm(['name', 'email'], async ({ name, email }) => {
    done(await act('operators', { name, email, role: role.value, language: language.value }))
  })
  return html`
    <${Dialog} title=${t('invite')} close=${close} id="invite-operator">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="name"
          label=${t('name')}
          errors=${errors.value}
          autocomplete="off"
          autofocus
        />
        <${Field}
          name="email"
          type="email"
          label=${t('user')}
          errors=${errors.value}
          autocomplete="off"
        />
        <${Segments}
          name="role"
          label=${t('role')}
          value=${role.value}
          choices=${roles.map((name) => [name, t.dynamic('role_' + name)])}
          onChange=${(/** @type {string} */ to) => {
            role.value = to
          }}
        />
        <${Submit} busy=${busy.value}>${t('createLink')}<//>
      </form>
    <//>
  `
}

/** @param {{ who: any, close: () => void }} props */
function Role({ who, close }) {
  const role = useSignal(who.role)
  const { form, errors, busy, onSubmit } = useForm([], async () => {
    await act('operators/' + who._id, { role: role.value }, { method: 'PATCH' })
    close()
    changed()
  })
  return html`
    <${Dialog}
      title=${t('changeRole')}
      text=${t('changeRoleText', { name: who.name })}
      close=${close}
      id="change-role"
    >
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Segments}
          name="role"
          label=${t('role')}
          value=${role.value}
          choices=${roles.map((name) => [name, t.dynamic('role_' + name)])}
          onChange=${(/** @type {string} */ to) => {
            role.value = to
          }}
        />
        <${Submit} busy=${busy.value} disabled=${role.value === who.role}>${t('changeRole')}<//>
      </form>
    <//>
  `
}

/** What an entry is about: a name, or the action on many shops. */
const subjectOf = (/** @type {any} */ { action, subject: { label } }) => {
  if (action !== 'shop.change_many') return label
  return label === 'plan' ? plans('changePlan') : t.dynamic(label)
}

/** What operators did, newest first. */
export function Log() {
  const { data, problem, reload } = useGet('audit', { page: route.value.query.get('page') })
  if (problem && !data) return html`<${Failed} problem=${problem} retry=${reload} />`
  if (!data) return html`<${Skeleton}>${skeletonRows(6)}<//>`
  return html`
    <div class="stack">
      <div class="head first">
        <h1 tabindex="-1">${t('log')}</h1>
      </div>
      ${data.nodes.length === 0
        ? html`<${Empty} icon="list-checks" title=${t('noLog')} />`
        : html`
            <ul class="card list" id="log">
              ${data.nodes.map((/** @type {any} */ entry) => html`
                <li class="section" key=${entry._id}>
                  <b>${t.dynamic('log_' + entry.action.replace('.', '_'))}</b>
                  ${' ' + subjectOf(entry)}
                  <br />
                  <span class="small quiet">
                    ${[
                      entry.actor.name || entry.via,
                      dateTime(entry.at),
                      ...entry.changes
                        .filter((/** @type {any} */ change) => change.field === 'reason')
                        .map((/** @type {any} */ change) => change.after),
                    ].join(' · ')}
                  </span>
                </li>
              `)}
            </ul>
            <${Pages} meta=${data.meta} label=${t('log')} />
          `}
    </div>
  `
}
