// Inviting a staff member: who, how they sign in, and the role in words.

import { html, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { language, plainDigits } from '../i18n.js'
import { session } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/team.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'

/** @typedef {import('../api.js').Schemas['Member']} Member */
/** @typedef {import('./team_link.js').Invited} Invited */

export const roles = ['owner', 'manager', 'staff', 'packer', 'viewer']

/** The roles that the caller may grant. */
export const grantable = () =>
  session.value?.staffMember.role === 'owner' ? roles : ['staff', 'packer', 'viewer']

/**
 * @param {{ value: string, onChange: (role: any) => void, disabled?: boolean, choices?: string[] }}
 *   props
 */
export const Roles = ({ value, onChange, disabled, choices = grantable() }) => html`
  <fieldset class="roles" disabled=${disabled}>
    <legend class="label">${t('role')}</legend>
    <div class="card list">
      ${choices.map((choice) => html`
        <label class="row top-aligned choice section" key=${choice}>
          <input
            type="radio"
            class="checkbox"
            name="role"
            value=${choice}
            checked=${choice === value}
            onChange=${() => onChange(choice)}
          />
          <span class="grow">
            <b>${common.dynamic('role_' + choice)}</b>
            <br />
            <span class="small quiet">${t.dynamic('text_' + choice)}</span>
          </span>
        </label>
      `)}
    </div>
  </fieldset>
`

/** @param {{ close: () => void, done: (invited: Invited) => void }} props */
export function InviteDialog({ close, done }) {
  const role = useSignal(/** @type {Member['role']} */ ('staff'))
  const { form, errors, busy, onSubmit } = useForm(
    ['name', 'contact'],
    async ({ name, contact }, keyOf) => {
      const reached = contact.includes('@')
        ? { email: contact }
        : { phoneNumber: plainDigits(contact) }
      try {
        const body = { name, ...reached, role: role.value, language: language.value }
        done(await act('staff', body, { label: t('invite'), key: keyOf(body) }))
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        for (const fault of error.errors)
          if (/^(email|phoneNumber)$/.test(fault.field)) fault.field = 'contact'
        throw error
      }
    },
  )
  return html`
    <${Dialog} title=${t('inviteTitle')} text=${t('inviteText')} close=${close} id="invite">
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
          name="contact"
          label=${t('contact')}
          hint=${t('contactHint')}
          errors=${errors.value}
          autocomplete="off"
          autocapitalize="none"
        />
        <${Roles}
          value=${role.value}
          onChange=${(/** @type {any} */ to) => {
            role.value = to
          }}
        />
        <${Submit} busy=${busy.value}>${t('create')}<//>
      </form>
    <//>
  `
}
