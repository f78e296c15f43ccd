// The sections of a kind of page: their order, and new ones.

import { html, useSignal } from '../html.js'
import { langOf } from '../i18n.js'
import { open, withQuery } from '../router.js'
import { t } from '../strings/site.js'
import { t as words } from '../strings/section.js'
import { Arrange, moved } from './arrange.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { kindName, wordsOf } from './site_parts.js'
import { showToast } from './toast.js'

/** @typedef {import('./site_parts.js').Section} Section */
/** @typedef {import('../api.js').Schemas['Kind']} Kind */

const mostSections = 25

/** The icons of kinds of sections. @type {Record<string, string>} */
const icons = {
  announcement: 'volume-2',
  hero: 'store',
  collection: 'layers',
  products: 'package',
  collections: 'boxes',
  pictureText: 'sticky-note',
  text: 'list',
  gallery: 'camera',
  video: 'monitor',
  questions: 'circle-question-mark',
  testimonials: 'message-circle',
  promises: 'badge-check',
  offer: 'ticket-percent',
  contact: 'phone',
  orderForm: 'inbox',
  productFacts: 'tag',
}

const iconOf = (/** @type {string} */ kind) => icon(icons[kind] ?? 'circle')

/** Names for the rows of sections, which move and change. @type {WeakMap<Section, string>} */
const keys = new WeakMap()

function keyOf(/** @type {Section} */ section) {
  const key = keys.get(section) ?? crypto.randomUUID()
  keys.set(section, key)
  return key
}

/**
 * isOwn: the sections are the design's; hasOwn: it has some.
 * @param {{ sections: Section[], isOwn: boolean, hasOwn: boolean, kinds: Kind[], disabled: boolean,
 *   set: (sections: Section[]) => void, children?: any }} props
 */
export function Sections({ sections, isOwn, hasOwn, kinds, disabled, set, children }) {
  const adding = useSignal(false)
  const rows = sections.map((section) => ({ _id: keyOf(section), section }))
  const title = (/** @type {{ section: Section }} */ { section }) => kindName(section.kind)
  const toggle = (/** @type {number} */ i) => {
    const { hidden, ...shown } = sections[i]
    const next = hidden ? shown : { ...shown, hidden: true }
    keys.set(next, rows[i]._id)
    set(sections.map((section, at) => (at === i ? next : section)))
  }
  return html`
    <section class="card section stack" aria-labelledby="sections-title">
      <h2 id="sections-title">${t('sectionsTitle')}</h2>
      ${children}
      <p class="quiet small">${t(isOwn ? 'ownSections' : 'sectionsText')}</p>
      ${rows.length > 0 && html`
        <${Arrange}
          id="sections"
          items=${rows}
          disabled=${disabled}
          title=${title}
          picture=${(/** @type {{ section: Section }} */ { section }) => html`
            <span class="thumbnail mini">${iconOf(section.kind)}</span>
          `}
          body=${(/** @type {{ section: Section }} */ { section }, /** @type {number} */ i) => html`
            <a class="grow" href=${withQuery({ section: i })} data-section=${i}>
              <b class=${section.hidden ? 'quiet' : ''}>${kindName(section.kind)}</b>
              ${wordsOf(section) && html`
                <span class="small quiet" lang=${langOf(wordsOf(section))}>
                  ${wordsOf(section)}
                </span>
              `}
              ${section.hidden && html`<span class="small quiet">${t('hidden')}</span>`}
            </a>
            ${!disabled && html`
              <button
                type="button"
                class="icon-button hide-button"
                aria-pressed=${section.hidden ? 'true' : 'false'}
                aria-label=${t('hideSection', { name: kindName(section.kind) })}
                onClick=${() => toggle(i)}
              >
                ${icon(section.hidden ? 'eye-off' : 'eye')}
              </button>
            `}
          `}
          move=${(/** @type {number} */ from, /** @type {number} */ at) =>
            set(moved(sections, from, at))}
        />
      `}
      ${!disabled && html`
        <div class="row wraps">
          <button
            type="button"
            class="button"
            id="add-section"
            disabled=${sections.length >= mostSections}
            onClick=${() => {
              adding.value = true
            }}
          >
            ${icon('plus')}
            ${t('addSection')}
          </button>
          ${!isOwn && html`
            <button
              type="button"
              class="button"
              id="own-sections"
              onClick=${() => {
                set([])
                showToast(t(hasOwn ? 'resetDone' : 'allRemoved'), {
                  action: { text: t('undo'), run: () => set(sections) },
                })
              }}
            >
              ${t(hasOwn ? 'reset' : 'removeAll')}
            </button>
          `}
        </div>
      `}
    </section>
    ${adding.value && html`
      <${Dialog}
        title=${t('addSection')}
        id="kinds"
        free
        close=${() => {
          adding.value = false
        }}
      >
        <ul class="options">
          ${kinds.map(({ name }) => html`
            <li>
              <button
                type="button"
                class="option"
                data-kind=${name}
                onClick=${() => {
                  adding.value = false
                  set([...sections, { kind: name }])
                  open(withQuery({ section: sections.length }))
                }}
              >
                ${iconOf(name)}
                <span class="grow">
                  ${kindName(name)}
                  <br />
                  <span class="small quiet">${words.dynamic('kindText_' + name)}</span>
                </span>
              </button>
            </li>
          `)}
        </ul>
      <//>
    `}
  `
}
