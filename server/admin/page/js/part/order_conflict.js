// Two people have changed the same order: both versions, part by part.

import { html, useSignal } from '../html.js'
import { digits, langOf } from '../i18n.js'
import { t } from '../strings/order_form.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { differences, draftOf, merge, parts } from './order_draft.js'

/** @typedef {import('./order_draft.js').Draft} Draft */

/**
 * @param {{ base: Draft, mine: Draft, now: import('../api.js').Schemas['StaffOrder'], save: (merged: Draft) => void, close: () => void }} props
 * base: what both have begun with; now: the order with the other's changes
 */
export function Conflict({ base, mine, now, save, close }) {
  const theirs = draftOf(now)
  const own = differences(mine, base)
  const disputed = own.filter((part) => differences(theirs, base).includes(part) && differences(mine, theirs).includes(part))
  const others = differences(theirs, base).filter((part) => !disputed.includes(part))
  const chosen = useSignal(/** @type {Record<string, string>} */ ({}))
  const show = (/** @type {Draft} */ draft, /** @type {string} */ part) => {
    const text = parts[part].show(draft)
    if (text === '') return html`<span class="q">${t('empty')}</span>`
    return html`<span lang=${langOf(text)}>${part === 'items' ? digits(text) : text}</span>`
  }
  const choice = (/** @type {string} */ part, /** @type {string} */ whose, /** @type {Draft} */ draft) => html`<label class="row choice"><input
    type="radio" class="cb" name=${'choice-' + part} checked=${(chosen.value[part] ?? 'yours') === whose}
    onChange=${() => { chosen.value = { ...chosen.value, [part]: whose } }} /><span class="grow"><span class="sm q">
      ${t(/** @type {any} */ (whose))}</span><br />${show(draft, part)}</span></label>`
  // What the other has changed stays, unless the own version is chosen.
  const kept = own.filter((part) => !disputed.includes(part) || (chosen.value[part] ?? 'yours') === 'yours')
  return html`<${Dialog} title=${t('conflict')} text=${t('conflictText')} close=${close} id="conflict">
    ${disputed.map((part) => html`<fieldset class="card sec"><legend class="vh">${parts[part].label()}</legend><h3 class="lab">
      ${parts[part].label()}</h3>${choice(part, 'yours', mine)}${choice(part, 'theirs', theirs)}</fieldset>`)}
    ${others.length > 0 && html`<div><p class="sm b">${t('alsoChanged')}</p><ul class="sm">${others.map((part) => html`<li><span class="q">
      ${parts[part].label()}:</span> ${show(theirs, part)}</li>`)}</ul></div>`}
    <button class="btn pri big" onClick=${() => save(merge(theirs, mine, kept))}>${icon('check')}${t('saveChosen')}</button><//>`
}
