// The shop's own pages, such as about it, and its legal texts: each with its text, and in the order
// of the foot of the site.

import { html } from '../html.js'
import { langOf } from '../i18n.js'
import { can } from '../session.js'
import { t as inherits } from '../strings/defaults.js'
import { t } from '../strings/site.js'
import { moved } from './arrange.js'
import { useOperatorName } from './branding.js'
import { Field } from './form.js'
import { icon } from './icon.js'
import { RichText } from './rich_text.js'
import { SettingCard, useSettings } from './setting_card.js'
import { skeletonRows, Failed, Skeleton } from './states.js'

/** @typedef {{ slug: string, title: string, bodyHtml: string }} Page */
/** @typedef {{ pages: (Page & { key: string })[] }} Draft */

const mostPages = 50

/** @typedef {'pages' | 'legalPolicies'} List the setting that has the texts */

const lists = /** @type {const} */ ({
  pages: {
    id: 'page',
    path: '/pages/',
    title: () => t('pages'),
    text: () => t('pagesText'),
    none: () => t('noPages'),
    add: () => t('addPage'),
  },
  legalPolicies: {
    id: 'policy',
    path: '/policies/',
    title: () => inherits('policies'),
    text: () => inherits('ownPoliciesText'),
    none: () => inherits('none'),
    add: () => inherits('newPolicy'),
  },
})

export function PagesView() {
  const { loaded, problem, reload, retry } = useSettings()
  if (!loaded)
    return problem
      ? html`<${Failed} problem=${problem} retry=${retry} />`
      : html`<${Skeleton}>${skeletonRows(3)}<//>`
  return html`
    <${Texts} list="pages" loaded=${loaded} reload=${reload} />
    <${Texts} list="legalPolicies" loaded=${loaded} reload=${reload} />
  `
}

/** @param {{ list: List, loaded: any, reload: () => Promise<any> }} props */
function Texts({ list, loaded, reload }) {
  return html`
    <${SettingCard}
      loaded=${loaded}
      reload=${reload}
      id=${'set-' + list}
      title=${lists[list].title()}
      text=${lists[list].text()}
      fields=${fieldNames(list)}
      draftOf=${draftOf(list)}
      bodyOf=${(/** @type {Draft} */ d) => ({ [list]: d.pages.map(({ key, ...page }) => page) })}
      lines=${(/** @type {Draft} */ d) =>
        d.pages.map((page) => [page.title || page.slug, textOf(page.bodyHtml)])}
      form=${form(list, loaded.settings)}
    />
  `
}

const fieldNames = (/** @type {List} */ list) =>
  Array.from({ length: mostPages }, (_, i) =>
    ['title', 'slug', 'bodyHtml'].map((name) => `${list}[${i}].${name}`),
  ).flat()

/** @returns {(settings: any) => Draft} */
const draftOf = (/** @type {List} */ list) => (/** @type {any} */ settings) => ({
  pages: settings[list].map((/** @type {Page} */ page, /** @type {number} */ i) => ({
    slug: page.slug,
    title: page.title,
    bodyHtml: page.bodyHtml,
    key: list + i,
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

const form =
  (/** @type {List} */ list, /** @type {any} */ settings) =>
  (
    /** @type {Draft} */ d,
    /** @type {(to: Partial<Draft>) => void} */ change,
    /** @type {Record<string, string>} */ errors,
  ) => {
    const set = (/** @type {number} */ i, /** @type {Partial<Page>} */ to) =>
      change({ pages: d.pages.map((page, at) => (at === i ? { ...page, ...to } : page)) })
    const isOpen = (/** @type {string} */ key, /** @type {number} */ i) => {
      if (Object.keys(errors).some((name) => name.startsWith(`${list}[${i}]`))) opened.add(key)
      return opened.has(key)
    }
    const mayChange = can('settings.write')
    return html`
      ${list === 'legalPolicies' && html`
        <${InheritedPolicies}
          settings=${settings}
          slugs=${d.pages.map((page) => page.slug)}
          use=${mayChange &&
            ((/** @type {Page} */ page) =>
              change({ pages: [...d.pages, { ...page, key: newKey() }] }))}
        />
      `}
      ${d.pages.length === 0 && html`<p class="quiet">${lists[list].none()}</p>`}
      ${d.pages.map((page, i) => html`
        <details class="page-entry" key=${page.key} open=${isOpen(page.key, i)}>
          <summary class="fold inset">
            <span class="grow">
              <b lang=${langOf(page.title)}>${page.title || t('newPage')}</b>
              ${page.slug && html`
                <br />
                <span class="small quiet">${lists[list].path + page.slug}</span>
              `}
            </span>
            ${icon('chevron-down', 'mini')}
          </summary>
          <div class="stack">
            <${Field}
              name=${`${list}[${i}].title`}
              label=${t('pageTitle')}
              errors=${errors}
              value=${page.title}
              maxlength="120"
              autocomplete="off"
              onInput=${(/** @type {FieldEvent} */ event) => set(i, { title: event.target.value })}
            />
            <${Field}
              name=${`${list}[${i}].slug`}
              label=${t('slug')}
              hint=${t('slugHint')}
              errors=${errors}
              value=${page.slug}
              prefix=${lists[list].path}
              maxlength="120"
              autocomplete="off"
              autocapitalize="none"
              onInput=${(/** @type {FieldEvent} */ event) =>
                set(i, { slug: event.target.value.trim() })}
            />
            <${RichText}
              key=${page.key}
              name=${`${list}[${i}].bodyHtml`}
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
          id=${'add-' + lists[list].id}
          onClick=${() =>
            change({
              pages: [...d.pages, { slug: '', title: '', bodyHtml: '', key: newKey() }],
            })}
        >
          ${icon('plus')}
          ${lists[list].add()}
        </button>
      `}
    `
  }

/**
 * The policies from the operator of the server, which the site shows.
 * @param {{ settings: any, slugs: string[], use: false | ((page: Page) => void) }} props
 */
function InheritedPolicies({ settings, slugs, use }) {
  const name = useOperatorName()
  const isLocked = settings.defaults?.locked.includes('policies')
  const shown = (settings.defaults?.policies ?? []).filter(
    (/** @type {any} */ policy) => isLocked || !slugs.includes(policy.slug),
  )
  const first = settings.locale.startsWith('bn') ? 'bn' : 'en'
  const textIn = (/** @type {any} */ policy) =>
    policy[first].title ? policy[first] : policy[first === 'bn' ? 'en' : 'bn']
  return shown.map((/** @type {any} */ policy) => html`
    <div class="row spread wraps" key=${policy.slug} id=${'inherited-' + policy.slug}>
      <span>
        <b lang=${langOf(textIn(policy).title)}>${textIn(policy).title}</b>
        <br />
        <span class="small quiet">${inherits(isLocked ? 'lockedBy' : 'fromServer', { name })}</span>
      </span>
      ${use && !isLocked && html`
        <button
          type="button"
          class="button mini"
          onClick=${() => use({ slug: policy.slug, ...textIn(policy) })}
        >
          ${inherits('useOwn')}
        </button>
      `}
    </div>
  `)
}
