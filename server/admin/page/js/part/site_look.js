// The look of the site: one of the designs, a colour, and choices that replace the design's own.

import { html, useSignal } from '../html.js'
import { ownPath, to } from '../router.js'
import { can, session } from '../session.js'
import { t } from '../strings/site.js'
import { fault } from './form.js'
import { icon } from './icon.js'
import { Follow } from './inherited.js'
import { Choice } from './setting_card.js'
import { colourOf } from './site_colour.js'
import { drawing } from './site_drawing.js'
import { tokenWord } from './site_parts.js'

/** @typedef {import('./site_parts.js').Document} Document */
/**
 * @typedef {{ draft: Document, own: Document, design: import('../api.js').Schemas['Design'],
 *   mayChange: boolean, change: (to: Document) => void }} Props
 *   own: the values of the chosen design
 */

/** @param {Props} props */
export function Look({ draft, own, design: found, mayChange, change: save }) {
  const { designs, locked, default: theirs } = found
  const disabled = !mayChange || locked
  const change = (/** @type {Document} */ to) => save({ ...to, inherited: false })
  const setToken = (/** @type {string} */ name, /** @type {any} */ value) => {
    const { [name]: _, ...others } = /** @type {any} */ (draft.tokens)
    change({ ...draft, tokens: value === undefined ? others : { ...others, [name]: value } })
  }
  return html`
    ${theirs && html`
      <${Follow}
        id="design"
        on=${draft.inherited}
        locked=${locked}
        mayChange=${mayChange}
        follow=${() => save({ ...draft, ...theirs, inherited: true })}
      />
    `}
    <fieldset class="card section" disabled=${disabled}>
      <legend class="visually-hidden">${t('part_design')}</legend>
      <h2 aria-hidden="true">${t('part_design')}</h2>
      <div class="designs">
        ${designs.map(({ design, tokens }) => html`
          <label class=${draft.design === design ? 'design-choice on' : 'design-choice'}>
            <input
              type="radio"
              class="visually-hidden"
              name="design"
              value=${design}
              checked=${draft.design === design}
              onChange=${() => change({ ...draft, design })}
            />
            ${drawing(design, draft.tokens.seed || tokens.seed || '')}
            <b class="row">
              ${draft.design === design && icon('check', 'mini')}
              ${t.dynamic(design)}
            </b>
            <span class="small quiet">${t.dynamic('about_' + design)}</span>
          </label>
        `)}
      </div>
    </fieldset>
    <${Colour}
      seed=${draft.tokens.seed}
      own=${own.tokens.seed ?? ''}
      disabled=${disabled}
      set=${(/** @type {string | undefined} */ seed) => setToken('seed', seed)}
    />
    <details class="card">
      <summary class="fold">
        ${icon('sliders-horizontal')}
        <span class="grow">
          ${t('details')}
          <br />
          <span class="small quiet">${t('detailsText')}</span>
        </span>
        ${icon('chevron-down', 'mini')}
      </summary>
      <fieldset class="section details-of-look" disabled=${disabled}>
        <legend class="visually-hidden">${t('details')}</legend>
        ${choices.map(([name, values]) => html`
          <${Choice}
            key=${name + draft.design}
            id=${'token-' + name}
            label=${t.dynamic('part_' + name)}
            value=${String(/** @type {any} */ (draft.tokens)[name] ?? '')}
            choices=${[
              [
                '',
                t('asDesignOf', { value: tokenWord(name, /** @type {any} */ (own.tokens)[name]) }),
              ],
              ...values.map((value) => [String(value), tokenWord(name, value)]),
            ]}
            onChange=${(/** @type {string} */ value) =>
              setToken(
                name,
                value === '' ? undefined : typeof values[0] === 'number' ? Number(value) : value,
              )}
          />
        `)}
      </fieldset>
    </details>
  `
}

/** @type {[string, (string | number)[]][]} */
const choices = [
  ['fonts', ['book', 'plain', 'line', 'round']],
  ['headingWeight', [300, 400, 500, 600, 700, 800, 900]],
  ['radius', [0, 4, 8, 12, 16, 24]],
  ['density', ['airy', 'medium', 'dense']],
  ['cardRatio', ['1/1', '4/5', '3/4']],
  ['header', ['left', 'centre', 'search']],
]

/** Colours to choose from, by their names. @type {[string, string][]} */
const swatches = [
  ['indigo', '#27497a'],
  ['teal', '#14695f'],
  ['leaf', '#0f7a3d'],
  ['marigold', '#ffc400'],
  ['brick', '#b3401f'],
  ['rose', '#b8255f'],
  ['plum', '#6b2a6b'],
  ['black', '#1d1d1b'],
]

/**
 * @param {{ seed?: string, own: string, disabled: boolean, set: (seed: string | undefined) => void
 *   }} props
 */
function Colour({ seed, own, disabled, set }) {
  const problem = useSignal('')
  const busy = useSignal(false)
  const logo = ownPath(session.value?.shop.logoUrl)
  async function useLogo() {
    if (!logo) return
    busy.value = true
    problem.value = ''
    try {
      set(await colourOf(logo))
    } catch {
      problem.value = t('logoUnreadable')
    }
    busy.value = false
  }
  return html`
    <fieldset class="card section stack" disabled=${disabled}>
      <legend class="visually-hidden">${t('part_seed')}</legend>
      <div>
        <h2 aria-hidden="true">${t('part_seed')}</h2>
        <p class="quiet small">${t('colourText')}</p>
      </div>
      <div class="row wraps">
        ${logo
          ? html`
              <button
                type="button"
                class="button"
                id="from-logo"
                aria-busy=${busy.value}
                onClick=${useLogo}
              >
                <img class="own-logo" src=${logo} alt="" />
                ${t('fromLogo')}
              </button>
            `
          : can('settings.write') && html`
              <a class="button" href=${to('settings', 'brand')}>
                ${icon('image-plus')}
                ${t('addLogo')}
              </a>
            `}
        ${seed && html`
          <button type="button" class="button" id="own-colour" onClick=${() => set(undefined)}>
            ${t('ownColour')}
          </button>
        `}
      </div>
      ${fault(problem.value)}
      <div class="swatches">
        ${swatches.map(([name, value]) => html`
          <label class="colour-choice">
            <input
              type="radio"
              name="colour"
              value=${value}
              checked=${(seed ?? own) === value}
              aria-label=${t.dynamic('colour_' + name)}
              onChange=${() => set(value)}
            />
            <svg viewBox="0 0 40 40" aria-hidden="true">
              <circle cx="20" cy="20" r="18" fill=${value} />
            </svg>
          </label>
        `)}
        <label class="colour-other">
          <input
            type="color"
            class="swatch"
            id="seed"
            value=${seed || own}
            onInput=${(/** @type {FieldEvent} */ event) => set(event.target.value)}
          />
          <span class="small">
            ${t('otherColour')}
            <br />
            <span class="mono quiet">${seed || own}</span>
          </span>
        </label>
      </div>
    </fieldset>
  `
}
