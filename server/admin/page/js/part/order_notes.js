// What staff have recorded about an order: notes, calls and tags. Buyers see none of it.

import { html, useSignal } from '../html.js'
import { dateTime, digits, langOf } from '../i18n.js'
import { can, session } from '../session.js'
import { t } from '../strings/order.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { word } from './status.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {import('./order_details.js').Run} Run */

/** @param {{ order: StaffOrder, run: Run }} props */
export function Notes({ order, run }) {
  const me = session.value?.staffMember
  const isManager = me?.role === 'owner' || me?.role === 'manager'
  return html`<div class="sec stack">${can('orders.write') && html`<${AddNote} run=${run} />`}
    <ol class="tl sm">${[...order.notes].reverse().map((note) => html`<li key=${note._id} class=${note.kind === 'call' ? 'on' : ''}>
      <div class="row top-aligned"><span class="grow">${note.outcome && html`<b>${word('call_' + note.outcome)}</b>
        ${note.callAt && html` · ${t('callAgain', { time: dateTime(note.callAt) })}`}<br />`}
        ${note.text && html`<span class="noted" lang=${langOf(note.text)}>${note.text}</span><br />`}
        <span class="q">${dateTime(note.at)} · <span lang=${langOf(note.by.name)}>${note.by.name}</span></span></span>
        ${note.kind === 'note' && can('orders.write') && (isManager || note.by._id === me?._id) && html`<button class="ib tight"
          aria-label=${t('deleteNote')} onClick=${() => run('deleteNote', 'notes/' + note._id, {}, 'DELETE')}>${icon('trash', 's')}</button>`}
            </div></li>`)}</ol></div>`
}

function AddNote(/** @type {{ run: Run }} */ { run }) {
  const key = useSignal(0)
  const { form, errors, busy, onSubmit } = useForm(['text'], async ({ text }) => {
    if (text === '') return
    await run('note', 'notes', { text })
    key.value++ // an empty field
  })
  return html`<form ref=${form} class="stack" onSubmit=${onSubmit} novalidate>${formError(errors.value)}
    <div class="row ends"><div class="grow" key=${key.value}>
      <${Field} name="text" label=${t('newNote')} errors=${errors.value} maxlength="1000" autocomplete="off" /></div>
      <${Submit} busy=${busy.value} kind="find">${t('add')}<//></div></form>`
}

/** The tags of an order, and the way to change them. @param {{ order: StaffOrder, run: Run }} props */
export function Tags({ order, run }) {
  const editing = useSignal(false)
  if (order.tags.length === 0 && !can('orders.write')) return null
  return html`<div class="row wraps tags">${order.tags.map((tag) => html`<span class="tag" lang=${langOf(tag)}>${tag}</span>`)}
    ${can('orders.write') && html`<button class="btn mini no-print" onClick=${() => { editing.value = true }}>
      ${icon('tag', 's')}${t(order.tags.length > 0 ? 'editTags' : 'addTag')}</button>`}
    ${editing.value && html`<${EditTags} order=${order} run=${run} close=${() => { editing.value = false }} />`}</div>`
}

/** @param {{ order: StaffOrder, run: Run, close: () => void }} props */
function EditTags({ order, run, close }) {
  const tags = useSignal(order.tags)
  const { form, errors, busy, onSubmit } = useForm(['tags'], async (values) => {
    await run('tags', 'tags', { tags: [...tags.value, ...values.tags.split(',').map((one) => one.trim()).filter(Boolean)] }, 'PUT')
    close()
  })
  return html`<${Dialog} title=${t('tagsTitle', { number: digits(order.orderNumber) })} text=${t('tagsText')} close=${close} id="tags-dialog">
    <form ref=${form} class="stack" onSubmit=${onSubmit} novalidate>${formError(errors.value)}
      ${tags.value.length > 0 && html`<div class="row wraps">${tags.value.map((tag) => html`<button type="button" class="chip on"
        aria-label=${t('removeTag', { tag })} onClick=${() => { tags.value = tags.value.filter((one) => one !== tag) }}>${tag}${icon('x', 's')}
          </button>`)}</div>`}
      <${Field} name="tags" label=${t('newTags')} hint=${t('tagsHint')} errors=${errors.value} autocomplete="off" />
      <${Submit} busy=${busy.value}>${t('saveTags')}<//></form><//>`
}
