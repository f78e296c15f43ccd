// One staff member: person and role in a form, and what ends or renews their access.

import { html, useEffect, useLayoutEffect, useSignal } from '../html.js'
import { act, Problem, send } from '../api.js'
import { ago, date, dateTime, plainDigits, typedPhone } from '../i18n.js'
import { changed } from '../resource.js'
import { guard, open, route, to } from '../router.js'
import { can, session } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/team.js'
import { Conflict } from './conflict.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { attempt } from './product_change.js'
import { skeletonRows, Failed, Skeleton } from './states.js'
import { grantable, Roles, roles } from './team_invite.js'
import { LinkDialog, named } from './team_link.js'
import { showToast } from './toast.js'

const factors = /** @type {const} */ ({
  none: 'factorOff',
  totp: 'factorOn',
  passkey: 'factorPasskey',
})

/** @typedef {import('../api.js').Schemas['Member']} Member */
/** @typedef {{ name: string, email: string, phone: string, role: Member['role'] }} Draft */
/** @typedef {{ member: Member, etag: string | null, isLastOwner: boolean }} Loaded */

/** @returns {Draft} */
const draftOf = (/** @type {Member} */ member) => ({
  name: member.name,
  email: member.email ?? '',
  phone: typedPhone(member.phoneNumber ?? ''),
  role: member.role,
})
const names = /** @type {(keyof Draft)[]} */ (['name', 'email', 'phone', 'role'])

const compared = {
  parts: Object.fromEntries(
    names.map((field) => [
      field,
      {
        label: () => t.dynamic(field),
        show: (/** @type {Draft} */ draft) =>
          field === 'role' ? common.dynamic('role_' + draft.role) : draft[field],
      },
    ]),
  ),
  differences: (/** @type {Draft} */ a, /** @type {Draft} */ b) =>
    names.filter((field) => a[field] !== b[field]),
  merge: (
    /** @type {Draft} */ draft,
    /** @type {Draft} */ other,
    /** @type {string[]} */ chosen,
  ) => ({
    ...draft,
    ...Object.fromEntries(
      names.filter((field) => chosen.includes(field)).map((field) => [field, other[field]]),
    ),
  }),
}

const hasAll = (/** @type {Member} */ member) =>
  member.role === 'owner' && member.status === 'active' && member.denies.length === 0

export function MemberView() {
  const { id } = route.value
  const loaded = useSignal(/** @type {Loaded | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  async function load() {
    try {
      const [{ data, etag }, all] = await Promise.all([
        send('GET', 'staff/' + encodeURIComponent(id)),
        send('GET', 'staff'),
      ])
      const others = all.data.nodes.filter(
        (/** @type {Member} */ member) => member._id !== data._id,
      )
      loaded.value = { member: data, etag, isLastOwner: hasAll(data) && !others.some(hasAll) }
      problem.value = null
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problem.value = error
    }
  }
  useEffect(() => {
    load()
  }, [id])
  const member = loaded.value?.member
  return html`
    <header class="top plain over">
      <a class="icon-button" data-back aria-label=${common('back')} href=${to('team')}>
        ${icon('arrow-left')}
      </a>
      <div class="title">
        <h1 tabindex="-1" class="cut">${member ? named(member.name) : common('team')}</h1>
      </div>
    </header>
    ${problem.value && !loaded.value
      ? html`<${Failed} problem=${problem.value} retry=${load} />`
      : !loaded.value
        ? html`<${Skeleton}>${skeletonRows(3)}<//>`
        : html`
            <div class="stack narrow form-view">
              <${About} member=${loaded.value.member} />
              <${Person} key=${loaded.value.etag} loaded=${loaded.value} reload=${load} />
              <${Access} loaded=${loaded.value} reload=${load} />
            </div>
          `}
  `
}

/** Until when the link of the invitation works. */
export const expiry = (/** @type {Member} */ { invitationExpiresAt: at }) =>
  at ? t('expires', { time: dateTime(at) }) : t('expired')

/** @param {{ member: Member }} props */
function About({ member }) {
  const special = [
    ...member.grants.map((p) => '+ ' + p),
    ...member.denies.map((p) => '− ' + p),
  ].join(', ')
  return html`
    <section class="card section">
      <dl class="facts about">
        <dt class="quiet">${t('status')}</dt>
        <dd>${t.dynamic('status_' + member.status)}</dd>
        ${member.status === 'invited' && html`
          <dt class="quiet">${t('invitation')}</dt>
          <dd id="expires">${expiry(member)}</dd>
        `}
        <dt class="quiet">${t('lastSeen')}</dt>
        <dd>${member.lastSeenAt ? ago(member.lastSeenAt) : t('neverSeen')}</dd>
        <dt class="quiet">${t('factor')}</dt>
        <dd>${t(factors[member.secondFactor])}</dd>
        <dt class="quiet">${t('since')}</dt>
        <dd>${date(member.createdAt)}</dd>
      </dl>
      ${special && html`<p class="small quiet">${t('ownRules', { list: special })}</p>`}
    </section>
  `
}

const isOwn = (/** @type {Member} */ member) => session.value?.staffMember._id === member._id

/** Returns why the caller may not change the staff member, '' if they may. */
const refusal = (/** @type {Member} */ member) =>
  !can('staff.write') ? t('readOnly') : grantable().includes(member.role) ? '' : t('above')

/** @param {{ loaded: Loaded, reload: () => Promise<void> }} props */
function Person({ loaded: { member, etag, isLastOwner }, reload }) {
  const base = draftOf(member)
  const draft = useSignal(base)
  const conflict = useSignal(/** @type {{ theirs: Draft, etag: string | null } | null} */ (null))
  const refused = refusal(member)
  const fixed = refused || (isLastOwner ? t('lastOwner') : isOwn(member) ? t('ownRole') : '')
  const isChanged = compared.differences(draft.value, base).length > 0
  useLayoutEffect(() => guard(() => (isChanged ? common('unsaved') : null)), [isChanged])
  async function save(
    /** @type {Draft} */ mine,
    /** @type {Draft} */ from,
    /** @type {string | null} */ ifMatch,
  ) {
    const d = { ...mine, phone: plainDigits(mine.phone) }
    const own = compared.differences(d, from)
    /** @type {Record<string, any>} */
    const body = { name: d.name, email: d.email, phoneNumber: d.phone, role: d.role }
    for (const field of names)
      if (!own.includes(field)) delete body[field === 'phone' ? 'phoneNumber' : field]
    try {
      await act('staff/' + member._id, body, { method: 'PATCH', ifMatch, label: member.name })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.code === 'changed_meanwhile') {
        const { data, etag: newer } = await send('GET', 'staff/' + member._id)
        conflict.value = { theirs: draftOf(data), etag: newer }
        return
      }
      for (const fault of error.errors) if (fault.field === 'phoneNumber') fault.field = 'phone'
      throw error
    }
    await reload()
    changed()
    showToast(common('saved'))
  }
  const { form, errors, busy, onSubmit } = useForm(['name', 'email', 'phone', 'role'], () =>
    save(draft.value, base, etag),
  )
  const set = (/** @type {keyof Draft} */ field) => (/** @type {FieldEvent} */ event) => {
    draft.value = { ...draft.value, [field]: event.target.value.trim() }
  }
  const mayChoose = roles.filter((role) => role === member.role || grantable().includes(role))
  return html`
    <section class="card section" id="person">
      <h2>${t('person')}</h2>
      <form ref=${form} onSubmit=${onSubmit} class="stack setting" novalidate>
        ${formError(errors.value)}
        <fieldset class="stack" disabled=${refused !== ''}>
          <${Field}
            name="name"
            label=${t('name')}
            value=${base.name}
            errors=${errors.value}
            autocomplete="off"
            onInput=${set('name')}
          />
          <${Field}
            name="email"
            label=${t('email')}
            value=${base.email}
            errors=${errors.value}
            autocomplete="off"
            inputmode="email"
            onInput=${set('email')}
          />
          <${Field}
            name="phone"
            label=${t('phone')}
            value=${base.phone}
            errors=${errors.value}
            autocomplete="off"
            inputmode="tel"
            onInput=${set('phone')}
          />
          <${Roles}
            value=${draft.value.role}
            choices=${mayChoose}
            disabled=${fixed !== ''}
            onChange=${(/** @type {any} */ role) => {
              draft.value = { ...draft.value, role }
            }}
          />
        </fieldset>
        <p class="hint">${fixed || t('roleEnds')}</p>
        ${!refused && html`
          <${Submit}
            busy=${busy.value}
            kind=${isChanged ? 'primary save' : 'save'}
            disabled=${!isChanged}
          >
            ${common('save')}
          <//>
        `}
      </form>
      ${conflict.value && html`
        <${Conflict}
          ...${compared}
          base=${base}
          mine=${draft.value}
          theirs=${conflict.value.theirs}
          close=${() => {
            conflict.value = null
            reload()
          }}
          save=${(/** @type {Draft} */ merged) => {
            const { theirs, etag: newer } = /** @type {NonNullable<typeof conflict.value>} */ (
              conflict.value
            )
            conflict.value = null
            attempt(() => save(merged, theirs, newer))
          }}
        />
      `}
    </section>
  `
}

/** @typedef {'sessions' | 'off' | 'withdraw' | 'remove'} Step */

/** @param {{ loaded: Loaded, reload: () => Promise<void> }} props */
function Access({ loaded: { member, etag, isLastOwner }, reload }) {
  const step = useSignal(/** @type {Step | null} */ (null))
  const invited = useSignal(/** @type {import('./team_link.js').Invited | null} */ (null))
  const busy = useSignal(false)
  if (isOwn(member)) {
    return html`
      <section class="card list">
        <a class="fold" href=${to('account')}>
          ${icon('monitor')}
          <span class="grow">${t('ownAccount')}</span>
          ${icon('chevron-right', 'mini')}
        </a>
      </section>
    `
  }
  if (refusal(member)) return null
  async function run(/** @type {() => Promise<any>} */ change) {
    if (busy.value) return false
    busy.value = true
    const done = await attempt(change)
    busy.value = false
    return done
  }
  const path = 'staff/' + member._id
  const create = () =>
    run(async () => {
      invited.value = await act(path + '/link', {}, { label: member.name })
    })
  async function confirm() {
    const kind = /** @type {Step} */ (step.value)
    const isGone = kind === 'withdraw' || kind === 'remove'
    const done = await run(() =>
      kind === 'off'
        ? act(path + '/turn-off', {}, { label: member.name })
        : act(
            kind === 'sessions' ? path + '/sessions' : path,
            {},
            { method: 'DELETE', label: member.name, ifMatch: isGone ? etag : undefined },
          ),
    )
    step.value = null
    if (!done) return reload()
    changed()
    showToast(t.dynamic('done_' + kind, { name: member.name }))
    if (isGone) open(to('team'), { replace: true })
    else await reload()
  }
  const kind = member.status === 'active' ? 'reset' : 'invite'
  /** @type {[Step, string][]} */
  const steps =
    member.status === 'invited'
      ? [['withdraw', 'x']]
      : [
          ...(member.status === 'active'
            ? /** @type {[Step, string][]} */ ([['sessions', 'log-out']])
            : []),
          ...(member.status === 'active' && !isLastOwner
            ? /** @type {[Step, string][]} */ ([['off', 'power']])
            : []),
          ...(isLastOwner ? [] : /** @type {[Step, string][]} */ ([['remove', 'trash']])),
        ]
  const words = (/** @type {string} */ prefix, /** @type {string} */ key) =>
    t.dynamic(prefix + key, { name: member.name })
  const line = (
    /** @type {string} */ key,
    /** @type {string} */ name,
    /** @type {() => void} */ click,
    tone = '',
  ) => html`
    <button type="button" class="fold full ${tone}" id=${'do-' + key} onClick=${click}>
      ${icon(name)}
      <span class="grow">
        ${words('do_', key)}
        <br />
        <span class="small quiet">${words('hint_', key)}</span>
      </span>
      ${icon('chevron-right', 'mini')}
    </button>
  `
  return html`
    <section aria-label=${t('access')}>
      <div class="card list">
        ${line(kind, kind === 'invite' ? 'send' : 'key-round', create)}
        ${steps.map(([key, name]) =>
          line(
            key,
            name,
            () => {
              step.value = key
            },
            /^(remove|withdraw)$/.test(key) ? 'tone-bad' : '',
          ),
        )}
      </div>
    </section>
    ${invited.value && html`
      <${LinkDialog}
        invited=${invited.value}
        close=${() => {
          invited.value = null
          reload()
        }}
      />
    `}
    ${step.value && html`
      <${Dialog}
        title=${words('ask_', step.value)}
        text=${words('askText_', step.value)}
        id="confirm"
        close=${() => {
          step.value = null
        }}
      >
        <div class="row">
          <button
            class="button big"
            onClick=${() => {
              step.value = null
            }}
          >
            ${common('cancel')}
          </button>
          <button class="button bad big" aria-busy=${busy.value} onClick=${confirm}>
            ${words('do_', step.value)}
          </button>
        </div>
      <//>
    `}
  `
}
