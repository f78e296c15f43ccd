// The collections: their order, and each with its picture, its text and its products in order.

import { html, useEffect, useLayoutEffect, useSignal } from '../html.js'
import { act, get, Problem } from '../api.js'
import { langOf, name } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { guard, open, route, to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/collections.js'
import { Arrange, moved } from '../part/arrange.js'
import { CollectionView } from '../part/collection.js'
import { Dialog } from '../part/dialog.js'
import { Field, formError, Submit, useForm } from '../part/form.js'
import { icon } from '../part/icon.js'
import { useListKeys } from '../part/list_keys.js'
import { small } from '../part/picture.js'
import { attempt } from '../part/product_change.js'
import { allowed, skeletonRows, Empty, Failed, Skeleton } from '../part/states.js'
import { showToast } from '../part/toast.js'

/** @typedef {import('../api.js').Schemas['CollectionRecord']} Collection */

export const view = () =>
  allowed('products.read', () =>
    route.value.id === ''
      ? html`<${Collections} />`
      : html`<${CollectionView} key=${route.value.id} id=${route.value.id} />`,
  )

/** Returns all collections in their order: a shop has few, and an order is about all of them. */
async function loadAll() {
  /** @type {Collection[]} */
  const all = []
  for (let page = 1; ; page++) {
    const { nodes, meta } = await get('collections', { limit: 100, page })
    all.push(...nodes)
    if (!meta.hasNextPage) return all
  }
}

const sameOrder = (/** @type {Collection[]} */ a, /** @type {Collection[]} */ b) =>
  a.length === b.length && a.every((collection, i) => collection._id === b[i]._id)

/** Returns the list in the order of another, with what only the list has at its end. */
const inOrderOf = (/** @type {Collection[]} */ list, /** @type {Collection[]} */ other) => [
  ...other.flatMap((collection) => list.find(({ _id }) => _id === collection._id) ?? []),
  ...list.filter((collection) => !other.some(({ _id }) => _id === collection._id)),
]

function Collections() {
  useListKeys('#collections a.grow')
  const first = useGet('collections', { limit: 100 }) // shown at once when one comes back to it
  const loaded = useSignal(/** @type {Collection[] | null} */ (null))
  const mine = useSignal(/** @type {Collection[] | null} */ (null))
  const theirs = useSignal(/** @type {Collection[] | null} */ (null))
  const creating = useSignal(false)
  const busy = useSignal(false)
  useEffect(() => {
    if (!first.data || mine.peek()) return // an order is about the list that it was begun with
    let isLatest = true
    const showLoaded = (/** @type {Collection[]} */ all) => {
      if (isLatest && !mine.peek()) loaded.value = all
    }
    if (first.data.meta.hasNextPage) attempt(async () => showLoaded(await loadAll()))
    else showLoaded(first.data.nodes)
    return () => {
      isLatest = false
    }
  }, [first.data])
  const mayChange = can('products.write')
  const base = loaded.value
  const shown = mine.value ?? base ?? []
  const isChanged = base !== null && mine.value !== null && !sameOrder(mine.value, base)
  useLayoutEffect(() => guard(() => (isChanged ? common('unsaved') : null)), [isChanged])
  async function save() {
    const from = loaded.value
    if (busy.value || !from || !mine.value) return
    busy.value = true
    await attempt(async () => {
      const now = await loadAll()
      if (!sameOrder(now, from)) {
        theirs.value = now
        setTimeout(() => document.getElementById('other-order')?.focus())
        return
      }
      for (const [i, { _id, title, position }] of inOrderOf(now, mine.value ?? now).entries()) {
        if (position !== i + 1)
          await act('collections/' + _id, { position: i + 1 }, { method: 'PATCH', label: title })
      }
      loaded.value = await loadAll()
      mine.value = null
      changed()
      showToast(common('saved'))
    })
    busy.value = false
  }
  function resolve(/** @type {boolean} */ isMine) {
    const now = theirs.value ?? []
    theirs.value = null
    loaded.value = now
    mine.value = isMine ? inOrderOf(now, mine.value ?? now) : null
    if (isMine) save()
  }
  const button = mayChange && html`
    <button
      class="button primary"
      id="new-collection"
      onClick=${() => {
        creating.value = true
      }}
    >
      ${icon('plus')}
      ${t('new')}
    </button>
  `
  return html`
    <div class="stack narrow collections">
      <div class="head first row spread">
        <h1 tabindex="-1">${common('collections')}</h1>
        ${shown.length > 0 && button}
      </div>
      ${first.problem && !base
        ? html`<${Failed} problem=${first.problem} retry=${first.reload} />`
        : !base
          ? html`<${Skeleton}>${skeletonRows(4)}<//>`
          : shown.length === 0
            ? html`<${Empty} icon="layers" title=${t('none')} text=${t('noneText')}>${button}<//>`
            : html`
                <p class="quiet small">${t('orderText')}</p>
                ${theirs.value && html`
                  <div class="banner rounded" role="alert" tabindex="-1" id="other-order">
                    <div class="grow stack">
                      <b>${t('otherOrder')}</b>
                      <ol class="small">
                        ${theirs.value.map((collection) => html`
                          <li lang=${langOf(name(collection.title))}>${name(collection.title)}</li>
                        `)}
                      </ol>
                      <div class="row wraps">
                        <button class="button" id="use-mine" onClick=${() => resolve(true)}>
                          ${t('useMine')}
                        </button>
                        <button class="button" id="use-theirs" onClick=${() => resolve(false)}>
                          ${t('useTheirs')}
                        </button>
                      </div>
                    </div>
                  </div>
                `}
                <${Arrange}
                  id="collections"
                  items=${shown}
                  disabled=${!mayChange || shown.length < 2 || busy.value}
                  title=${(/** @type {Collection} */ collection) => name(collection.title)}
                  picture=${thumb}
                  body=${row}
                  move=${(/** @type {number} */ from, /** @type {number} */ at) => {
                    mine.value = moved(shown, from, at)
                  }}
                />
              `}
      ${isChanged && html`
        <div class="action-bar above-tabs">
          <button class="button primary big" id="save" aria-busy=${busy.value} onClick=${save}>
            ${icon(busy.value ? 'loader' : 'check', busy.value ? 'spin' : '')}
            ${t('saveOrder')}
          </button>
          <button
            class="button second"
            id="discard"
            onClick=${() => {
              mine.value = null
              theirs.value = null
              first.reload()
            }}
          >
            ${t('discard')}
          </button>
        </div>
      `}
    </div>
    ${creating.value && html`
      <${NewCollection} close=${() => {
        creating.value = false
      }} />
    `}
  `
}

const thumb = (/** @type {Collection} */ { image }) => html`
  <span class="thumbnail">
    ${image
      ? html`<img src=${small(image)} alt="" loading="lazy" draggable=${false} />`
      : icon('layers')}
  </span>
`

const row = (/** @type {Collection} */ collection) => html`
  <a class="grow" href=${to('collections', collection._id)}>
    <b lang=${langOf(name(collection.title))}>${name(collection.title)}</b>
    <br />
    <span class="small quiet">${t('onSale', { count: collection.productCount })}</span>
  </a>
`

/** Returns the last part of a collection's address, as the server derives it from a title. */
const slug = (/** @type {string} */ title) =>
  title
    .toLowerCase()
    .normalize('NFC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^[-\p{M}]+|-+$/gu, '')

/** Whether a name or a handle is that of a collection. Saving would replace it. */
const nameExists = (/** @type {string} */ text) =>
  get('collections/' + encodeURIComponent(text)).then(
    () => true,
    (error) => {
      if (error instanceof Problem && error.status === 404) return false
      throw error
    },
  )

/** @param {{ close: () => void }} props */
function NewCollection({ close }) {
  const sent = useSignal('')
  const { form, errors, busy, onSubmit } = useForm(['title'], async ({ title }, keyOf) => {
    if (title === '')
      throw new Problem(422, { errors: [{ field: 'title', code: 'required', message: '' }] })
    const handle = slug(title)
    const body = { title, handle: handle || undefined }
    const key = keyOf(body)
    // What was sent before has perhaps arrived: then the name is taken by itself.
    if (
      key !== sent.value &&
      ((await nameExists(title)) || (handle && (await nameExists(handle))))
    ) {
      errors.value = { title: t('exists') }
      setTimeout(() => form.current?.querySelector('input')?.focus())
      return
    }
    sent.value = key
    const { _id } = await act('collections', body, { query: { create: true }, label: title, key })
    changed()
    close()
    open(to('collections', _id))
  })
  return html`
    <${Dialog} title=${t('new')} text=${t('newText')} close=${close} id="new-one">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="title"
          label=${t('title')}
          errors=${errors.value}
          maxlength="255"
          autocomplete="off"
          autofocus
        />
        <${Submit} busy=${busy.value}>${t('create')}<//>
      </form>
    <//>
  `
}
