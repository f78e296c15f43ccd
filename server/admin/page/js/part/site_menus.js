// The menus of the site: links on two levels, in order.

import { html, useSignal } from '../html.js'
import { act, send } from '../api.js'
import { menusDraftOf } from '../device.js'
import { langOf } from '../i18n.js'
import { useGet } from '../resource.js'
import { shopUID } from '../router.js'
import { can } from '../session.js'
import { t as section } from '../strings/section.js'
import { t } from '../strings/site.js'
import { Arrange } from './arrange.js'
import { Dialog } from './dialog.js'
import { fault, Field } from './form.js'
import { icon } from './icon.js'
import { useCollections } from './product_filters.js'
import { AddProducts, loadedProducts } from './product_pick.js'
import { useRecordDraft } from './record_draft.js'
import { canonical, inLanguages, textIn } from './site_parts.js'
import { Addresses } from './site_records.js'
import { BothTexts, useLanguages } from './site_texts.js'
import { skeletonRows, Failed, Skeleton } from './states.js'
import { showToast } from './toast.js'

/** @typedef {{ en?: string, bn?: string }} Text */
/**
 * A link; below: it belongs to the one above.
 * @typedef {{ _id: string, title: Text, link: string, below: boolean }} Row
 */
/** @typedef {'main' | 'footer' | 'secondary'} Menu */
/** @typedef {Record<Menu, Row[]>} Draft */

const menus = /** @type {Menu[]} */ (['main', 'footer', 'secondary'])
const mostLinks = 50

const newRow = (/** @type {Text} */ title, /** @type {string} */ link, below = false) => ({
  _id: crypto.randomUUID(),
  title,
  link,
  below,
})

/** @returns {Row[]} */
const rowsOf = (/** @type {any[]} */ items) =>
  items.flatMap(({ title, link, items: below = [] }) => [
    newRow(title, link),
    ...below.map((/** @type {any} */ one) => newRow(one.title, one.link, true)),
  ])

/** Returns rows as they are sent, and the place of each row in it for errors. */
function itemsOf(/** @type {Row[]} */ rows) {
  /** @type {any[]} */
  const items = []
  /** @type {string[]} */
  const places = []
  for (const { title, link, below } of rows) {
    const last = items.at(-1)
    if (below && last) {
      last.items = [...(last.items ?? []), { title, link }]
      places.push(`[${items.length - 1}].items[${last.items.length - 1}]`)
    } else {
      items.push({ title, link })
      places.push(`[${items.length - 1}]`)
    }
  }
  return { items, places }
}

const bodyOf = (/** @type {Draft} */ d) =>
  Object.fromEntries(menus.map((menu) => [menu, itemsOf(d[menu]).items]))

const words = (/** @type {Row[]} */ rows) =>
  rows.map(({ title, below }) => (below ? '– ' : '') + textIn(title)).join(' · ')

/** @type {import('./conflict.js').Compared<Draft>} */
const compared = {
  parts: Object.fromEntries(
    menus.map((menu) => [
      menu,
      { label: () => t.dynamic('menu_' + menu), show: (/** @type {Draft} */ d) => words(d[menu]) },
    ]),
  ),
  differences: (a, b) =>
    menus.filter((menu) => canonical(itemsOf(a[menu]).items) !== canonical(itemsOf(b[menu]).items)),
  merge: (draft, other, chosen) => ({
    ...draft,
    ...Object.fromEntries(chosen.map((menu) => [menu, other[/** @type {Menu} */ (menu)]])),
  }),
}

/** Returns rows with one at another place. What is below it moves with it. */
function moveRow(/** @type {Row[]} */ rows, /** @type {number} */ from, /** @type {number} */ to) {
  let end = from + 1
  if (!rows[from].below) while (rows[end]?.below) end++
  const block = rows.slice(from, end)
  const rest = [...rows.slice(0, from), ...rows.slice(end)]
  let at = to <= from ? to : Math.max(to, end) - block.length + 1
  if (!block[0].below) while (rest[at]?.below) at += to <= from ? -1 : 1
  rest.splice(Math.max(0, Math.min(rest.length, at)), 0, ...block)
  return rest.map((row, i) => (i === 0 && row.below ? { ...row, below: false } : row))
}

export function MenusView() {
  const missing = useSignal(/** @type {string[]} */ ([]))
  const editor = useRecordDraft({
    name: menusDraftOf(shopUID.value),
    gone: '',
    compared,
    read: async () => {
      const { data, etag } = await send('GET', 'menus')
      missing.value = data.missing
      const draft = Object.fromEntries(menus.map((menu) => [menu, rowsOf(data[menu])]))
      return { draft: /** @type {Draft} */ (draft), etag }
    },
    write: (/** @type {Draft} */ draft, ifMatch, key) =>
      act('menus', bodyOf(draft), { method: 'PUT', ifMatch, key, label: t('menus') }),
  })
  const adding = useSignal(/** @type {Menu | null} */ (null))
  const edited = useSignal(/** @type {{ menu: Menu, _id: string } | null} */ (null))
  const { draft, errors, problem } = editor
  if (!draft)
    return problem
      ? html`<${Failed} problem=${problem} retry=${editor.load} />`
      : html`<${Skeleton}>${skeletonRows(4)}<//>`
  const mayChange = can('site.write')
  const set = (/** @type {Menu} */ menu, /** @type {Row[]} */ rows) =>
    editor.change({ .../** @type {Draft} */ (editor.latest()), [menu]: rows })
  const errorsOf = (/** @type {Menu} */ menu, /** @type {number} */ i) => {
    const place = menu + itemsOf(draft[menu]).places[i]
    return Object.fromEntries(
      Object.entries(errors)
        .filter(([name]) => name.startsWith(place + '.') && !name.startsWith(place + '.items'))
        .map(([name, text]) => [name.slice(place.length + 1), text]),
    )
  }
  const row =
    (/** @type {Menu} */ menu) =>
    (/** @type {Row} */ { _id, title, link, below }, /** @type {number} */ i) => html`
      <button
        type="button"
        class=${below ? 'grow menu-link below' : 'grow menu-link'}
        aria-haspopup="dialog"
        data-link=${i}
        onClick=${() => {
          edited.value = { menu, _id }
        }}
      >
        <b lang=${langOf(textIn(title))}>${textIn(title) || t('noTitle')}</b>
        <span class="small quiet">${link || t('onlyTitle')}</span>
        ${missing.value.includes(link) && html`
          <span class="small tone-bad">${t('linkMissing')}</span>
        `}
        ${Object.values(errorsOf(menu, i)).map((text) => html`
          <span class="small tone-bad">${text}</span>
        `)}
      </button>
    `
  const current = edited.value
  const at = current ? draft[current.menu].findIndex(({ _id }) => _id === current._id) : -1
  return html`
    <p class="quiet small">${t('menusText')}</p>
    ${menus.map((menu) => html`
      <section class="card section stack" id=${'menu-' + menu} aria-labelledby=${menu + '-title'}>
        <h2 id=${menu + '-title'}>${t.dynamic('menu_' + menu)}</h2>
        <p class="quiet small">
          ${t.dynamic(draft[menu].length === 0 ? 'menuEmpty_' + menu : 'menuText_' + menu)}
        </p>
        ${fault(errors[menu])}
        ${draft[menu].length > 0 && html`
          <${Arrange}
            id=${'links-' + menu}
            items=${draft[menu]}
            disabled=${!mayChange}
            title=${(/** @type {Row} */ { title }) => textIn(title)}
            picture=${() => html`<span class="thumbnail mini">${icon('link')}</span>`}
            body=${row(menu)}
            move=${(/** @type {number} */ from, /** @type {number} */ to) =>
              set(menu, moveRow(draft[menu], from, to))}
          />
        `}
        ${mayChange && html`
          <div>
            <button
              type="button"
              class="button"
              data-add-link=${menu}
              disabled=${draft[menu].length >= mostLinks}
              onClick=${() => {
                adding.value = menu
              }}
            >
              ${icon('plus')}
              ${t('addLink')}
            </button>
          </div>
        `}
      </section>
    `)}
    ${adding.value && html`
      <${Targets}
        close=${() => {
          adding.value = null
        }}
        choose=${(/** @type {Text} */ title, /** @type {string} */ link) => {
          const menu = /** @type {Menu} */ (adding.value)
          const added = newRow(title, link)
          adding.value = null
          set(menu, [...draft[menu], added])
          if (link === '') edited.value = { menu, _id: added._id }
        }}
      />
    `}
    ${current && at >= 0 && html`
      <${LinkForm}
        key=${current._id}
        row=${draft[current.menu][at]}
        isFirst=${at === 0}
        errors=${errorsOf(current.menu, at)}
        disabled=${!mayChange}
        change=${(/** @type {Row} */ next) =>
          set(
            current.menu,
            draft[current.menu].map((other, i) => (i === at ? next : other)),
          )}
        remove=${() => {
          const before = draft[current.menu]
          edited.value = null
          const rest = before.filter((_, i) => i !== at)
          set(
            current.menu,
            rest.map((one, i) => (i === 0 ? { ...one, below: false } : one)),
          )
          showToast(t('sectionRemoved', { name: textIn(before[at].title) }), {
            lasts: 8000,
            action: { text: t('undo'), run: () => set(current.menu, before) },
          })
        }}
        close=${() => {
          edited.value = null
        }}
      />
    `}
    ${mayChange &&
      editor.bar(html`
        <button type="button" class="button" id="discard" onClick=${editor.discard}>
          ${t('discard')}
        </button>
      `)}
  `
}

/**
 * One link.
 * @param {{ row: Row, isFirst: boolean, errors: Record<string, string>, disabled: boolean, change:
 *   (row: Row) => void, remove: () => void, close: () => void }} props
 */
function LinkForm({ row, isFirst, errors, disabled, change, remove, close }) {
  const languages = useLanguages()
  return html`
    <${Dialog} title=${textIn(row.title) || t('newLink')} close=${close} id="link" free>
      <fieldset class="stack" disabled=${disabled}>
        <legend class="visually-hidden">${t('newLink')}</legend>
        <${BothTexts}
          label=${t('pageTitle')}
          max=${60}
          value=${row.title}
          path="title"
          languages=${languages}
          errors=${errors}
          change=${(/** @type {Text} */ title) => change({ ...row, title })}
        />
        <${Field}
          name="link"
          label=${t('linkTo')}
          hint=${section('hint_link')}
          errors=${errors}
          value=${row.link}
          list="link-list"
          maxlength="500"
          autocomplete="off"
          autocapitalize="none"
          spellcheck=${false}
          onInput=${(/** @type {FieldEvent} */ event) =>
            change({ ...row, link: event.target.value.trim() })}
        />
        <${Addresses} id="link-list" />
        ${!isFirst && html`
          <label class="row choice">
            <input
              type="checkbox"
              class="checkbox"
              id="below"
              checked=${row.below}
              onChange=${(/** @type {FieldEvent} */ event) =>
                change({ ...row, below: event.target.checked })}
            />
            <span class="grow">${t('below')}</span>
          </label>
        `}
      </fieldset>
      <div class="row">
        ${!disabled && html`
          <button type="button" class="button big bad" id="remove-link" onClick=${remove}>
            ${icon('trash')}
            ${t('removeSection')}
          </button>
        `}
        <button type="button" class="button primary big" id="link-done" onClick=${close}>
          ${t('done')}
        </button>
      </div>
    <//>
  `
}

/**
 * What a new link leads to.
 * @param {{ choose: (title: Text, link: string) => void, close: () => void }} props
 */
function Targets({ choose, close }) {
  const isProduct = useSignal(false)
  /** @type {import('../api.js').Schemas['CollectionRecord'][]} */
  const collections = useCollections()
  const { data } = useGet(can('settings.read') ? 'settings' : null)
  if (isProduct.value)
    return html`
      <${AddProducts}
        products=${[]}
        text=${t('linkProduct')}
        close=${close}
        toggle=${(/** @type {string} */ id) => {
          const product = loadedProducts.get(id)
          if (product) choose(inLanguages(product.title), '/products/' + product.handle)
        }}
      />
    `
  /** @type {[string, Text, string][]} */
  const all = [
    ['package', inLanguages(section('allProductsTitle')), '/collections/all'],
    ...collections.map(
      ({ title, handle }) =>
        /** @type {[string, Text, string]} */ ([
          'layers',
          inLanguages(title),
          '/collections/' + handle,
        ]),
    ),
    ...(data?.pages ?? []).map((/** @type {any} */ { title, slug }) => [
      'sticky-note',
      inLanguages(title),
      '/pages/' + slug,
    ]),
    ...(data?.legalPolicies ?? []).map((/** @type {any} */ { title, slug }) => [
      'info',
      inLanguages(title),
      '/policies/' + slug,
    ]),
  ]
  const option = (
    /** @type {string} */ mark,
    /** @type {string} */ title,
    /** @type {string} */ about,
    /** @type {() => void} */ run,
  ) => html`
    <li>
      <button type="button" class="option" data-to=${about} onClick=${run}>
        ${icon(mark)}
        <span class="grow">
          <span lang=${langOf(title)}>${title}</span>
          <br />
          <span class="small quiet">${about}</span>
        </span>
      </button>
    </li>
  `
  return html`
    <${Dialog} title=${t('addLink')} close=${close} id="targets" free>
      <ul class="options">
        ${option('tag', t('aProduct'), '/products/…', () => {
          isProduct.value = true
        })}
        ${option('globe', t('otherAddress'), 'https://…', () => choose({}, ''))}
        ${all.map(([mark, title, link]) =>
          option(mark, textIn(title), link, () => choose(title, link)),
        )}
      </ul>
    <//>
  `
}
