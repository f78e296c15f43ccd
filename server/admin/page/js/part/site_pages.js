// The shop's own pages, such as about it: each with its text, and in the order of the foot of the
// site.

import { html } from '../html.js'
import { langOf } from '../i18n.js'
import { can } from '../session.js'
import { t } from '../strings/site.js'
import { moved } from './arrange.js'
import { Field } from './form.js'
import { icon } from './icon.js'
import { RichText } from './rich_text.js'
import { SettingCard, useSettings } from './setting_card.js'
import { skeletonRows, Failed, Skeleton } from './states.js'

/** @typedef {{ slug: string, title: string, bodyHtml: string }} Page */
/** @typedef {{ pages: (Page & { key: string })[] }} Draft */

const mostPages = 50

export function PagesView() {
  const { loaded, problem, reload, retry } = useSettings()
  if (!loaded)
    return problem
      ? html`<${Failed} problem=${problem} retry=${retry} />`
      : html`<${Skeleton}>${skeletonRows(3)}<//>`
  return html`
    <${SettingCard}
      loaded=${loaded}
      reload=${reload}
      id="set-pages"
      title=${t('pages')}
      text=${t('pagesText')}
      fields=${fieldNames}
      draftOf=${draftOf}
      bodyOf=${(/** @type {Draft} */ d) => ({ pages: d.pages.map(({ key, ...page }) => page) })}
      lines=${(/** @type {Draft} */ d) =>
        d.pages.map((page) => [page.title || page.slug, textOf(page.bodyHtml)])}
      form=${form}
    />
  `
}

const fieldNames = Array.from({ length: mostPages }, (_, i) =>
  ['title', 'slug', 'bodyHtml'].map((name) => `pages[${i}].${name}`),
).flat()

/** @returns {Draft} */
const draftOf = (/** @type {any} */ settings) => ({
  pages: settings.pages.map((/** @type {Page} */ page, /** @type {number} */ i) => ({
    slug: page.slug,
    title: page.title,
    bodyHtml: page.bodyHtml,
    key: String(i),
  })),
})

const textOf = (/** @type {string} */ source) =>
  source
    .replace(/<[^>]*>/g, ' ')
    .trim()
    .slice(0, 200)

/** The pages that were added or had a fault: they stay open. @type {Set<string>} */
const opened = new Set()

/** Returns the name of a new page in the form. */
function newKey() {
  const key = crypto.randomUUID()
  opened.add(key)
  return key
}

const form = (
  /** @type {Draft} */ d,
  /** @type {(to: Partial<Draft>) => void} */ change,
  /** @type {Record<string, string>} */ errors,
) => {
  const set = (/** @type {number} */ i, /** @type {Partial<Page>} */ to) =>
    change({ pages: d.pages.map((page, at) => (at === i ? { ...page, ...to } : page)) })
  const isOpen = (/** @type {string} */ key, /** @type {number} */ i) => {
    if (Object.keys(errors).some((name) => name.startsWith(`pages[${i}]`))) opened.add(key)
    return opened.has(key)
  }
  const mayChange = can('settings.write')
  return html`
    ${d.pages.length === 0 && html`<p class="quiet">${t('noPages')}</p>`}
    ${d.pages.map((page, i) => html`
      <details class="page-entry" key=${page.key} open=${isOpen(page.key, i)}>
        <summary class="fold inset">
          <span class="grow">
            <b lang=${langOf(page.title)}>${page.title || t('newPage')}</b>
            ${page.slug && html`
              <br />
              <span class="small quiet">/pages/${page.slug}</span>
            `}
          </span>
          ${icon('chevron-down', 'mini')}
        </summary>
        <div class="stack">
          <${Field}
            name=${`pages[${i}].title`}
            label=${t('pageTitle')}
            errors=${errors}
            value=${page.title}
            maxlength="120"
            autocomplete="off"
            onInput=${(/** @type {FieldEvent} */ event) => set(i, { title: event.target.value })}
          />
          <${Field}
            name=${`pages[${i}].slug`}
            label=${t('slug')}
            hint=${t('slugHint')}
            errors=${errors}
            value=${page.slug}
            prefix="/pages/"
            maxlength="120"
            autocomplete="off"
            autocapitalize="none"
            onInput=${(/** @type {FieldEvent} */ event) =>
              set(i, { slug: event.target.value.trim() })}
          />
          <${RichText}
            key=${page.key}
            name=${`pages[${i}].bodyHtml`}
            label=${t('pageBody')}
            value=${page.bodyHtml}
            errors=${errors}
            disabled=${!mayChange}
            onChange=${(/** @type {string} */ bodyHtml) => set(i, { bodyHtml })}
          />
          ${mayChange && html`
            <div class="row wraps">
              <button
                type="button"
                class="button"
                disabled=${i === 0}
                onClick=${() => change({ pages: moved(d.pages, i, i - 1) })}
              >
                ${icon('chevron-up')}
                ${t('earlier')}
              </button>
              <button
                type="button"
                class="button bad"
                onClick=${() => change({ pages: d.pages.filter((_, at) => at !== i) })}
              >
                ${icon('trash')}
                ${t('removePage')}
              </button>
            </div>
          `}
        </div>
      </details>
    `)}
    ${mayChange && d.pages.length < mostPages && html`
      <button
        type="button"
        class="button add-entry"
        id="add-page"
        onClick=${() =>
          change({
            pages: [...d.pages, { slug: '', title: '', bodyHtml: '', key: newKey() }],
          })}
      >
        ${icon('plus')}
        ${t('addPage')}
      </button>
    `}
  `
}
