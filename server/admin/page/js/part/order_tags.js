// The dialog that changes the tags of an order.

import { html, useEffect, useSignal } from '../html.js'
import { Problem, send } from '../api.js'
import { digits } from '../i18n.js'
import { changed } from '../resource.js'
import { t } from '../strings/order.js'
import { Conflict } from './conflict.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { Failed } from './states.js'
import { showToast } from './toast.js'
import { actUndoable } from './undo.js'

/** @typedef {import('../api.js').Schemas['StaffOrder']} StaffOrder */
/** @typedef {{ tags: string[], etag: string | null }} Loaded the tags as they were read */

/** @param {{ order: StaffOrder, close: () => void }} props */
export function view({ order, close }) {
  const path = 'orders/' + order._id
  const loaded = useSignal(/** @type {Loaded | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  const find = () => send('GET', path).then(({ data, etag }) => ({ tags: data.tags, etag }))
  const load = () =>
    find().then(
      (found) => {
        loaded.value = found
      },
      (error) => {
        problem.value = error
      },
    )
  useEffect(() => {
    load()
  }, [])
  return loaded.value
    ? html`<${EditTags} order=${order} first=${loaded.value} find=${find} close=${close} />`
    : html`
        <${Sheet} order=${order} close=${close}>
          ${problem.value && html`<${Failed} problem=${problem.value} retry=${load} />`}
        <//>
      `
}

const Sheet = (
  /**
   * @type {{ order: StaffOrder, close: () => void, children?: any, hasChanges?: () => boolean }}
   */
  { order, close, children, hasChanges },
) => html`
  <${Dialog}
    title=${t('tagsTitle', { number: digits(order.orderNumber) })}
    text=${t('tagsText')}
    close=${close}
    hasChanges=${hasChanges}
    id="tags-dialog"
  >
    ${children}
  <//>
`

/**
 * @param {{ order: StaffOrder, first: Loaded, find: () => Promise<Loaded>, close: () => void }}
 *   props
 */
function EditTags({ order, first, find, close }) {
  const base = useSignal(first)
  const tags = useSignal(first.tags)
  // what somebody else has saved meanwhile
  const theirs = useSignal(/** @type {Loaded | null} */ (null))
  const number = digits(order.orderNumber)
  const { form, errors, busy, onSubmit } = useForm(['tags'], async (values) => {
    const mine = [
      ...tags.value,
      ...values.tags
        .split(',')
        .map((tag) => tag.trim())
        .filter(Boolean),
    ]
    await save(mine, base.value)
  })
  async function save(/** @type {string[]} */ mine, /** @type {Loaded} */ from) {
    let done = (/** @type {string} */ text) => showToast(text)
    try {
      done = await actUndoable(
        'orders/' + order._id + '/tags',
        { tags: mine },
        { method: 'PUT', ifMatch: from.etag, label: '#' + number },
      )
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'changed_meanwhile') throw error
      const now = await find()
      if (differences(mine, now.tags).length > 0) {
        // otherwise it was saved, and the response was lost
        tags.value = mine
        theirs.value = now
        return
      }
    }
    changed()
    close()
    done(t('done_tags', { number }))
  }
  if (theirs.value) {
    const now = theirs.value
    const all = [...new Set([...base.value.tags, ...tags.value, ...now.tags])]
    return html`
      <${Conflict}
        base=${base.value.tags}
        mine=${tags.value}
        theirs=${now.tags}
        differences=${differences}
        merge=${merge}
        parts=${Object.fromEntries(
          all.map((tag) => [
            tag,
            {
              label: () => tag,
              show: (/** @type {string[]} */ list) =>
                t(has(list, tag) ? 'tagPresent' : 'tagAbsent'),
            },
          ]),
        )}
        close=${() => {
          theirs.value = null
        }}
        save=${(/** @type {string[]} */ merged) => {
          base.value = now
          tags.value = merged
          theirs.value = null
          setTimeout(() => form.current?.requestSubmit())
        }}
      />
    `
  }
  return html`
    <${Sheet}
      order=${order}
      close=${close}
      hasChanges=${() => !busy.value && differences(tags.value, base.value.tags).length > 0}
    >
      <form ref=${form} class="stack" onSubmit=${onSubmit} novalidate>
        ${formError(errors.value)}
        ${tags.value.length > 0 && html`
          <div class="row wraps">
            ${tags.value.map((tag) => html`
              <button
                type="button"
                class="chip on"
                aria-label=${t('removeTag', { tag })}
                onClick=${() => {
                  tags.value = tags.value.filter((other) => other !== tag)
                }}
              >
                ${tag}
                ${icon('x', 'mini')}
              </button>
            `)}
          </div>
        `}
        <${Field}
          name="tags"
          label=${t('newTags')}
          hint=${t('tagsHint')}
          errors=${errors.value}
          autocomplete="off"
        />
        <${Submit} busy=${busy.value}>${t('saveTags')}<//>
      </form>
    <//>
  `
}

// Tags that differ in case are the same.
const has = (/** @type {string[]} */ list, /** @type {string} */ tag) =>
  list.some((listed) => listed.toLowerCase() === tag.toLowerCase())

/** Returns the tags that are in one list only. */
const differences = (/** @type {string[]} */ a, /** @type {string[]} */ b) => [
  ...a.filter((tag) => !has(b, tag)),
  ...b.filter((tag) => !has(a, tag)),
]

/** Returns the other's tags with the own changes of some. */
const merge = (
  /** @type {string[]} */ theirs,
  /** @type {string[]} */ mine,
  /** @type {string[]} */ chosen,
) => [
  ...theirs.filter((tag) => !has(chosen, tag) || has(mine, tag)),
  ...chosen.filter((tag) => has(mine, tag) && !has(theirs, tag)),
]
