// Publishing and discarding the draft, earlier versions, and files of designs.

import { html, useSignal } from '../html.js'
import { dateTime, number } from '../i18n.js'
import { shopUID, withQuery } from '../router.js'
import { t as section } from '../strings/section.js'
import { t } from '../strings/site.js'
import { Dialog } from './dialog.js'
import { fault } from './form.js'
import { icon } from './icon.js'
import { attempt } from './product_change.js'
import { differences, documentOf, kindName, partName } from './site_parts.js'
import { showToast } from './toast.js'

/** @typedef {import('./site_draft.js').Editor} Editor */
/** @typedef {import('./site_parts.js').Document} Document */

/** @param {{ editor: Editor }} props */
export function PublishBar({ editor }) {
  const opened = useSignal(false)
  const busy = useSignal(false)
  const design = editor.design.value
  const draft = editor.draft.value
  if (!design || !draft) return null
  const changes = differences(draft, design.live)
  const state = editor.state.value
  async function publish() {
    if (busy.value) return
    busy.value = true
    await editor.flush()
    if (editor.state.peek() !== 'saved' || editor.conflict.peek())
      showToast(t('notSaved'), { bad: true })
    else if (await attempt(() => editor.act('design/publish'))) showToast(t('published'))
    opened.value = false
    busy.value = false
  }
  function discard() {
    const before = /** @type {Document} */ (draft)
    opened.value = false
    editor.change(/** @type {import('../api.js').Schemas['Design']} */ (design).live)
    showToast(t('discarded'), {
      lasts: 8000,
      action: { text: t('undo'), run: () => editor.change(before) },
    })
  }
  return html`
    <div class="action-bar above-tabs publish-bar">
      <p class="small grow" role="status" id="save-state">
        ${editor.conflict.value
          ? html`
              <span class="tone-bad">${t('disputed')}</span>
              ${' '}
              <button
                type="button"
                class="link"
                onClick=${() => {
                  editor.comparing.value = true
                }}
              >
                ${t('compare')}
              </button>
            `
          : state === 'failed'
            ? html`
                <span class="tone-bad">
                  ${t('notSavedBecause', { text: editor.failure.value })}
                </span>
              `
            : state === 'saving'
              ? t('saving')
              : changes.length > 0
                ? t('savedDraft')
                : t('allPublished')}
      </p>
      <button
        type="button"
        class="button primary big"
        id="publish"
        disabled=${changes.length === 0}
        onClick=${() => {
          opened.value = true
        }}
      >
        ${t('publish')}
      </button>
    </div>
    ${opened.value && html`
      <${Dialog}
        title=${t('publishTitle')}
        text=${t('publishText')}
        id="publish-dialog"
        free
        close=${() => {
          opened.value = false
        }}
      >
        <ul class="row wraps">
          ${changes.map((part) => html`<li class="chip on">${partName(part)}</li>`)}
        </ul>
        <div class="row">
          <button type="button" class="button big" id="discard-design" onClick=${discard}>
            ${t('discard')}
          </button>
          <button
            type="button"
            class="button primary big"
            id="publish-now"
            aria-busy=${busy.value}
            onClick=${publish}
          >
            ${busy.value && icon('loader', 'spin')}
            ${t('publishNow')}
          </button>
        </div>
      <//>
    `}
  `
}

const largest = 1 << 20 // bytes of a file that is read

/** The versions that were published, and the draft as a file. */
export function Versions(
  /** @type {{ editor: Editor, disabled: boolean }} */ { editor, disabled },
) {
  const problem = useSignal('')
  const busy = useSignal(0)
  const { versions, version: live } = /** @type {import('../api.js').Schemas['Design']} */ (
    editor.design.value
  )
  const save = () => {
    const file = new Blob([JSON.stringify(editor.draft.peek(), null, 2)], {
      type: 'application/json',
    })
    const url = URL.createObjectURL(file)
    const link = document.createElement('a')
    link.href = url
    link.download = `design-${shopUID.value}.json`
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  }
  async function choose(/** @type {FieldEvent} */ event) {
    const file = event.target.files?.[0]
    event.target.value = ''
    problem.value = ''
    if (!file) return
    let found = null
    try {
      if (file.size <= largest) found = documentOf(JSON.parse(await file.text()))
    } catch {
      // explained below
    }
    if (!found) {
      problem.value = t('noDesignFile')
      return
    }
    const before = /** @type {Document} */ (editor.draft.peek())
    editor.change(found)
    editor.flush()
    showToast(t('imported'), {
      lasts: 8000,
      action: { text: t('undo'), run: () => editor.change(before) },
    })
  }
  async function restore(/** @type {number} */ version) {
    busy.value = version
    const isDone = await attempt(() => editor.act(`design/versions/${version}/restore`))
    if (isDone) showToast(t('restored', { n: version }))
    busy.value = 0
  }
  return html`
    <details class="card" id="versions">
      <summary class="fold">
        ${icon('clock')}
        <span class="grow">
          ${t('versions')}
          <br />
          <span class="small quiet">
            ${versions.length === 0 ? t('noVersions') : t('liveVersion', { n: live })}
          </span>
        </span>
        ${icon('chevron-down', 'mini')}
      </summary>
      <div class="section stack">
        ${versions.length > 0 && html`
          <ul class="versions">
            ${versions.map(({ version, publishedAt, publishedBy }) => html`
              <li class="row spread" key=${version}>
                <span>
                  ${t('version', { n: version })}
                  <br />
                  <span class="small quiet">
                    ${[dateTime(publishedAt), publishedBy].filter(Boolean).join(' · ')}
                  </span>
                </span>
                ${version === live
                  ? html`<span class="status-pill tone-good">${t('live')}</span>`
                  : !disabled && html`
                      <button
                        type="button"
                        class="button mini"
                        aria-label=${t('restoreOne', { n: version })}
                        aria-busy=${busy.value === version}
                        onClick=${() => restore(version)}
                      >
                        ${t('restore')}
                      </button>
                    `}
              </li>
            `)}
          </ul>
          <p class="hint">${t('restoreText')}</p>
        `}
        <div class="row wraps">
          <button type="button" class="button" id="export-design" onClick=${save}>
            ${icon('download')}
            ${t('exportDesign')}
          </button>
          ${!disabled && html`
            <label class="button file">
              <input
                type="file"
                class="visually-hidden"
                id="import-design"
                accept=".json,application/json"
                onChange=${choose}
              />
              ${icon('file-up')}
              ${t('importDesign')}
            </label>
          `}
        </div>
        ${fault(problem.value)}
      </div>
    </details>
  `
}
