// The design of the site: its look and the sections of its pages, beside a preview of the draft.

import { html } from '../html.js'
import { useGet } from '../resource.js'
import { route } from '../router.js'
import { can, session } from '../session.js'
import { Conflict } from './conflict.js'
import { useDesign } from './site_draft.js'
import { Look } from './site_look.js'
import { differences, merge, parts, templates } from './site_parts.js'
import { Preview } from './site_preview.js'
import { Faults, PublishBar, Versions } from './site_publish.js'
import { SectionForm } from './site_section.js'
import { Sections } from './site_sections.js'
import { skeletonRows, Failed, Skeleton } from './states.js'

/** @typedef {import('./site_parts.js').Document} Document */
/** @typedef {import('./site_parts.js').Section} Section */
/** @typedef {import('./site_parts.js').Template} Template */
/** @typedef {'en' | 'bn'} Language */

/** Returns the languages of the site, the first one first. */
function useLanguages() {
  const { data } = useGet(can('settings.read') ? 'settings' : null)
  const of = (/** @type {string} */ locale) => (locale.startsWith('bn') ? 'bn' : 'en')
  const first = of(data?.locale ?? session.value?.shop.locale ?? 'en')
  const second = data?.secondLocale ? of(data.secondLocale) : first
  return /** @type {Language[]} */ (second === first ? [first] : [first, second])
}

export function DesignView() {
  const editor = useDesign()
  const kinds = useGet('design/sections')
  const languages = useLanguages()
  const design = editor.design.value
  const draft = editor.draft.value
  const problem = editor.problem.value ?? (kinds.data ? null : kinds.problem)
  const retry = () => {
    editor.load()
    kinds.reload()
  }
  if (problem && (!design || !kinds.data))
    return html`<${Failed} problem=${problem} retry=${retry} />`
  if (!design || !draft || !kinds.data) return html`<${Skeleton}>${skeletonRows(5)}<//>`
  const { query } = route.value
  const template = /** @type {Template} */ (
    templates.find((name) => name === query.get('template')) ?? 'home'
  )
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
        <${Faults} errors=${editor.errors.value} draft=${draft} />
        ${edited
          ? html`
              <${SectionForm}
                key=${template + at}
                kinds=${kinds.data.nodes}
                section=${edited}
                path=${`templates.${template}[${at}]`}
                languages=${languages}
                errors=${editor.errors}
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
                designs=${design.designs}
                disabled=${!mayChange}
                change=${change}
              />
              <${Sections}
                template=${template}
                sections=${sections}
                isOwn=${isOwn}
                kinds=${kinds.data.nodes.filter(
                  (/** @type {{ landing: boolean }} */ kind) => !kind.landing,
                )}
                disabled=${!mayChange}
                set=${setSections}
              />
              <${Versions} editor=${editor} disabled=${!mayChange} />
            `}
      </div>
      <${Preview} template=${template} turn=${editor.saves.value} />
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
