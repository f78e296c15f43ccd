// What staff have recorded about an order: notes, calls and tags. Buyers see none of it.

import { html, useSignal } from '../html.js'
import { dateTime, langOf } from '../i18n.js'
import { can, session } from '../session.js'
import { t } from '../strings/order.js'
import { Field, formError, Submit, useForm, useUnsaved } from './form.js'
import { icon } from './icon.js'
import { Later } from './later.js'
import { word } from './status.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {import('./order_details.js').Run} Run */

/**
 * A note or a call, and the way to delete it.
 * @param {{ note: StaffOrder['notes'][number], run: Run }} props
 */
export function NoteText({ note, run }) {
  const me = session.value?.staffMember
  const mayDelete = me?.role === 'owner' || me?.role === 'manager' || note.by._id === me?._id
  return html`
    <div class="row top-aligned">
      <span class="grow">
        ${note.outcome && html`
          <b>${icon('phone', 'mini')} ${word('call_' + note.outcome)}</b>
          ${note.callAt && html` · ${t('callAgain', { time: dateTime(note.callAt) })}`}
          <br />
        `}
        ${note.text && html`
          <span class="noted" lang=${langOf(note.text)}>${note.text}</span>
          <br />
        `}
        <span class="small quiet">
          ${dateTime(note.at)}
          ${note.by.name && html` · <span lang=${langOf(note.by.name)}>${note.by.name}</span>
          `}
        </span>
      </span>
      ${note.kind === 'note' && can('orders.write') && mayDelete && html`
        <button
          class="icon-button tight no-print"
          aria-label=${t('deleteNote')}
          onClick=${() => run('deleteNote', 'notes/' + note._id, {}, { method: 'DELETE' })}
        >
          ${icon('trash', 'mini')}
        </button>
      `}
    </div>
  `
}

/** @param {{ run: Run }} props */
export function AddNote({ run }) {
  const key = useSignal(0)
  const { form, errors, busy, onSubmit } = useForm(['text'], async ({ text }, keyOf) => {
    if (text === '') return
    await run('note', 'notes', { text }, { key: keyOf(text) })
    key.value++ // an empty field
  })
  useUnsaved(form)
  return html`
    <form ref=${form} class="stack" onSubmit=${onSubmit} novalidate>
      ${formError(errors.value)}
      <div class="row ends">
        <div class="grow" key=${key.value}>
          <${Field}
            name="text"
            label=${t('newNote')}
            errors=${errors.value}
            maxlength="1000"
            autocomplete="off"
          />
        </div>
        <${Submit} busy=${busy.value} kind="find">${t('add')}<//>
      </div>
    </form>
  `
}

const loadTags = () => import('../part/order_tags.js')

/** The tags of an order, and the way to change them. @param {{ order: StaffOrder }} props */
export function Tags({ order }) {
  const editing = useSignal(false)
  if (order.tags.length === 0 && !can('orders.write')) return null
  return html`
    <div class="row wraps tags">
      ${order.tags.map((tag) => html`<span class="tag" lang=${langOf(tag)}>${tag}</span>`)}
      ${can('orders.write') && html`
        <button
          class="button mini no-print"
          onClick=${() => {
            editing.value = true
          }}
        >
          ${icon('tag', 'mini')}
          ${t(order.tags.length > 0 ? 'editTags' : 'addTag')}
        </button>
      `}
      ${editing.value && html`
        <${Later}
          load=${loadTags}
          order=${order}
          close=${() => {
            editing.value = false
          }}
        />
      `}
    </div>
  `
}
