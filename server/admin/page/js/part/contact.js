// What the shop has recorded about a buyer's phone number: a note, tags and a block, which hold for
// every order of it.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { act, Problem, send } from '../api.js'
import { phone } from '../i18n.js'
import { changed } from '../resource.js'
import { t } from '../strings/buyer.js'
import { t as common } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { Conflict } from './conflict.js'
import { Dialog } from './dialog.js'
import { Field, formError, Segments, Submit, useForm } from './form.js'
import { Chips } from './setting_card.js'
import { Failed } from './states.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['Contact']} Contact */
/**
 * @typedef {{ note: string, tags: string[], blocked: Contact['blocked'], blockedReason: string }}
 *   Draft
 */

/**
 * What can be changed, and how two versions of it differ.
 * @type {import('./conflict.js').Compared<Draft>}
 */
const compared = {
  parts: {
    note: { label: () => t('contactNote'), show: (draft) => draft.note },
    tags: { label: () => t('tags'), show: (draft) => draft.tags.join(', ') },
    blocked: {
      label: () => t('block'),
      show: (draft) =>
        t(`block_${draft.blocked}`) + (draft.blockedReason && ': ' + draft.blockedReason),
    },
  },
  differences: (a, b) =>
    Object.keys(compared.parts).filter(
      (part) => compared.parts[part].show(a) !== compared.parts[part].show(b),
    ),
  merge: (draft, { note, tags, ...block }, chosen) => ({
    ...draft,
    ...(chosen.includes('note') && { note }),
    ...(chosen.includes('tags') && { tags }),
    ...(chosen.includes('blocked') && block),
  }),
}

/** @returns {Draft} */
const draftOf = (/** @type {Contact} */ { note, tags, blocked, blockedReason }) => ({
  note: note ?? '',
  tags,
  blocked,
  blockedReason: blockedReason ?? '',
})

/** @param {{ phoneNumber: string, close: () => void }} props */
export function view({ phoneNumber, close }) {
  const path = 'contacts/' + encodeURIComponent(phoneNumber)
  const loaded = useSignal(/** @type {{ contact: Contact, etag: string | null } | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  const load = () =>
    send('GET', path).then(
      ({ data, etag }) => {
        loaded.value = { contact: data, etag }
      },
      (error) => {
        problem.value = error
      },
    )
  const hasChanges = useRef(() => false)
  useEffect(() => {
    load()
  }, [])
  return html`
    <${Dialog}
      title=${t('contactTitle', { phone: phone(phoneNumber) })}
      text=${t('contactText')}
      close=${close}
      id="contact"
      hasChanges=${() => hasChanges.current()}
    >
      ${problem.value
        ? html`<${Failed} problem=${problem.value} retry=${load} />`
        : loaded.value && html`
            <${ContactForm}
              key=${loaded.value.etag}
              path=${path}
              contact=${loaded.value.contact}
              etag=${loaded.value.etag}
              close=${close}
              hasChanges=${hasChanges}
            />
          `}
    <//>
  `
}

/**
 * @param {{ path: string, contact: Contact, etag: string | null, close: () => void, hasChanges: {
 *   current: () => boolean } }} props
 */
function ContactForm({ path, contact, etag, close, hasChanges }) {
  const blocked = useSignal(contact.blocked)
  const tags = useSignal(contact.tags)
  const conflict = useSignal(
    /** @type {{ mine: Draft, theirs: Draft, etag: string | null } | null} */ (null),
  )
  /**
   * Saves a version, if nobody has saved another than the caller knows; otherwise both are shown.
   */
  const put = async (/** @type {Draft} */ draft, /** @type {string | null} */ ifMatch) => {
    try {
      await act(path, draft, { method: 'PATCH', ifMatch, label: t('contact') })
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'changed_meanwhile') throw error
      const { data, etag: newer } = await send('GET', path)
      conflict.value = { mine: draft, theirs: draftOf(data), etag: newer }
      return
    }
    changed()
    close()
    showToast(common('saved'))
  }
  const { form, errors, busy, onSubmit } = useForm(
    ['note', 'tags', 'blockedReason'],
    ({ note, blockedReason = '' }) =>
      put(
        {
          note,
          tags: tags.value,
          blocked: blocked.value,
          blockedReason: blocked.value === 'none' ? '' : blockedReason,
        },
        etag,
      ),
  )
  hasChanges.current = () =>
    !busy.value && (blocked.value !== contact.blocked || tags.value !== contact.tags)
  const saveMerged = (/** @type {Draft} */ merged) =>
    put(merged, conflict.value?.etag ?? null).catch((error) => {
      if (!(error instanceof Problem)) throw error
      showToast(explain(error), { bad: true })
    })
  return html`
    <form ref=${form} class="stack" onSubmit=${onSubmit} novalidate>
      ${formError(errors.value)}
      <${Field}
        name="note"
        label=${t('contactNote')}
        hint=${t('contactNoteHint')}
        value=${contact.note ?? ''}
        errors=${errors.value}
        maxlength="1000"
        autocomplete="off"
      />
      <${Chips}
        id="contact-tags"
        label=${t('tags')}
        hint=${t('tagsHint')}
        values=${tags.value}
        error=${errors.value.tags}
        onChange=${(/** @type {string[]} */ to) => {
          tags.value = to
        }}
      />
      <${Segments}
        name="blocked"
        label=${t('block')}
        value=${blocked.value}
        onChange=${(/** @type {any} */ to) => {
          blocked.value = to
        }}
        choices=${['none', 'cash', 'all'].map((scope) => [scope, t.dynamic('block_' + scope)])}
      />
      ${blocked.value !== 'none' && html`
        <${Field}
          name="blockedReason"
          label=${t('blockReason')}
          hint=${t('blockReasonHint')}
          value=${contact.blockedReason ?? ''}
          errors=${errors.value}
          maxlength="500"
          autocomplete="off"
        />
      `}
      <${Submit} busy=${busy.value} kind=${blocked.value === 'none' ? 'primary big' : 'big bad'}>
        ${common('save')}
      <//>
    </form>
    ${conflict.value && html`
      <${Conflict}
        key=${conflict.value.etag}
        ...${compared}
        base=${draftOf(contact)}
        mine=${conflict.value.mine}
        theirs=${conflict.value.theirs}
        save=${saveMerged}
        close=${() => {
          conflict.value = null
        }}
      />
    `}
  `
}
