// A card of settings with its Save, and both versions if somebody else has changed the same ones.

import { html, useEffect, useLayoutEffect, useRef, useSignal } from '../html.js'
import { act, Problem, send } from '../api.js'
import { focusFault } from '../focus.js'
import { langOf } from '../i18n.js'
import { changed } from '../resource.js'
import { guard, route, to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/settings.js'
import { errorsOf, formError, Submit, useMended } from './form.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['StaffSettings']} Settings */
/** @typedef {{ settings: Settings, etag: string | null }} Loaded */

/** The cards of the view that have changes. @type {Set<string>} */
const unsaved = new Set()

export const hasChanges = () => unsaved.size > 0

/**
 * Loads the settings, again for another key, and confirms before changes of a card are lost.
 */
export function useSettings(key = '') {
  const loaded = useSignal(/** @type {Loaded | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  const reload = async () => {
    const { data, etag } = await send('GET', 'settings')
    problem.value = null
    return (loaded.value = /** @type {Loaded} */ ({ settings: data, etag }))
  }
  const retry = () =>
    reload().catch((error) => {
      if (!(error instanceof Problem)) throw error
      problem.value = error
    })
  useEffect(() => {
    retry()
    return guard(() => (hasChanges() ? common('unsaved') : null))
  }, [key])
  return { loaded: loaded.value, problem: problem.value, reload, retry }
}

const same = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a) === JSON.stringify(b)

/**
 * fields are those of the API's errors; lines returns what the form contains in words.
 * @template D
 * @param {{ id: string, title: string, text?: any, fields: string[], loaded: Loaded, reload: () =>
 *   Promise<Loaded>, draftOf: (settings: Settings) => D, bodyOf: (draft: D) => any, lines: (draft:
 *   D) => [string, string][], form: (draft: D, change: (to: Partial<D>) => void, errors:
 *   Record<string, string>) => any, onSaved?: () => Promise<void> }} props
 */
export function SettingCard({
  id,
  title,
  text,
  fields,
  loaded,
  reload,
  draftOf,
  bodyOf,
  lines,
  form,
  onSaved,
}) {
  const base = useSignal(draftOf(loaded.settings))
  const draft = useSignal(base.value)
  const errors = useSignal(/** @type {Record<string, string>} */ ({}))
  const conflict = useSignal(/** @type {D | null} */ (null))
  const busy = useSignal(false)
  const seed = useSignal(0)
  const element = useRef(/** @type {HTMLFormElement | null} */ (null))
  useMended(element, errors)
  const isChanged = !same(draft.value, base.value)
  const change = (/** @type {Partial<D>} */ to) => {
    draft.value = { ...draft.value, ...to }
  }
  const begin = (/** @type {D} */ from) => {
    base.value = draft.value = from
    seed.value++
  }
  useLayoutEffect(() => {
    // before anything can be left
    if (isChanged) unsaved.add(id)
    else unsaved.delete(id)
    return () => {
      unsaved.delete(id)
    }
  }, [isChanged])
  useEffect(() => {
    if (!isChanged && !same(draftOf(loaded.settings), base.value)) begin(draftOf(loaded.settings))
  }, [loaded])

  /** Saves unless these settings are no longer those that the form was begun with. */
  async function save() {
    if (busy.value) return
    busy.value = true
    errors.value = {}
    const mine = draft.value
    try {
      for (let from = loaded; ; from = await reload()) {
        const theirs = draftOf(from.settings)
        if (!same(theirs, mine) && !same(theirs, base.value)) {
          conflict.value = theirs
          focusFault(element, '.banner[role=alert]')
          return
        }
        try {
          if (!same(theirs, mine))
            await act('settings', bodyOf(mine), {
              method: 'PATCH',
              ifMatch: from.etag,
              label: title,
            })
          base.value = mine // whatever follows, nothing is unsaved
          break
        } catch (error) {
          // another card may have been saved meanwhile
          if (!(error instanceof Problem) || error.code !== 'changed_meanwhile') throw error
        }
      }
      begin(draftOf((await reload()).settings))
      await onSaved?.()
      changed()
      showToast(
        common('saved'),
        route.value.query.get('from') === 'home'
          ? { action: { text: common('toHome'), to: to('home') } }
          : {},
      )
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      errors.value = errorsOf(error, fields)
      focusFault(element)
    } finally {
      busy.value = false
    }
  }
  function resolveConflict(/** @type {boolean} */ own) {
    const theirs = /** @type {D} */ (conflict.value)
    conflict.value = null
    if (!own) return begin(theirs)
    base.value = theirs
    save()
  }
  const isReadOnly = !can('settings.write')
  return html`
    <section class="card section" id=${id}>
      <h2>${title}</h2>
      ${text && html`<p class="quiet small">${text}</p>`}
      <form
        ref=${element}
        class="stack setting"
        novalidate
        onSubmit=${(/** @type {Event} */ event) => {
          event.preventDefault()
          save()
        }}
      >
        ${formError(errors.value)}
        <fieldset class="stack" key=${seed.value} disabled=${isReadOnly}>
          ${form(draft.value, change, errors.value)}
        </fieldset>
        ${conflict.value && html`
          <div class="banner rounded" role="alert" tabindex="-1">
            <div class="grow stack">
              <b>${t('conflict')}</b>
              ${differing(lines(draft.value), lines(conflict.value)).map(
                ([label, mine, theirs]) => html`
                  <dl class="both">
                    <dt>${label}</dt>
                    <dd>
                      <span class="small">${t('mine')}</span>
                      <br />
                      <span lang=${langOf(mine)}>${mine || '–'}</span>
                    </dd>
                    <dd>
                      <span class="small">${t('theirs')}</span>
                      <br />
                      <span lang=${langOf(theirs)}>${theirs || '–'}</span>
                    </dd>
                  </dl>
                `,
              )}
              <div class="row wraps">
                <button type="button" class="button" onClick=${() => resolveConflict(true)}>
                  ${t('saveMine')}
                </button>
                <button type="button" class="button" onClick=${() => resolveConflict(false)}>
                  ${t('useTheirs')}
                </button>
              </div>
            </div>
          </div>
        `}
        ${isReadOnly
          ? html`<p class="hint">${t('readOnly')}</p>`
          : html`
              <${Submit}
                busy=${busy.value}
                kind=${isChanged ? 'primary save' : 'save'}
                disabled=${!isChanged}
              >
                ${common('save')}
              <//>
            `}
      </form>
    </section>
  `
}

/** @returns {[string, string, string][]} what differs: its name and both versions */
function differing(
  /** @type {[string, string][]} */ mine,
  /** @type {[string, string][]} */ theirs,
) {
  const names = [...new Set([...mine, ...theirs].map(([name]) => name))]
  const of = (/** @type {[string, string][]} */ all, /** @type {string} */ name) =>
    all.find(([choice]) => choice === name)?.[1] ?? ''
  return names
    .map(
      (name) => /** @type {[string, string, string]} */ ([name, of(mine, name), of(theirs, name)]),
    )
    .filter(([, a, b]) => a !== b)
}

/** A choice from a list. */
export const Choice = (
  /**
   * @type {{ id: string, label: string, value: string, choices: [string, string][], hint?: string,
   *   onChange: (value: string) => void }}
   */
  { id, label, value, choices, hint, onChange },
) => html`
  <div class="field">
    <label for=${id}>${label}</label>
    <div class="input">
      <select
        id=${id}
        aria-describedby=${hint && id + '-hint'}
        onChange=${(/** @type {FieldEvent} */ event) => onChange(event.target.value)}
      >
        ${choices.map(([key, text]) => html`
          <option value=${key} selected=${key === value}>${text}</option>
        `)}
      </select>
    </div>
    ${hint && html`<p class="hint" id=${id + '-hint'}>${hint}</p>`}
  </div>
`

/** A text of several lines. */
export const Area = (
  /**
   * @type {{ name: string, label: string, value: string, hint?: string, errors: Record<string,
   *   string> } & Record<string, any>}
   */
  { name, label, value, hint, errors, ...rest },
) => html`
  <div class="field">
    <label for=${name}>${label}</label>
    <textarea
      id=${name}
      name=${name}
      defaultValue=${value}
      aria-invalid=${errors[name] ? 'true' : undefined}
      aria-describedby=${errors[name] || hint ? name + '-hint' : undefined}
      ...${rest}
    ></textarea>
    ${(errors[name] || hint) && html`
      <p class=${errors[name] ? 'error' : 'hint'} id=${name + '-hint'}>${errors[name] ?? hint}</p>
    `}
  </div>
`

/** How many chips are shown of more than twice as many: the rest of a long form stays near. */
const fewChips = 12

/** Several short texts as chips; Enter or a comma adds one. */
export function Chips(
  /**
   * @type {{ id: string, label: string, values: string[], hint?: string, error?: string, onChange:
   *   (values: string[]) => void }}
   */
  { id, label, values, hint, error, onChange },
) {
  const text = useSignal('')
  const isWhole = useSignal(false)
  // with those added last
  const shown = isWhole.value || values.length <= 2 * fewChips ? values : values.slice(-fewChips)
  function add() {
    const more = text.value
      .split(/[,،\n]/)
      .map((value) => value.trim())
      .filter((value) => value !== '' && !values.includes(value))
    text.value = ''
    if (more.length > 0) onChange([...values, ...more])
  }
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      ${values.length > 0 && html`
        <ul class="row wraps chips-in">
          ${shown.length < values.length && html`
            <li>
              <button
                type="button"
                class="chip"
                onClick=${() => {
                  isWhole.value = true
                }}
              >
                ${t('showAll', { count: values.length })}
              </button>
            </li>
          `}
          ${shown.map((value) => html`
            <li key=${value}>
              <button
                type="button"
                class="chip on"
                aria-label=${t('removeOne', { name: value })}
                onClick=${() => onChange(values.filter((other) => other !== value))}
              >
                <span lang=${langOf(value)}>${value}</span>
                <span aria-hidden="true">✕</span>
              </button>
            </li>
          `)}
        </ul>
      `}
      <div class="input">
        <input
          id=${id}
          value=${text.value}
          autocomplete="off"
          autocapitalize="none"
          aria-describedby=${id + '-hint'}
          aria-invalid=${error ? 'true' : undefined}
          onInput=${(/** @type {FieldEvent} */ event) => {
            text.value = event.target.value
            if (/[,،]$/.test(text.value)) add()
          }}
          onBlur=${add}
          onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
            if (event.key === 'Enter' && text.value.trim() !== '') {
              event.preventDefault()
              add()
            }
          }}
        />
      </div>
      <p class=${error ? 'error' : 'hint'} id=${id + '-hint'}>${error ?? hint}</p>
    </div>
  `
}
