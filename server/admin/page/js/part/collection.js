// One collection: picture, name, text and address in a form, and its products in order. All of it
// is saved at once.

import { html, useEffect, useLayoutEffect, useRef, useSignal } from '../html.js'
import { act, get, Problem, send } from '../api.js'
import { focusFault } from '../focus.js'
import { langOf, name, number } from '../i18n.js'
import { changed } from '../resource.js'
import { guard, open, to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t as product } from '../strings/product.js'
import { t } from '../strings/collections.js'
import { Arrange, moved } from './arrange.js'
import { bodyOf, changeOf, compared, draftOf, joined, parts } from './collection_draft.js'
import { Conflict } from './conflict.js'
import { Dialog } from './dialog.js'
import { errorsOf, Field, formError, useMended } from './form.js'
import { icon } from './icon.js'
import { attempt } from './product_change.js'
import { Photos, useUploads } from './product_photos.js'
import { AddProducts, loadedProducts, titleOf } from './product_pick.js'
import { picture, priceOf, statusMark } from './product_row.js'
import { RichText } from './rich_text.js'
import { skeletonRows, Failed, Skeleton } from './states.js'
import { showToast } from './toast.js'

/** @typedef {import('./product_change.js').Product} Product */
/** @typedef {import('./collection_draft.js').Draft} Draft */
/** @typedef {{ base: Draft, etag: string | null }} Loaded */

const firstShown = 100

/** Loads the products of a collection, so that they can be shown. */
async function loadProducts(/** @type {string} */ collectionId) {
  for (let page = 1; ; page++) {
    const { nodes, meta } = await get('products', { collectionId, limit: 100, page })
    for (const product of nodes) loadedProducts.set(product._id, product)
    if (!meta.hasNextPage) return
  }
}

/** @param {{ id: string }} props */
export function CollectionView({ id }) {
  const loaded = useSignal(/** @type {Loaded | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  const path = 'collections/' + encodeURIComponent(id)
  /** @returns {Promise<Loaded>} */
  const read = async () => {
    const { data, etag } = await send('GET', path)
    await loadProducts(data._id)
    return { base: draftOf(data), etag }
  }
  const load = async () => {
    try {
      loaded.value = await read()
      problem.value = null
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problem.value = error
    }
  }
  useEffect(() => {
    load()
  }, [])
  if (!loaded.value) {
    return html`
      <${Bar} title="" />
      ${problem.value
        ? html`<${Failed} problem=${problem.value} retry=${load} />`
        : html`<${Skeleton}>${skeletonRows(4)}<//>`}
    `
  }
  return html`<${Form} path=${path} id=${id} first=${loaded.value} read=${read} />`
}

const Bar = (
  /** @type {{ title: string, note?: any, children?: any }} */ { title, note, children },
) => html`
  <header class="top plain over">
    <a class="icon-button" data-back aria-label=${common('back')} href=${to('collections')}>
      ${icon('arrow-left')}
    </a>
    <div class="title">
      <h1 tabindex="-1" class="cut" lang=${langOf(title)}>${title || common('collections')}</h1>
      ${note && html`<div class="small cut">${note}</div>`}
    </div>
    ${children}
  </header>
`

/** @param {{ path: string, id: string, first: Loaded, read: () => Promise<Loaded> }} props */
function Form({ path, id, first, read }) {
  const base = useSignal(first)
  const draft = useSignal(first.base)
  const errors = useSignal(/** @type {Record<string, string>} */ ({}))
  const conflict = useSignal(/** @type {Loaded | null} */ (null))
  const dialog = useSignal('')
  const chosen = useSignal(-1)
  const shown = useSignal(firstShown)
  const busy = useSignal(false)
  const seed = useSignal(0)
  const element = useRef(/** @type {HTMLFormElement | null} */ (null))
  useMended(element, errors)
  const d = draft.value
  const mayChange = can('products.write')
  const changes = compared.differences(d, base.value.base)
  const isChanged = changes.length > 0
  const change = (/** @type {Partial<Draft>} */ to) => {
    draft.value = { ...draft.value, ...to }
  }
  const uploads = useUploads((photos) => change({ photos: photos(draft.value.photos) }))
  const begin = (/** @type {Loaded} */ next) => {
    base.value = next
    draft.value = next.base
    errors.value = {}
    seed.value++
  }
  useLayoutEffect(() => guard(() => (isChanged ? common('unsaved') : null)), [isChanged])
  const fail = (/** @type {Record<string, string>} */ faults) => {
    errors.value = faults
    focusFault(element)
  }
  async function save(/** @type {Draft} */ from, /** @type {Loaded} */ to = base.value) {
    if (busy.value) return
    errors.value = {}
    if (from.title.trim() === '') return fail({ title: t('noTitle') })
    busy.value = true
    try {
      if (!(await uploads.end())) return fail({ image: product('notSentText') })
      from = { ...from, photos: draft.value.photos }
      const own = compared.differences(from, to.base)
      const content = bodyOf(from, to.base, own)
      // The version of a collection has two parts: saving one does not change the other.
      if (Object.keys(content).length > 0)
        await act(path, content, { method: 'PATCH', ifMatch: to.etag, label: from.title })
      if (own.includes('products')) {
        await act(
          path + '/products',
          { productIds: from.products },
          { method: 'PUT', ifMatch: to.etag, label: from.title },
        )
      }
      begin(await read())
      changed()
      showToast(common('saved'))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.code === 'changed_meanwhile') await attempt(compare)
      else fail(errorsOf(error, ['title', 'descriptionHtml', 'handle', 'image']))
    } finally {
      busy.value = false
    }
  }
  // The collection as it is now. Perhaps a part of it is what was to be saved.
  async function compare() {
    const now = await read()
    change({ products: joined(draft.value.products, base.value.base.products, now.base.products) })
    if (compared.differences(draft.value, now.base).length > 0) conflict.value = now
    else {
      begin(now)
      changed()
      showToast(common('saved'))
    }
  }
  const discard = () => {
    for (const photo of d.photos) uploads.sending.value[photo.key] && uploads.remove(photo.key)
    begin(base.value)
  }
  const remove = () =>
    attempt(async () => {
      dialog.value = ''
      await act(path, {}, { method: 'DELETE', ifMatch: base.value.etag, label: d.title })
      draft.value = base.value.base
      changed()
      showToast(t('deleted', { title: name(base.value.base.title) }))
      open(to('collections'), { replace: true })
    })
  const removeProduct = (/** @type {string} */ productId) => {
    const before = draft.value.products
    change({ products: before.filter((other) => other !== productId) })
    showToast(t('takenOut', { title: titleOf(productId) }), {
      action: { text: common('undo'), run: () => change({ products: before }) },
    })
  }
  const move = (/** @type {number} */ from, /** @type {number} */ at) =>
    change({ products: moved(draft.value.products, from, at) })
  const title = name(d.title) || '–'
  const fieldSetter = (/** @type {keyof Draft} */ field) => (/** @type {FieldEvent} */ event) =>
    change({ [field]: event.target.value })
  const rows = d.products.slice(0, shown.value).map((_id) => ({ _id }))
  const left = d.products.length - rows.length
  return html`
    <${Bar}
      title=${title}
      note=${isChanged
        ? html`<span class="tone-warn">${t('unsaved')}</span>`
        : html`<span class="quiet">${t('count', { count: d.products.length })}</span>`}
    >
      ${mayChange && html`
        <button
          class="icon-button"
          id="collection-more"
          aria-label=${t('menu')}
          aria-haspopup="dialog"
          onClick=${() => {
            dialog.value = 'menu'
          }}
        >
          ${icon('ellipsis-vertical')}
        </button>
      `}
    <//>
    <form
      ref=${element}
      id="collection"
      class="stack form-view collection"
      novalidate
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault()
        save(draft.value)
      }}
    >
      ${formError(errors.value)}
      <section class="card section" aria-label=${t('about')}>
        <fieldset class="stack" key=${seed.value} disabled=${!mayChange}>
          <${Photos}
            photos=${d.photos}
            uploads=${uploads}
            single
            label=${t('addPicture')}
            error=${errors.value.image}
            disabled=${!mayChange}
            change=${(/** @type {any} */ to) => change({ photos: to(draft.value.photos) })}
          />
          <${Field}
            name="title"
            label=${t('title')}
            value=${d.title}
            errors=${errors.value}
            maxlength="255"
            autocomplete="off"
            onInput=${fieldSetter('title')}
          />
          <${RichText}
            name="descriptionHtml"
            label=${t('description')}
            value=${d.description}
            errors=${errors.value}
            disabled=${!mayChange}
            onChange=${(/** @type {string} */ description) => change({ description })}
          />
          <${Field}
            name="handle"
            label=${t('handle')}
            hint=${t('handleHint')}
            value=${d.handle}
            errors=${errors.value}
            maxlength="255"
            autocomplete="off"
            autocapitalize="none"
            spellcheck=${false}
            onInput=${fieldSetter('handle')}
          />
        </fieldset>
      </section>
      <section class="stack" aria-labelledby="its-products">
        <div class="row spread wraps">
          <h2 id="its-products">
            ${t('products')} <span class="quiet">${number(d.products.length)}</span>
          </h2>
          ${mayChange && html`
            <button
              type="button"
              class="button"
              id="add-products"
              aria-haspopup="dialog"
              onClick=${() => {
                dialog.value = 'add'
              }}
            >
              ${icon('plus')}
              ${t('add')}
            </button>
          `}
        </div>
        ${rows.length === 0
          ? html`
              <div class="card section">
                <b>${t('noProducts')}</b>
                <p class="small quiet">${t('noProductsText')}</p>
              </div>
            `
          : html`
              <${Arrange}
                id="members"
                items=${rows}
                all=${d.products.length}
                disabled=${!mayChange}
                move=${move}
                title=${({ _id }) => titleOf(_id)}
                picture=${({ _id }) =>
                  loadedProducts.has(_id)
                    ? picture(/** @type {Product} */ (loadedProducts.get(_id)))
                    : html`<span class="thumbnail">${icon('package')}</span>`}
                body=${({ _id }, /** @type {number} */ i) => member(_id, i)}
              />
            `}
        ${left > 0 && html`
          <button
            type="button"
            class="button"
            onClick=${() => {
              shown.value += 4 * firstShown
            }}
          >
            ${t('showMore', { count: Math.min(left, 4 * firstShown) })}
          </button>
        `}
      </section>
    </form>
    ${mayChange && isChanged && html`
      <div class="action-bar">
        <button class="button primary big" id="save" form="collection" aria-busy=${busy.value}>
          ${busy.value && icon('loader', 'spin')}
          ${common('save')}
        </button>
        <button type="button" class="button second" id="discard" onClick=${discard}>
          ${t('discard')}
        </button>
      </div>
    `}
    ${dialog.value === 'menu' && html`
      <${Dialog}
        title=${t('menu')}
        close=${() => {
          dialog.value = ''
        }}
        id="collection-menu"
      >
        <ul class="options">
          <li>
            <a
              class="option"
              href=${to('products', '', { collection: id })}
              onClick=${() => {
                dialog.value = ''
              }}
            >
              ${icon('package')}
              <span class="grow">${t('inProducts')}</span>
            </a>
          </li>
          <li>
            <button
              class="option tone-bad"
              data-action="delete"
              onClick=${() => {
                dialog.value = 'delete'
              }}
            >
              ${icon('trash')}
              <span class="grow">${t('delete')}</span>
            </button>
          </li>
        </ul>
      <//>
    `}
    ${dialog.value === 'delete' && html`
      <${Dialog}
        title=${t('askDelete', { title: name(base.value.base.title) })}
        text=${t('askDeleteText')}
        close=${() => {
          dialog.value = ''
        }}
        id="ask-delete"
      >
        <button class="button big bad" onClick=${remove}>${icon('trash')}${t('delete')}</button>
      <//>
    `}
    ${dialog.value === 'add' && html`
      <${AddProducts}
        products=${d.products}
        close=${() => {
          dialog.value = ''
        }}
        toggle=${(/** @type {string} */ productId) => {
          const { products } = draft.value
          change({
            products: products.includes(productId)
              ? products.filter((other) => other !== productId)
              : [...products, productId],
          })
        }}
      />
    `}
    ${chosen.value >= 0 && d.products[chosen.value] && html`
      <${Member}
        id=${d.products[chosen.value]}
        i=${chosen.value}
        all=${d.products.length}
        close=${() => {
          chosen.value = -1
        }}
        move=${move}
        remove=${removeProduct}
        mayChange=${mayChange}
      />
    `}
    ${conflict.value && html`
      <${Conflict}
        ...${compared}
        parts=${{
          ...parts,
          products: {
            ...parts.products,
            show: (/** @type {Draft} */ draft) =>
              changeOf(draft.products, base.value.base.products),
          },
        }}
        base=${base.value.base}
        mine=${d}
        theirs=${conflict.value.base}
        close=${() => {
          conflict.value = null
        }}
        save=${(/** @type {Draft} */ merged) => {
          const now = /** @type {Loaded} */ (conflict.value)
          conflict.value = null
          base.value = now
          draft.value = merged
          seed.value++
          save(merged, now)
        }}
      />
    `}
  `

  function member(/** @type {string} */ _id, /** @type {number} */ i) {
    const product = loadedProducts.get(_id)
    return html`
      <button
        type="button"
        class="grow"
        aria-haspopup="dialog"
        onClick=${() => {
          chosen.value = i
        }}
      >
        <b lang=${langOf(titleOf(_id))}>${titleOf(_id)}</b>
        ${product && html`
          <br />
          <span class="small quiet">${priceOf(product)}</span>
          ${product.status !== 'active' && html` ${statusMark(product.status)}`}
        `}
      </button>
    `
  }
}

/**
 * What can be done with one of the products.
 * @param {{ id: string, i: number, all: number, close: () => void, move: (from: number, to: number)
 *   => void, remove: (id: string) => void, mayChange: boolean }} props
 */
function Member({ id, i, all, close, move, remove, mayChange }) {
  /** @type {[string, string, string, () => void, boolean][]} */
  const options = [
    ['first', 'arrow-up', t('first'), () => move(i, 0), mayChange && i > 0],
    ['last', 'chevron-down', t('last'), () => move(i, all - 1), mayChange && i < all - 1],
    ['open', 'pencil', t('openProduct'), () => open(to('product', id)), loadedProducts.has(id)],
    ['out', 'trash', t('removeProduct'), () => remove(id), mayChange],
  ]
  return html`
    <${Dialog} title=${titleOf(id)} close=${close} id="member">
      <ul class="options">
        ${options
          .filter(([, , , , fits]) => fits)
          .map(([key, mark, text, run]) => html`
            <li key=${key}>
              <button
                class=${key === 'out' ? 'option tone-bad' : 'option'}
                data-action=${key}
                onClick=${() => {
                  close()
                  run()
                }}
              >
                ${icon(mark)}
                <span class="grow">${text}</span>
              </button>
            </li>
          `)}
      </ul>
    <//>
  `
}
