// A record that is edited and saved as a whole: changes stay on the device until the server has
// them. Changes of other people to other parts are joined with them.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { Problem } from '../api.js'
import { loadJSON, save as store, saveJSON } from '../device.js'
import { t as common } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { t } from '../strings/site.js'
import { Conflict } from './conflict.js'
import { icon } from './icon.js'
import { showToast } from './toast.js'

/** @template D @typedef {{ draft: D, etag: string | null }} Loaded */

const mostAttempts = 3

/**
 * read returns the record at the server, null if it is gone, and write replaces it.
 * @template D
 * @param {{ name: string, read: () => Promise<Loaded<D> | null>, write: (draft: D, etag: string |
 *   null, key: string) => Promise<any>, compared: import('./conflict.js').Compared<D>, gone:
 *   string }} record name: of what is stored on the device; gone: the text if it was deleted
 */
export function useRecordDraft({ name, read, write, compared, gone }) {
  const base = useSignal(/** @type {Loaded<D> | null} */ (null)) // as the server has it
  const draft = useSignal(/** @type {D | null} */ (null)) // as it is here
  const problem = useSignal(/** @type {Problem | null} */ (null)) // of loading
  const errors = useSignal(/** @type {Record<string, string>} */ ({}))
  const conflict = useSignal(/** @type {{ base: D, theirs: D } | null} */ (null))
  const isComparing = useSignal(false)
  const busy = useSignal(false)
  const saves = useSignal(0)
  const seed = useSignal(0) // grows when the fields have to show another draft
  const sent = useRef({ text: '', key: '' })
  const isSame = (/** @type {D} */ a, /** @type {D} */ b) => compared.differences(a, b).length === 0
  const isChanged =
    base.value !== null && draft.value !== null && !isSame(draft.value, base.value.draft)

  function note() {
    const [from, mine] = [base.peek(), draft.peek()]
    if (!from || mine === null) return
    if (isSame(mine, from.draft)) store(name, null)
    else saveJSON(name, { at: Date.now(), base: from.draft, draft: mine })
  }
  function change(/** @type {D} */ next) {
    draft.value = next
    note()
  }
  function replace(/** @type {D} */ next) {
    change(next)
    seed.value++
  }
  /** Joins what was begun with a record with the one that the server has now. */
  function join(/** @type {D} */ from, /** @type {D} */ mine, /** @type {Loaded<D>} */ now) {
    const own = compared.differences(mine, from)
    const others = compared.differences(now.draft, from)
    const differing = compared.differences(mine, now.draft)
    const isDisputed = own.some((part) => others.includes(part) && differing.includes(part))
    base.value = now
    const joined = isDisputed ? mine : compared.merge(now.draft, mine, own)
    draft.value = joined
    if (!isSame(joined, mine)) seed.value++
    conflict.value = isDisputed ? { base: from, theirs: now.draft } : null
    isComparing.value = isDisputed
    note()
  }
  async function load() {
    try {
      const now = await read()
      if (!now) throw new Problem(404, {})
      const before = loadJSON(name, null)
      if (before?.base && before.draft) join(before.base, before.draft, now)
      else {
        base.value = now
        draft.value = now.draft
        seed.value++
      }
      problem.value = null
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problem.value = error
    }
  }
  useEffect(() => {
    load()
  }, [name])

  async function attempt() {
    const mine = /** @type {D} */ (draft.peek())
    const from = /** @type {Loaded<D>} */ (base.peek())
    const text = JSON.stringify(mine)
    if (sent.current.text !== text + from.etag)
      sent.current = { text: text + from.etag, key: crypto.randomUUID() }
    try {
      await write(mine, from.etag, sent.current.key)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'changed_meanwhile') throw error
      const now = await read()
      if (now) join(from.draft, mine, now)
      else {
        base.value = { draft: from.draft, etag: null }
        errors.value = { '': gone }
      }
      return false
    }
    base.value = { draft: mine, etag: from.etag }
    saves.value++
    const now = await read()
    if (now) join(mine, /** @type {D} */ (draft.peek()), now)
    return true
  }
  /** Saves what is changed, unless a person has to decide first. */
  async function save() {
    if (busy.peek() || conflict.peek()) {
      isComparing.value = conflict.peek() !== null
      return false
    }
    busy.value = true
    errors.value = {}
    try {
      for (let i = 0; i < mostAttempts && !conflict.peek() && !errors.peek()['']; i++) {
        if (!(await attempt())) continue
        showToast(common('saved'))
        return true
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      errors.value =
        error.errors.length > 0
          ? Object.fromEntries(error.errors.map((one) => [one.field, explain(one)]))
          : { '': explain(error) }
    } finally {
      busy.value = false
      note()
    }
    return false
  }
  return {
    draft: draft.value,
    stored: base.value?.draft ?? null,
    problem: problem.value,
    errors: errors.value,
    etag: base.value?.etag ?? null,
    saves: saves.value,
    seed: seed.value,
    isChanged,
    change,
    load,
    /** The draft as it is now, for what runs later than its view. */
    latest: () => draft.peek(),
    discard: () => {
      const mine = draft.peek()
      const from = base.peek()
      if (mine === null || !from) return
      conflict.value = null
      errors.value = {}
      replace(from.draft)
      showToast(t('discarded'), {
        lasts: 8000,
        action: { text: common('undo'), run: () => replace(mine) },
      })
    },
    /** The button that saves, and the choice between both versions. */
    bar: (/** @type {any} */ more) => html`
      ${isChanged && html`
        <div class="action-bar above-tabs publish-bar">
          <p class="small grow" role="status" id="save-state">
            ${conflict.value
              ? html`
                  <span class="tone-bad">${t('disputed')}</span>
                  ${' '}
                  <button
                    type="button"
                    class="link"
                    onClick=${() => {
                      isComparing.value = true
                    }}
                  >
                    ${t('compare')}
                  </button>
                `
              : errors.value['']
                ? html`<span class="tone-bad">${errors.value['']}</span>`
                : t('notSavedYet')}
          </p>
          ${more}
          <button
            type="button"
            class="button primary big"
            id="save"
            aria-busy=${busy.value}
            onClick=${save}
          >
            ${busy.value && icon('loader', 'spin')}
            ${common('save')}
          </button>
        </div>
      `}
      ${conflict.value && isComparing.value && draft.value !== null && html`
        <${Conflict}
          ...${compared}
          ...${conflict.value}
          mine=${draft.value}
          save=${(/** @type {D} */ chosen) => {
            conflict.value = null
            isComparing.value = false
            replace(chosen)
            save()
          }}
          close=${() => {
            isComparing.value = false
          }}
        />
      `}
    `,
  }
}
