// The design of the site: its look and the sections of its pages, beside a preview of the draft.

import { html } from '../html.js'
import { useGet } from '../resource.js'
import { open, route, withQuery } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/site.js'
import { Conflict } from './conflict.js'
import { Choice } from './setting_card.js'
import { useDesign } from './site_draft.js'
import { Faults } from './site_faults.js'
import { Look } from './site_look.js'
import { differences, merge, parts, templates } from './site_parts.js'
import { Preview, usePageOf } from './site_preview.js'
import { PublishBar, Versions } from './site_publish.js'
import { SectionForm } from './site_section.js'
import { Sections } from './site_sections.js'
import { useLanguages } from './site_texts.js'
import { skeletonRows, Failed, Skeleton } from './states.js'

/** @typedef {import('./site_parts.js').Document} Document */
/** @typedef {import('./site_parts.js').Section} Section */
/** @typedef {import('./site_parts.js').Template} Template */

export function DesignView() {
  const editor = useDesign()
  const kinds = useGet('design/sections')
  const languages = useLanguages()
  const design = editor.design.value
  const draft = editor.draft.value
  const { query } = route.value
  const template = /** @type {Template} */ (
    templates.find((name) => name === query.get('template')) ?? 'home'
  )
  const page = usePageOf(template)
  const problem = editor.problem.value ?? (kinds.data ? null : kinds.problem)
  const retry = () => {
    editor.load()
    kinds.reload()
  }
  if (problem && (!design || !kinds.data))
    return html`<${Failed} problem=${problem} retry=${retry} />`
  if (!design || !draft || !kinds.data) return html`<${Skeleton}>${skeletonRows(5)}<//>`
  const mayChange = can('site.write')
  const { change } = editor
  const own = design.designs.find((one) => one.design === draft.design) ?? design.designs[0]
  /** @type {Section[]} */
  const stored = draft.templates[template] ?? []
  const isOwn = stored.length === 0
  const sections = isOwn ? /** @type {Section[]} */ (own.templates[template] ?? []) : stored
  const setSections = (/** @type {Section[]} */ next) => {
    const now = editor.draft.peek() ?? draft // undoing is later than other changes
    const { [template]: _, ...others } = now.templates
    change({ ...now, templates: next.length > 0 ? { ...others, [template]: next } : others })
  }
  const at = query.has('section') ? Number(query.get('section')) : -1
  const edited = sections[at]
  return html`
    <div class="design">
      <div class="stack design-form">
        <${Faults} errors=${editor.errors.value} templates=${draft.templates} />
        ${edited
          ? html`
              <${SectionForm}
                key=${template + at}
                kinds=${kinds.data.nodes}
                section=${edited}
                path=${`templates.${template}[${at}]`}
                languages=${languages}
                errors=${editor.errors.value}
                disabled=${!mayChange}
                change=${(/** @type {Section} */ section) =>
                  setSections(sections.map((other, i) => (i === at ? section : other)))}
                remove=${() => {
                  setSections(sections.filter((_, i) => i !== at))
                  return () => setSections(sections)
                }}
              />
            `
          : html`
              <${Look}
                draft=${draft}
                own=${own}
                design=${design}
                mayChange=${mayChange}
                change=${change}
              />
              <${Sections}
                sections=${sections}
                isOwn=${isOwn}
                hasOwn=${(own.templates[template] ?? []).length > 0}
                kinds=${kinds.data.nodes.filter(
                  (/** @type {{ landing: boolean }} */ kind) =>
                    template === 'landing' || !kind.landing,
                )}
                disabled=${!mayChange}
                set=${setSections}
              >
                <${Choice}
                  id="template"
                  label=${t('kindOfPage')}
                  value=${template}
                  choices=${templates.map((name) => [name, t.dynamic('part_' + name)])}
                  onChange=${(/** @type {string} */ name) =>
                    open(withQuery({ template: name === 'home' ? null : name }), {
                      replace: true,
                    })}
                />
              <//>
              <${Versions} editor=${editor} disabled=${!mayChange} />
            `}
      </div>
      <${Preview} path=${page} turn=${editor.saves.value} />
    </div>
    ${mayChange && html`<${PublishBar} editor=${editor} />`}
    ${editor.conflict.value && editor.comparing.value && html`
      <${Conflict}
        ...${editor.conflict.value}
        mine=${draft}
        parts=${parts}
        differences=${differences}
        merge=${merge}
        save=${editor.resolve}
        close=${() => {
          editor.comparing.value = false
        }}
      />
    `}
  `
}
