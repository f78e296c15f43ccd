// One landing page: its product, its texts and its sections, beside a preview of it as it is saved.

import { html, useSignal } from '../html.js'
import { act, Problem, send } from '../api.js'
import { landingDraftOf } from '../device.js'
import { langOf } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { open, route, shopUID, to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/site.js'
import { icon } from './icon.js'
import { attempt } from './product_change.js'
import { titleOf } from './product_pick.js'
import { useRecordDraft } from './record_draft.js'
import { Faults } from './site_faults.js'
import { canonical, plainSection, sectionWords, textIn } from './site_parts.js'
import { landingPath, Preview } from './site_preview.js'
import { Records } from './site_records.js'
import { SectionForm } from './site_section.js'
import { Sections } from './site_sections.js'
import { BothTexts, useLanguages } from './site_texts.js'
import { skeletonRows, Failed, Skeleton } from './states.js'
import { copy, showToast } from './toast.js'

/** @typedef {import('./site_parts.js').Section} Section */
/**
 * @typedef {{ title: any, description: any, products: string[], visible: boolean,
 *   sections: Section[] }} Draft
 */

/** @type {Record<keyof Draft, { label: () => string, show: (d: Draft) => string }>} */
const parts = {
  title: { label: () => t('headline'), show: (d) => textIn(d.title) },
  description: { label: () => t('searchText'), show: (d) => textIn(d.description) },
  products: { label: () => t('landingProducts'), show: (d) => d.products.map(titleOf).join(', ') },
  visible: { label: () => t('visible'), show: (d) => t(d.visible ? 'shown' : 'hidden') },
  sections: { label: () => t('sectionsTitle'), show: (d) => sectionWords(d.sections) },
}

const names = /** @type {(keyof Draft)[]} */ (Object.keys(parts))

/** @type {import('./conflict.js').Compared<Draft>} */
const compared = {
  parts,
  differences: (a, b) => names.filter((name) => canonical(a[name]) !== canonical(b[name])),
  merge: (draft, other, chosen) => ({
    ...draft,
    ...Object.fromEntries(chosen.map((part) => [part, other[/** @type {keyof Draft} */ (part)]])),
  }),
}

/** @returns {Draft} */
const draftOf = (/** @type {any} */ { title, description, products, visible, sections }) => ({
  title,
  description,
  products,
  visible,
  sections: sections.map(plainSection),
})

const pathOf = (/** @type {string} */ slug) => 'landing-pages/' + encodeURIComponent(slug)

const bodyOf = (/** @type {string} */ slug, /** @type {Draft} */ draft) => ({ slug, ...draft })

/** @param {{ slug: string }} props */
export function LandingPageView({ slug }) {
  const url = useSignal('')
  const editor = useRecordDraft({
    name: landingDraftOf(shopUID.value, slug),
    gone: t('landingGone'),
    compared,
    read: async () => {
      try {
        const { data, etag } = await send('GET', pathOf(slug))
        url.value = data.url
        return { draft: draftOf(data), etag }
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return null
        throw error
      }
    },
    write: (/** @type {Draft} */ draft, ifMatch, key) =>
      act('landing-pages', bodyOf(slug, draft), {
        method: 'PUT',
        ifMatch,
        key,
        label: textIn(draft.title),
      }),
  })
  const kinds = useGet('design/sections')
  const design = useGet('design')
  const languages = useLanguages()
  const { draft, stored, errors, change } = editor
  const problem = editor.problem ?? kinds.problem ?? design.problem
  if (!draft || !stored || !kinds.data || !design.data) {
    const retry = () => {
      editor.load()
      kinds.reload()
      design.reload()
    }
    return problem
      ? html`<${Failed} problem=${problem} retry=${retry} />`
      : html`<${Skeleton}>${skeletonRows(5)}<//>`
  }
  const mayChange = can('site.write')
  const { live, designs } = design.data
  const own = designs.find((/** @type {any} */ one) => one.design === live.design) ?? designs[0]
  const isOwn = draft.sections.length === 0
  /** @type {Section[]} */
  const sections = isOwn ? (live.templates.landing ?? own.templates.landing ?? []) : draft.sections
  const set = (/** @type {Partial<Draft>} */ to) =>
    change({ .../** @type {Draft} */ (editor.latest()), ...to })
  const { query } = route.value
  const at = query.has('section') ? Number(query.get('section')) : -1
  const edited = sections[at]
  const remove = () =>
    attempt(async () => {
      const options = { method: 'DELETE', ifMatch: editor.etag, label: textIn(stored.title) }
      try {
        await act(pathOf(slug), {}, options)
      } catch (error) {
        await editor.load() // perhaps somebody has changed it
        throw error
      }
      editor.discard()
      changed()
      open(to('site', 'landing'), { replace: true })
      showToast(t('landingDeleted', { title: textIn(stored.title) }), {
        lasts: 8000,
        action: {
          text: common('undo'),
          run: () =>
            attempt(async () => {
              const options = { method: 'PUT', query: { create: true } }
              await act('landing-pages', bodyOf(slug, stored), options)
              changed()
            }),
        },
      })
    })
  return html`
    <div class="design">
      <div class="stack design-form">
        <${Faults} errors=${errors} templates=${{ '': sections }} />
        ${edited
          ? html`
              <${SectionForm}
                key=${at + ' ' + editor.seed}
                kinds=${kinds.data.nodes}
                section=${edited}
                path=${`sections[${at}]`}
                languages=${languages}
                errors=${errors}
                disabled=${!mayChange}
                change=${(/** @type {Section} */ section) =>
                  set({ sections: sections.map((other, i) => (i === at ? section : other)) })}
                remove=${() => {
                  set({ sections: sections.filter((_, i) => i !== at) })
                  return () => set({ sections })
                }}
              />
            `
          : html`
              <div class="row">
                <a
                  class="icon-button"
                  data-back
                  aria-label=${t('landing')}
                  href=${to('site', 'landing')}
                >
                  ${icon('arrow-left')}
                </a>
                <h2 class="grow" lang=${langOf(textIn(stored.title))}>${textIn(stored.title)}</h2>
              </div>
              <fieldset
                class="card section stack"
                id="landing-page"
                key=${editor.seed}
                disabled=${!mayChange}
              >
                <legend class="visually-hidden">${t('landingPage')}</legend>
                <label class="row choice">
                  <input
                    type="checkbox"
                    class="checkbox"
                    id="visible"
                    checked=${draft.visible}
                    onChange=${(/** @type {FieldEvent} */ event) =>
                      set({ visible: event.target.checked })}
                  />
                  <span class="grow">
                    ${t('visible')}
                    <br />
                    <span class="small quiet">${t('visibleText')}</span>
                  </span>
                </label>
                <div class="field">
                  <span class="label">${t('slug')}</span>
                  <div class="row spread">
                    <span class="mono small grow address">${url.value || '/l/' + slug}</span>
                    ${url.value && html`
                      <button
                        type="button"
                        class="button"
                        id="copy-address"
                        onClick=${() => copy(url.value)}
                      >
                        ${icon('copy')}
                        ${common('copy')}
                      </button>
                    `}
                  </div>
                  <p class="hint">${t(url.value ? 'addressText' : 'noSite')}</p>
                </div>
                <${Records}
                  id="products"
                  kind="product"
                  label=${t('landingProducts')}
                  text=${t('landingSet')}
                  values=${draft.products}
                  most=${6}
                  error=${Object.entries(errors).find(([field]) =>
                    field.startsWith('products'),
                  )?.[1]}
                  change=${(/** @type {string[]} */ products) => set({ products })}
                />
                <${BothTexts}
                  label=${t('headline')}
                  max=${120}
                  value=${draft.title}
                  path="title"
                  languages=${languages}
                  errors=${errors}
                  change=${(/** @type {any} */ title) => set({ title })}
                />
                <${BothTexts}
                  label=${t('searchText')}
                  max=${300}
                  value=${draft.description}
                  path="description"
                  languages=${languages}
                  errors=${errors}
                  change=${(/** @type {any} */ description) => set({ description })}
                />
              </fieldset>
              <${Sections}
                sections=${sections}
                isOwn=${isOwn}
                hasOwn
                kinds=${kinds.data.nodes}
                disabled=${!mayChange}
                set=${(/** @type {Section[]} */ next) => set({ sections: next })}
              />
              ${mayChange && html`
                <div>
                  <button type="button" class="button bad" id="delete-landing" onClick=${remove}>
                    ${icon('trash')}
                    ${t('deleteLanding')}
                  </button>
                </div>
              `}
            `}
      </div>
      <${Preview} path=${landingPath(slug)} turn=${editor.saves} />
    </div>
    ${mayChange &&
      editor.bar(html`
        <button type="button" class="button" id="discard" onClick=${editor.discard}>
          ${t('discard')}
        </button>
      `)}
  `
}
