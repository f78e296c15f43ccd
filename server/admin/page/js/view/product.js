// A product: a new one, or one that is changed. What is typed stays in the browser until it is
// saved.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { act, Problem, send } from '../api.js'
import { focusFault } from '../focus.js'
import { langOf, name } from '../i18n.js'
import { draftLife, loadJSON, productDraftOf, save as store, saveJSON } from '../device.js'
import { changed } from '../resource.js'
import { goBack, guard, open, route, shopUID, to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t as list } from '../strings/products.js'
import { explain } from '../strings/problem.js'
import { t } from '../strings/product.js'
import { Conflict } from '../part/conflict.js'
import { Dialog } from '../part/dialog.js'
import { errorsOf, formError, useMended } from '../part/form.js'
import { icon } from '../part/icon.js'
import { attempt } from '../part/product_change.js'
import {
  bodyOf,
  differences,
  draftOf,
  emptyDraft,
  faultsOf,
  fieldNames,
  merge,
  parts,
  stockMoves,
  withStock,
} from '../part/product_draft.js'
import { Basics, Folds } from '../part/product_fields.js'
import { Photos, useUploads } from '../part/product_photos.js'
import { LinkDialog } from '../part/product_link.js'
import { Preview } from '../part/product_preview.js'
import { statusMark } from '../part/product_row.js'
import { Variants } from '../part/product_variants.js'
import { allowed, skeletonRows, Failed, Skeleton } from '../part/states.js'
import { showToast } from '../part/toast.js'

/** @typedef {import('../part/product_draft.js').Draft} Draft */
/** @typedef {import('../part/product_draft.js').Photo} Photo */
/** @typedef {import('../part/product_change.js').Product} Product */
/**
 * @typedef {{ product: Product | null, base: Draft, etag: string | null }} Loaded product: null if
 *   it is new
 */

export const view = () =>
  allowed('products.read', () => html`<${Screen} key=${route.value.id} id=${route.value.id} />`)

const leave = () => goBack(to('products'))

/**
 * Returns what was begun with this product on this device.
 * @returns {{ draft: Draft, base: Draft, etag: string | null } | null}
 */
function stored(/** @type {string} */ id) {
  const { at = 0, id: of, draft, base, etag } = loadJSON(productDraftOf(shopUID.peek()), {})
  return of === id && draft && Date.now() - at < draftLife ? { draft, base, etag } : null
}

const Bar = (
  /** @type {{ title: string, note?: any, children?: any }} */ { title, note, children },
) => html`
  <header class="top plain over">
    <button class="icon-button" aria-label=${common('back')} onClick=${leave}>
      ${icon('arrow-left')}
    </button>
    <div class="title">
      <h1 tabindex="-1" class="cut" lang=${langOf(title)}>${title}</h1>
      ${note && html`<div class="small cut">${note}</div>`}
    </div>
    ${children}
  </header>
`

function Screen(/** @type {{ id: string }} */ { id }) {
  const loaded = useSignal(
    /** @type {Loaded | null} */ (
      id === 'new' ? { product: null, base: emptyDraft, etag: null } : null
    ),
  )
  const problem = useSignal(/** @type {Problem | null} */ (null))
  const path = 'products/' + encodeURIComponent(id)
  const load = () =>
    send('GET', path).then(
      ({ data, etag }) => {
        loaded.value = { product: data, base: draftOf(data), etag }
        problem.value = null
      },
      (error) => {
        if (!(error instanceof Problem)) throw error
        problem.value = error
      },
    )
  useEffect(() => {
    if (id !== 'new') load()
  }, [])
  if (id === 'new' && !can('products.write')) return allowed('products.write', () => null)
  if (problem.value && !loaded.value)
    return html`
      <${Bar} title="" />
      <${Failed} problem=${problem.value} retry=${load} />
    `
  if (!loaded.value)
    return html`
      <${Bar} title="" />
      <${Skeleton}>${skeletonRows(4)}<//>
    `
  return html`<${Form} id=${id} path=${path} first=${loaded.value} />`
}

/** @param {{ id: string, path: string, first: Loaded }} props */
function Form({ id, path, first }) {
  const isNew = id === 'new'
  const begun = useRef(stored(id)).current
  const latest = useRef(first)
  const base = useSignal(
    /** @type {Loaded} */ (
      begun ? { ...first, base: withStock(begun.base, first.base, []), etag: begun.etag } : first
    ),
  )
  const draft = useSignal(
    begun ? withStock(begun.draft, first.base, stockMoves(begun.draft, begun.base)) : first.base,
  )
  const restored = useSignal(begun !== null)
  const errors = useSignal(/** @type {Record<string, string>} */ ({}))
  const conflict = useSignal(/** @type {Loaded | null} */ (null))
  const busy = useSignal('')
  const dialog = useSignal('')
  const seed = useSignal(0)
  const key = useRef(crypto.randomUUID())
  // of the moves of stock that are not known to have arrived
  const moveKeys = useRef(/** @type {Record<string, string>} */ ({}))
  const element = useRef(/** @type {HTMLFormElement | null} */ (null))
  useMended(element, errors)
  const d = draft.value
  const mayChange = can('products.write'),
    mayCount = can('stock.write')
  const moves = stockMoves(d, base.value.base)
  const changes = differences(d, base.value.base)
  const isChanged = isNew
    ? JSON.stringify(d) !== JSON.stringify(emptyDraft)
    : changes.length > 0 || moves.length > 0
  const change = (/** @type {Partial<Draft>} */ to) => {
    draft.value = { ...draft.value, ...to }
    key.current = crypto.randomUUID() // another product than the one that was perhaps created
  }
  const uploads = useUploads((photos) => change({ photos: photos(draft.value.photos) }))
  const clear = (/** @type {Loaded} */ next) => {
    base.value = latest.current = next
    draft.value = next.base
    restored.value = false
    errors.value = {}
    seed.value++
  }
  useEffect(() => {
    const name = productDraftOf(shopUID.peek())
    if (!isChanged) {
      if (stored(id)) store(name, null)
      return
    }
    // the others are files that a page cannot store
    const photos = d.photos.filter((photo) => photo.id || photo.mediaId)
    saveJSON(name, {
      at: Date.now(),
      id,
      draft: { ...d, photos },
      base: base.value.base,
      etag: base.value.etag,
    })
  }, [d, isChanged])
  useEffect(() => guard(() => (uploads.isBusy() ? t('leaveUploads') : null)), [])
  const fail = (/** @type {Record<string, string>} */ faults) => {
    errors.value = faults
    focusFault(element)
  }

  async function save(/** @type {Draft} */ from, /** @type {Loaded} */ to = base.value) {
    if (busy.value) return
    errors.value = {}
    const faults = faultsOf(from)
    if (Object.keys(faults).length > 0) return fail(faults)
    busy.value = t('waiting')
    if (!(await uploads.end())) {
      busy.value = ''
      return fail({ images: t('notSentText') })
    }
    from = { ...from, photos: draft.value.photos } // those that have arrived meanwhile
    busy.value = common('save')
    try {
      await (isNew ? create(from) : update(from, to))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.code === 'changed_meanwhile') await compare(from)
      else fail(faultsOfProblem(error, from))
    } finally {
      busy.value = ''
    }
  }
  const faultsOfProblem = (/** @type {Problem} */ problem, /** @type {Draft} */ from) =>
    errorsOf(
      problem.errors.length === 0
        ? problem
        : new Problem(problem.status, {
            errors: problem.errors.map((fault) =>
              from.variants.length > 1
                ? fault
                : { ...fault, field: fault.field.replace('variants[0].', '') },
            ),
          }),
      fieldNames(from),
    )

  async function create(/** @type {Draft} */ from) {
    /** @type {Product} */
    const product = await act('products', bodyOf(from, Object.keys(parts), null, mayCount), {
      key: key.current,
      label: from.title,
    })
    const title = name(product.title)
    store(productDraftOf(shopUID.peek()), null)
    draft.value = emptyDraft
    changed()
    showToast(t(from.status === 'active' ? 'onSale' : 'draftSaved', { title }), {
      action: { text: t('another'), to: to('product', 'new') },
    })
    open(to('product', product._id), { replace: true })
  }
  // Stock follows as what is added or subtracted, so that orders of this moment still count.
  async function update(/** @type {Draft} */ from, /** @type {Loaded} */ to) {
    const own = differences(from, to.base)
    const units = stockMoves(from, to.base)
    if (own.length > 0)
      await act(path, bodyOf(from, own, to.base, mayCount), {
        method: 'PATCH',
        ifMatch: to.etag,
        label: from.title,
      })
    /** @type {{ unit: typeof units[number], problem: Problem }[]} */
    const failed = []
    for (const unit of units) {
      try {
        const move = unit.id + ' ' + unit.units
        moveKeys.current[move] ??= crypto.randomUUID()
        await act(
          'stock/' + unit.id,
          { adjust: unit.units },
          { label: from.title, key: moveKeys.current[move] },
        )
        delete moveKeys.current[move]
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem
        failed.push({ unit, problem })
      }
    }
    const { data, etag } = await send('GET', path)
    const now = { product: data, base: draftOf(data), etag }
    store(productDraftOf(shopUID.peek()), null)
    clear(now)
    changed()
    if (failed.length === 0) return showToast(common('saved'))
    const [{ problem }] = failed
    draft.value = withStock(
      now.base,
      now.base,
      failed.map(({ unit }) => unit),
    )
    fail({ [from.variants.length === 1 ? 'stock' : '']: explain(problem.errors[0] ?? problem) })
  }
  // The product as it is now. Perhaps it is what was to be saved, by a request whose response was
  // lost.
  async function compare(/** @type {Draft} */ from) {
    const { data, etag } = await send('GET', path)
    const now = { product: data, base: draftOf(data), etag }
    if (
      differences(from, now.base).length === 0 &&
      stockMoves(from, base.value.base).length === 0
    ) {
      clear(now)
      changed()
      showToast(common('saved'))
    } else conflict.value = now
  }
  const duplicate = () =>
    attempt(async () => {
      dialog.value = ''
      const { _id } = await act(path + '/duplicate', {}, { label: d.title })
      changed()
      showToast(list('duplicated'))
      open(to('product', _id))
    })
  const remove = () =>
    attempt(async () => {
      dialog.value = ''
      await act(path, {}, { method: 'DELETE', ifMatch: base.value.etag, label: d.title })
      store(productDraftOf(shopUID.peek()), null)
      draft.value = base.value.base
      changed()
      showToast(t('deleted', { title: name(d.title) }))
      open(to('products'), { replace: true })
    })
  const discard = () => {
    dialog.value = ''
    for (const photo of d.photos) uploads.sending.value[photo.key] && uploads.remove(photo.key)
    clear(latest.current)
    showToast(t('discarded'))
  }
  const title = name(d.title) || (isNew ? t('newTitle') : '–')
  const props = { draft: d, change, errors: errors.value, isNew }
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault()
    save(isNew ? { ...draft.value, status: 'active' } : draft.value)
  }
  return html`
    <${Bar}
      title=${title}
      note=${isChanged
        ? html`<span class="tone-warn">${t('unsaved')}</span>`
        : !isNew && statusMark(d.status)}
    >
      ${mayChange && (!isNew || isChanged) && html`
        <button
          class="icon-button"
          id="product-more"
          aria-label=${t('more')}
          aria-haspopup="dialog"
          onClick=${() => {
            dialog.value = 'menu'
          }}
        >
          ${icon('ellipsis-vertical')}
        </button>
      `}
    <//>
    <form ref=${element} id="product" class="stack form-view product" novalidate onSubmit=${submit}>
      ${restored.value && html`
        <div class="banner info rounded" role="status">
          <span class="grow">${t('restored')}</span>
          <button type="button" class="button mini" id="discard" onClick=${discard}>
            ${t('discard')}
          </button>
        </div>
      `}
      ${formError(errors.value)}
      <${Photos}
        photos=${d.photos}
        change=${(/** @type {any} */ to) => change({ photos: to(draft.value.photos) })}
        uploads=${uploads}
        error=${errors.value.images}
        disabled=${!mayChange}
        added=${() => {
          if (draft.value.title === '') document.getElementById('title')?.focus()
        }}
      />
      <fieldset class="stack" key=${seed.value} disabled=${!mayChange}>
        <${Basics} ...${props} />
        ${d.variants.length > 1 && html`<${Variants} ...${props} />`}
        <${Folds} ...${props} />
      </fieldset>
    </form>
    ${mayChange && html`
      <div class="action-bar">
        <button
          class="button primary big"
          id="save"
          form="product"
          aria-busy=${busy.value !== ''}
          disabled=${!isChanged}
        >
          ${busy.value !== '' && icon('loader', 'spin')}
          ${busy.value === t('waiting') ? busy.value : isNew ? t('sell') : common('save')}
        </button>
        ${isNew && html`
          <button
            type="button"
            class="button second"
            id="save-draft"
            disabled=${!isChanged}
            onClick=${() => save({ ...d, status: 'draft' })}
          >
            ${t('saveDraft')}
          </button>
        `}
        ${!isNew && isChanged && html`
          <button type="button" class="button second" onClick=${discard}>${t('discard')}</button>
        `}
      </div>
    `}
    ${dialog.value === 'menu' && html`
      <${Dialog}
        title=${t('more')}
        close=${() => {
          dialog.value = ''
        }}
        id="product-menu"
      >
        <ul class="options">
          <li>
            <button
              class="option"
              data-action="preview"
              onClick=${() => {
                dialog.value = 'preview'
              }}
            >
              ${icon('eye')}
              <span class="grow">${t('preview')}</span>
            </button>
          </li>
          ${isChanged && html`
            <li>
              <button class="option" data-action="discard" onClick=${discard}>
                ${icon('undo-2')}
                <span class="grow">${t('discard')}</span>
              </button>
            </li>
          `}
          ${base.value.base.status === 'active' && html`
            <li>
              <button
                class="option"
                data-action="link"
                onClick=${() => {
                  dialog.value = 'link'
                }}
              >
                ${icon('link')}
                <span class="grow">${t('orderLink')}</span>
              </button>
            </li>
          `}
          ${!isNew && html`
            <li>
              <button class="option" data-action="duplicate" onClick=${duplicate}>
                ${icon('copy')}
                <span class="grow">${list('duplicate')}</span>
              </button>
            </li>
            <li>
              <button
                class="option tone-bad"
                data-action="delete"
                disabled=${base.value.base.status === 'active'}
                onClick=${() => {
                  dialog.value = 'delete'
                }}
              >
                ${icon('trash')}
                <span class="grow">
                  ${t('delete')}
                  ${base.value.base.status === 'active' && html`
                    <br />
                    <span class="small quiet">${t('onlyHidden')}</span>
                  `}
                </span>
              </button>
            </li>
          `}
        </ul>
      <//>
    `}
    ${dialog.value === 'preview' && html`
      <${Preview}
        draft=${d}
        close=${() => {
          dialog.value = ''
        }}
      />
    `}
    ${dialog.value === 'link' && base.value.product && html`
      <${LinkDialog}
        product=${base.value.product}
        close=${() => {
          dialog.value = ''
        }}
      />
    `}
    ${dialog.value === 'delete' && html`
      <${Dialog}
        title=${t('askDelete', { title })}
        text=${t('askDeleteText')}
        close=${() => {
          dialog.value = ''
        }}
        id="ask-delete"
      >
        <button class="button big bad" onClick=${remove}>${icon('trash')}${t('delete')}</button>
      <//>
    `}
    ${conflict.value && html`
      <${Conflict}
        base=${base.value.base}
        mine=${d}
        theirs=${conflict.value.base}
        parts=${parts}
        differences=${differences}
        merge=${merge}
        close=${() => {
          conflict.value = null
        }}
        save=${(/** @type {Draft} */ merged) => {
          const now = /** @type {Loaded} */ (conflict.value)
          conflict.value = null
          base.value = latest.current = now
          draft.value = withStock(merged, now.base, moves)
          seed.value++
          save(draft.value, now)
        }}
      />
    `}
  `
}
