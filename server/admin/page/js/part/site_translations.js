// Texts of the shop in its second language: what lacks one, and both languages side by side.

import { html, useSignal } from '../html.js'
import { act, send } from '../api.js'
import { translationDraftOf } from '../device.js'
import { useCurrentInSight } from '../place.js'
import { useGet } from '../resource.js'
import { route, shopUID, to, withQuery } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/translation.js'
import { sanitize } from './description.js'
import { Field } from './form.js'
import { icon } from './icon.js'
import { Pages } from './pages.js'
import { useRecordDraft } from './record_draft.js'
import { RichText } from './rich_text.js'
import { Area } from './setting_card.js'
import { skeletonRows, Empty, Failed, NotFound, Skeleton } from './states.js'

/** @typedef {import('../api.js').Schemas['Translation']} Translation */
/** @typedef {Record<string, string>} Texts by field */

/** @type {{ kind: string, of: string }[]} */
const kinds = [
  { kind: 'product', of: 'products' },
  { kind: 'collection', of: 'products' },
  { kind: 'page', of: 'settings' },
  { kind: 'policy', of: 'settings' },
  { kind: 'tag', of: 'products' },
  { kind: 'type', of: 'products' },
  { kind: 'delivery_charge', of: 'settings' },
  { kind: 'discount', of: 'coupons' },
  { kind: 'shop', of: 'settings' },
]

/** Texts of several lines. */
const isLong = (/** @type {string} */ field) => field === 'address' || field === 'footer'
const isRich = (/** @type {string} */ field) => field.endsWith('Html')

/** The name of a text, such as title or option:Size. */
function nameOf(/** @type {string} */ field) {
  const [part, ...rest] = field.split(':')
  return rest.length > 0
    ? t.dynamic('field_' + part, { name: rest.join(':') })
    : t.dynamic('field_' + part)
}

/** @param {{ id: string }} props id: the kind and the ID of a record; '': none */
export function TranslationsView({ id }) {
  const [kind, ...rest] = id.split('/')
  return rest.length > 0
    ? html`<${Record} kind=${kind} id=${rest.join('/')} />`
    : html`<${Records} />`
}

function Records() {
  const { query } = route.value
  const shown = kinds.filter(({ of }) => can(of + '.read'))
  const kind = shown.find((one) => one.kind === query.get('kind'))?.kind ?? shown[0]?.kind
  const isAll = query.get('all') === '1'
  const chips = useCurrentInSight([kind])
  const { data, problem, loading, reload } = useGet(kind ? 'translations/' + kind : null, {
    missing: isAll ? undefined : true,
    page: query.get('page') ?? undefined,
  })
  if (problem?.code === 'state_conflict')
    return html`
      <${Empty} icon="languages" title=${t('oneLanguage')} text=${t('oneLanguageText')}>
        ${can('settings.write') && html`
          <a class="button primary" href=${to('settings')}>${t('chooseLanguage')}</a>
        `}
      <//>
    `
  /** @type {Translation[]} */
  const all = data?.nodes ?? []
  return html`
    <p class="quiet small">${t('text')}</p>
    <nav class="chips" aria-label=${t('kinds')} ref=${chips}>
      ${shown.map((one) => html`
        <a
          class=${one.kind === kind ? 'chip on' : 'chip'}
          href=${withQuery({ kind: one.kind === shown[0].kind ? null : one.kind, page: null })}
          aria-current=${one.kind === kind ? 'page' : undefined}
        >
          ${t.dynamic('kind_' + one.kind)}
        </a>
      `)}
    </nav>
    <nav class="views" aria-label=${t('which')}>
      <a href=${withQuery({ all: null, page: null })} aria-current=${isAll ? undefined : 'page'}>
        ${t('missing')}
      </a>
      <a href=${withQuery({ all: '1', page: null })} aria-current=${isAll ? 'page' : undefined}>
        ${t('all')}
      </a>
    </nav>
    ${problem && !data
      ? html`<${Failed} problem=${problem} retry=${reload} />`
      : !data
        ? html`<${Skeleton}>${skeletonRows(4)}<//>`
        : all.length === 0
          ? html`<${Empty} icon="languages" title=${t(isAll ? 'none' : 'complete')} />`
          : html`
              <div aria-busy=${loading}>
                <ul class="card list" id="translations">
                  ${all.map((one) => html`
                    <li key=${one._id} class="row spread redirect">
                      <a class="grow" href=${to('site', `translations/${kind}/${one._id}`)}>
                        <b>${one.label}</b>
                        <br />
                        <span class="small quiet">
                          ${one.missing > 0 ? t('lacks', { count: one.missing }) : t('whole')}
                        </span>
                      </a>
                      ${icon('chevron-right')}
                    </li>
                  `)}
                </ul>
                <${Pages} meta=${data.meta} label=${t('kinds')} />
              </div>
            `}
  `
}

/** One record. @param {{ kind: string, id: string }} props */
function Record({ kind, id }) {
  const path = `translations/${kind}/${encodeURIComponent(id)}`
  const stored = useSignal(/** @type {Translation | null} */ (null))
  const texts = (stored.value?.texts ?? []).filter(({ text }) => text !== '')
  /** @type {import('./conflict.js').Compared<Texts>} */
  const compared = {
    parts: Object.fromEntries(
      texts.map(({ field }) => [
        field,
        { label: () => nameOf(field), show: (/** @type {Texts} */ d) => d[field] },
      ]),
    ),
    differences: (a, b) =>
      [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
        (field) => (a[field] ?? '') !== (b[field] ?? ''),
      ),
    merge: (draft, other, chosen) => ({
      ...draft,
      ...Object.fromEntries(chosen.map((field) => [field, other[field] ?? ''])),
    }),
  }
  const editor = useRecordDraft({
    name: translationDraftOf(shopUID.value, kind + '/' + id),
    gone: t('gone'),
    compared,
    read: async () => {
      const { data, etag } = await send('GET', path)
      stored.value = data
      const draft = Object.fromEntries(
        data.texts.map((/** @type {any} */ one) => [one.field, one.translation]),
      )
      return { draft: /** @type {Texts} */ (draft), etag }
    },
    write: (/** @type {Texts} */ draft, ifMatch, key) => {
      const label = stored.value?.label ?? ''
      return act(path, { texts: draft }, { method: 'PATCH', ifMatch, key, label })
    },
  })
  const { draft, problem, seed } = editor
  const list = to('site', 'translations')
  if (problem?.status === 404) return html`<${NotFound} name=${t('title')} address=${list} />`
  if (!draft || !stored.value)
    return problem
      ? html`<${Failed} problem=${problem} retry=${editor.load} />`
      : html`<${Skeleton}>${skeletonRows(4)}<//>`
  const { label, language } = stored.value
  const mayChange = can((kinds.find((one) => one.kind === kind)?.of ?? 'settings') + '.write')
  const set = (/** @type {string} */ field, /** @type {string} */ text) =>
    editor.change({ .../** @type {Texts} */ (editor.latest()), [field]: text })
  const field = (/** @type {{ field: string, text: string }} */ { field, text }) => {
    const errors = { [field]: editor.errors['texts.' + field] ?? '' }
    const name = `${nameOf(field)} (${t.dynamic('in_' + language)})`
    return html`
      <div class="pair" key=${field}>
        <div>
          <p class="label">${nameOf(field)}</p>
          ${isRich(field)
            ? html`
                <div
                  class="quiet"
                  ref=${(/** @type {Element | null} */ element) =>
                    element?.replaceChildren(sanitize(text))}
                ></div>
              `
            : html`<p class="quiet noted">${text}</p>`}
        </div>
        <div lang=${language}>
          ${isRich(field)
            ? html`
                <${RichText}
                  key=${seed}
                  name=${field}
                  label=${name}
                  value=${draft[field] ?? ''}
                  errors=${errors}
                  disabled=${!mayChange}
                  onChange=${(/** @type {string} */ source) => set(field, source)}
                />
              `
            : html`
                <${isLong(field) ? Area : Field}
                  key=${seed}
                  name=${field}
                  label=${name}
                  errors=${errors}
                  value=${draft[field] ?? ''}
                  disabled=${!mayChange}
                  maxlength=${isLong(field) ? '1000' : '255'}
                  onInput=${(/** @type {any} */ event) => set(field, event.target.value)}
                />
              `}
        </div>
      </div>
    `
  }
  return html`
    <p>
      <a href=${list}>${icon('arrow-left')} ${t('title')}</a>
    </p>
    <section class="card section stack" aria-labelledby="translated">
      <h2 id="translated">${label}</h2>
      ${texts.map(field)}
    </section>
    ${mayChange &&
      editor.bar(html`
        <button type="button" class="button" id="discard" onClick=${editor.discard}>
          ${t('discard')}
        </button>
      `)}
  `
}
