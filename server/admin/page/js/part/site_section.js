// The form of one section, from the fields of its kind.

import { html, useEffect } from '../html.js'
import { goBack, withQuery } from '../router.js'
import { t } from '../strings/site.js'
import { t as words } from '../strings/section.js'
import { icon } from './icon.js'
import { Fields } from './site_fields.js'
import { kindName } from './site_parts.js'
import { showToast } from './toast.js'

/** @typedef {import('./site_parts.js').Section} Section */
/** @typedef {import('../api.js').Schemas['Kind']} Kind */

/**
 * remove returns what undoes it.
 * @param {{ kinds: Kind[], section: Section, path: string, languages: ('en' | 'bn')[], errors:
 *   Record<string, string>, disabled: boolean, change: (section: Section) => void, remove: () => ()
 *   => void }} props
 */
export function SectionForm({ kinds, section, path, languages, errors, disabled, change, remove }) {
  const kind = kinds.find(({ name }) => name === section.kind)
  const list = withQuery({ section: null })
  useEffect(() => {
    scrollTo(0, 0)
    document.getElementById('section-title')?.focus()
  }, [])
  const name = kindName(section.kind)
  return html`
    <section class="card section stack" id="section" aria-labelledby="section-title">
      <div class="row">
        <a
          class="icon-button"
          aria-label=${t('allSections')}
          href=${list}
          onClick=${(/** @type {Event} */ event) => {
            event.preventDefault()
            goBack(list)
          }}
        >
          ${icon('arrow-left')}
        </a>
        <div class="grow">
          <h2 id="section-title" tabindex="-1">${name}</h2>
          <p class="quiet small">${words.dynamic('kindText_' + section.kind)}</p>
        </div>
      </div>
      ${kind
        ? html`
            <fieldset class="stack" disabled=${disabled}>
              <legend class="visually-hidden">${name}</legend>
              <${Fields}
                fields=${kind.fields}
                value=${section.settings ?? {}}
                path=${path + '.settings'}
                languages=${languages}
                errors=${errors}
                change=${(/** @type {any} */ settings) => change({ ...section, settings })}
              />
            </fieldset>
          `
        : html`<p class="banner rounded">${t('unknownKind', { name: section.kind })}</p>`}
      ${!disabled && html`
        <label class="row choice">
          <input
            type="checkbox"
            class="checkbox"
            id="hide-section"
            checked=${Boolean(section.hidden)}
            onChange=${(/** @type {FieldEvent} */ event) =>
              change({ ...section, hidden: event.target.checked || undefined })}
          />
          <span class="grow">${t('hide')}</span>
        </label>
      `}
      <div class="row wraps">
        <a
          class="button"
          id="section-done"
          href=${list}
          onClick=${(/** @type {Event} */ event) => {
            event.preventDefault()
            goBack(list)
          }}
        >
          ${icon('check')}
          ${t('done')}
        </a>
        ${!disabled && html`
          <button
            type="button"
            class="button bad"
            id="remove-section"
            onClick=${() => {
              const undo = remove()
              goBack(list)
              showToast(t('sectionRemoved', { name }), {
                lasts: 8000,
                action: { text: t('undo'), run: undo },
              })
            }}
          >
            ${icon('trash')}
            ${t('removeSection')}
          </button>
        `}
      </div>
    </section>
  `
}
