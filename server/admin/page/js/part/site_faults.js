// What the server refuses in sections, each with the way to its section.

import { html } from '../html.js'
import { number } from '../i18n.js'
import { withQuery } from '../router.js'
import { t as section } from '../strings/section.js'
import { t } from '../strings/site.js'
import { icon } from './icon.js'
import { kindName, partName } from './site_parts.js'

/**
 * @param {{ errors: Record<string, string>, templates: Record<string, { kind: string }[]> }} props
 *   templates: the sections by template; that of a landing page is ''
 */
export function Faults({ errors, templates }) {
  const all = Object.entries(errors).filter(([, text]) => text)
  if (all.length === 0) return null
  return html`
    <div class="banner bad rounded" role="alert" tabindex="-1" id="design-faults">
      ${icon('circle-alert')}
      <div class="grow">
        <b>${t('notSaved')}</b>
        <ul class="small">
          ${all.map(([field, text]) => {
            const [, template = '', i, rest = ''] =
              /^(?:templates\.(\w+)|sections)\[(\d+)\]\.?(.*)$/.exec(field) ?? []
            if (!i)
              return html`<li>${text} ${field && html`<span class="mono">${field}</span>`}</li>`
            const kind = templates[template]?.[Number(i)]?.kind ?? ''
            const names = (rest.match(/[a-zA-Z]+/g) ?? []).filter((name) => name !== 'settings')
            return html`
              <li>
                <a
                  class="link"
                  href=${withQuery({ template: template === 'home' ? '' : template, section: i })}
                >
                  ${[
                    template && partName(template),
                    `${number(Number(i) + 1)}. ${kindName(kind)}`,
                    ...names.slice(0, 1).map((name) => section.dynamic('field_' + name)),
                  ]
                    .filter(Boolean)
                    .join(', ')}
                </a>
                ${' '}
                ${text}
              </li>
            `
          })}
        </ul>
      </div>
    </div>
  `
}
