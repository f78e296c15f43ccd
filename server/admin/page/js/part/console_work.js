// What an operator does with a shop as a whole: copy, restore, move, delete it after some days.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { changed } from '../resource.js'
import { t } from '../strings/console_work.js'
import { OpenCopy, Work } from './console_job.js'
import { refusedShop } from './console_link.js'
import { Sandbox } from './console_sandbox.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { Later } from './later.js'

const loadRestore = () => import('../part/console_restore.js')

/** @typedef {import('../api.js').Schemas['Job']} Job */

/** @param {{ path: string, close: () => void }} props */
function Copy({ path, close }) {
  const work = useSignal(/** @type {Job | null} */ (null))
  const copy = useSignal('')
  const { form, errors, busy, onSubmit } = useForm(['uid'], async ({ uid }) => {
    copy.value = uid
    try {
      work.value = await act(path + '/copies', { uid })
    } catch (error) {
      throw refusedShop(error)
    }
  })
  if (work.value)
    return html`
      <${Work}
        job=${work.value}
        title=${t('copying')}
        done=${t('copied')}
        close=${close}
        next=${html`<${OpenCopy} uid=${copy.value} close=${close} />`}
      />
    `
  return html`
    <${Dialog} title=${t('copy')} text=${t('copyText')} close=${close} id="copy-shop">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="uid"
          label=${t('uid')}
          errors=${errors.value}
          autocomplete="off"
          autocapitalize="none"
          spellcheck=${false}
          autofocus
        />
        <${Submit} busy=${busy.value}>${t('copy')}<//>
      </form>
    <//>
  `
}

/** @param {{ path: string, place: string, close: () => void }} props */
function Move({ path, place, close }) {
  const work = useSignal(/** @type {Job | null} */ (null))
  const { form, errors, busy, onSubmit } = useForm([], async () => {
    work.value = await act(path + '/move', { to: place })
  })
  if (work.value)
    return html`
      <${Work} job=${work.value} title=${t('moving')} done=${t('moved')} close=${close} />
    `
  const title = t.dynamic('move_' + place)
  return html`
    <${Dialog} title=${title} text=${t('moveText')} close=${close} id="move-shop" free>
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Submit} busy=${busy.value}>${title}<//>
      </form>
    <//>
  `
}

/** @param {{ path: string, close: () => void }} props */
function Remove({ path, close }) {
  const { form, errors, busy, onSubmit } = useForm(['reason', 'days'], async (values) => {
    await act(path + '/deletion', { reason: values.reason, days: Number(values.days) })
    changed()
    close()
  })
  return html`
    <${Dialog} title=${t('remove')} text=${t('removeText')} close=${close} id="delete-shop">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="reason"
          label=${t('reason')}
          errors=${errors.value}
          autocomplete="off"
          maxlength="500"
          autofocus
        />
        <${Field}
          name="days"
          label=${t('days')}
          errors=${errors.value}
          value="7"
          inputmode="numeric"
          autocomplete="off"
        />
        <${Submit} busy=${busy.value} kind="bad big">${t('remove')}<//>
      </form>
    <//>
  `
}

/** @param {{ shop: any, path: string, can: (permission: string) => boolean }} props */
export function view({ shop, path, can }) {
  const opened = useSignal('')
  const close = () => {
    opened.value = ''
  }
  const button = (/** @type {string} */ kind, /** @type {string} */ text) => html`
    <button
      class="button"
      id=${kind}
      onClick=${() => {
        opened.value = kind
      }}
    >
      ${text}
    </button>
  `
  const elsewhere = shop.place === 'files' ? 'postgres' : 'files'
  return html`
    <div class="row console-actions">
      ${can('shops.write') && button('copy', t('copy'))}
      ${can('shops.write') && html`<${Sandbox} path=${path} />`}
      ${can('shops.write') && button('restore', t('restore'))}
      ${can('shops.write') && shop.movable && button('move', t.dynamic('move_' + elsewhere))}
      ${can('shops.delete') && !shop.deleteAt && button('delete', t('remove'))}
    </div>
    ${opened.value === 'copy' && html`<${Copy} path=${path} close=${close} />`}
    ${opened.value === 'restore' && html`
      <${Later} load=${loadRestore} path=${path} can=${can} close=${close} />
    `}
    ${opened.value === 'move' && html`<${Move} path=${path} place=${elsewhere} close=${close} />`}
    ${opened.value === 'delete' && html`<${Remove} path=${path} close=${close} />`}
  `
}
