// Two people have changed the same order or product: both versions, part by part.

import { html, useSignal } from '../html.js'
import { langOf } from '../i18n.js'
import { t } from '../strings/conflict.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'

/**
 * @template D
 * @typedef {{ parts: Record<string, { label: () => string, show: (draft: D) => string }>,
 *   differences: (a: D, b: D) => string[], merge: (draft: D, other: D, chosen: string[]) => D }}
 *   Compared what a form consists of, and how two versions of it differ
 */

/**
 * @template D
 * @param {Compared<D> & { base: D, mine: D, theirs: D, save: (merged: D) => void, close: () => void
 *   }} props base: what both have begun with; theirs: with the other's changes
 */
export function Conflict({ base, mine, theirs, parts, differences, merge, save, close }) {
  const own = differences(mine, base)
  const disputed = own.filter(
    (part) => differences(theirs, base).includes(part) && differences(mine, theirs).includes(part),
  )
  const others = differences(theirs, base).filter((part) => !disputed.includes(part))
  const chosen = useSignal(/** @type {Record<string, string>} */ ({}))
  const show = (/** @type {D} */ draft, /** @type {string} */ part) => {
    const text = parts[part].show(draft)
    if (text === '') return html`<span class="quiet">${t('empty')}</span>`
    return html`<span lang=${langOf(text)}>${text}</span>`
  }
  const choice = (
    /** @type {string} */ part,
    /** @type {string} */ whose,
    /** @type {D} */ draft,
  ) => html`
    <label class="row choice">
      <input
        type="radio"
        class="checkbox"
        name=${'choice-' + part}
        checked=${(chosen.value[part] ?? 'yours') === whose}
        onChange=${() => {
          chosen.value = { ...chosen.value, [part]: whose }
        }}
      />
      <span class="grow">
        <span class="small quiet">${t.dynamic(whose)}</span>
        <br />
        ${show(draft, part)}
      </span>
    </label>
  `
  // What the other has changed stays, unless the own version is chosen.
  const chosenParts = own.filter(
    (part) => !disputed.includes(part) || (chosen.value[part] ?? 'yours') === 'yours',
  )
  return html`
    <${Dialog} title=${t('title')} text=${t('text')} close=${close} id="conflict">
      ${disputed.map((part) => html`
        <fieldset class="card section">
          <legend class="visually-hidden">${parts[part].label()}</legend>
          <h3 class="label">${parts[part].label()}</h3>
          ${choice(part, 'yours', mine)}
          ${choice(part, 'theirs', theirs)}
        </fieldset>
      `)}
      ${others.length > 0 && html`
        <div>
          <p class="small bold">${t('alsoChanged')}</p>
          <ul class="small">
            ${others.map((part) => html`
              <li>
                <span class="quiet">${parts[part].label()}:</span> ${show(theirs, part)}
              </li>
            `)}
          </ul>
        </div>
      `}
      <button class="button primary big" onClick=${() => save(merge(theirs, mine, chosenParts))}>
        ${icon('check')}
        ${t('saveChosen')}
      </button>
    <//>
  `
}
