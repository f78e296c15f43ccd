// The passkeys of the person who is signed in, in a shop or in the console.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { ago } from '../i18n.js'
import { useGet } from '../resource.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/passkey.js'
import { browserName } from './agent.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { create, isSupported } from './passkey.js'
import { RecoveryCodes } from './recovery_codes.js'
import { Failed } from './states.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['Passkey']} Passkey */
/** @typedef {{ kind: 'add' | 'rename' | 'remove', passkey?: Passkey }} Opened */

/**
 * @param {{ before: boolean, changed: () => void, heading?: string }} props before: a second factor
 *   is required and missing, so that the server lists nothing; changed is called after each change
 */
export function view({ before, changed, heading = 'h2' }) {
  const { data, problem, reload } = useGet(before ? null : 'me/passkeys')
  const opened = useSignal(/** @type {Opened | null} */ (null))
  const codes = useSignal(/** @type {string[]} */ ([]))
  const close = () => {
    opened.value = null
  }
  const done = (/** @type {string} */ text) => {
    close()
    showToast(text)
    reload()
    changed()
  }
  const open = (/** @type {Opened} */ to) => () => {
    opened.value = to
  }
  const props = { close, done, passkey: opened.value?.passkey }
  return (
    isSupported() && html`
      <section class="card section stack" id="passkeys">
        <${heading}>${t('title')}<//>
        <p class="quiet">${t('about')}</p>
        ${problem && html`<${Failed} problem=${problem} retry=${reload} />`}
        ${(data?.nodes ?? []).map((/** @type {Passkey} */ passkey) => html`
          <div class="row" key=${passkey._id} data-passkey=${passkey._id}>
            <span class="quiet">${icon('key-round')}</span>
            <span class="grow breaks">
              ${passkey.name}
              <br />
              <span class="small quiet">
                ${passkey.host} · ${passkey.lastUsedAt
                  ? t('used', { age: ago(passkey.lastUsedAt) })
                  : t('unused')}
              </span>
            </span>
            <button
              class="icon-button"
              data-do="rename"
              aria-label=${t('rename', { name: passkey.name })}
              onClick=${open({ kind: 'rename', passkey })}
            >
              ${icon('pencil')}
            </button>
            <button
              class="icon-button"
              data-do="remove"
              aria-label=${t('remove', { name: passkey.name })}
              onClick=${open({ kind: 'remove', passkey })}
            >
              ${icon('trash')}
            </button>
          </div>
        `)}
        <button class="button" id="add-passkey" onClick=${open({ kind: 'add' })}>
          ${icon('plus')}
          ${t('add')}
        </button>
        ${opened.value?.kind === 'add' && html`
          <${Add}
            ...${props}
            show=${(/** @type {string[]} */ list) => {
              close()
              codes.value = list
            }}
          />
        `}
        ${opened.value?.kind === 'rename' && html`<${Rename} ...${props} />`}
        ${opened.value?.kind === 'remove' && html`<${Remove} ...${props} />`}
        ${codes.value.length > 0 && html`
          <${RecoveryCodes}
            codes=${codes.value}
            close=${() => {
              codes.value = []
              done(t('added'))
            }}
          />
        `}
      </section>
    `
  )
}

/** @param {any} props */
function Add({ close, done, show }) {
  const reason = useSignal('')
  const { form, errors, busy, onSubmit } = useForm(['name'], async ({ name }) => {
    reason.value = ''
    const options = await act('me/passkeys/options')
    let credential
    try {
      credential = await create(options)
    } catch (error) {
      const isThere = error instanceof DOMException && error.name === 'InvalidStateError'
      reason.value = t(isThere ? 'existing' : 'failed')
      return
    }
    if (!credential) return
    const added = await act('me/passkeys', { name, credential })
    if (added.recoveryCodes.length > 0) show(added.recoveryCodes)
    else done(t('added'))
  })
  return html`
    <${Dialog} title=${t('add')} text=${t('addText')} close=${close} id="passkey-add" free>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(reason.value ? { '': reason.value } : errors.value)}
        <${Field}
          name="name"
          label=${t('name')}
          value=${browserName(navigator.userAgent)}
          errors=${errors.value}
        />
        <${Submit} busy=${busy.value}>${t('create')}<//>
      </form>
    <//>
  `
}

/** @param {any} props */
function Rename({ close, done, passkey }) {
  const { form, errors, busy, onSubmit } = useForm(['name'], async ({ name }) => {
    await act('me/passkeys/' + passkey._id, { name }, { method: 'PATCH' })
    done(common('saved'))
  })
  return html`
    <${Dialog} title=${t('rename', { name: passkey.name })} close=${close} id="passkey-rename">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field} name="name" label=${t('name')} value=${passkey.name} errors=${errors.value} />
        <${Submit} busy=${busy.value}>${common('save')}<//>
      </form>
    <//>
  `
}

/** @param {any} props */
function Remove({ close, done, passkey }) {
  const { form, errors, busy, onSubmit } = useForm([], async () => {
    await act('me/passkeys/' + passkey._id, {}, { method: 'DELETE' })
    done(t('removed'))
  })
  const title = t('remove', { name: passkey.name })
  return html`
    <${Dialog} title=${title} text=${t('removeText')} close=${close} id="passkey-remove" free>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Submit} busy=${busy.value}>${title}<//>
      </form>
    <//>
  `
}
