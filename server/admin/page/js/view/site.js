// The site of the shop: its design beside a preview, its pages, and redirects from old addresses.

import { html } from '../html.js'
import { route, to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/site.js'
import { DesignView } from '../part/site_design.js'
import { PagesView } from '../part/site_pages.js'
import { RedirectsView } from '../part/site_redirects.js'
import { allowed, Empty } from '../part/states.js'

/** @type {{ id: 'design' | 'pages' | 'redirects', permission: string, part: any }[]} */
const sections = [
  { id: 'design', permission: 'site.read', part: DesignView },
  { id: 'pages', permission: 'settings.read', part: PagesView },
  { id: 'redirects', permission: 'site.read', part: RedirectsView },
]

export function view() {
  const id = route.value.id || 'design'
  const section = sections.find((section) => section.id === id)
  if (!section)
    return html`
      <${Empty}
        screen
        icon="circle-question-mark"
        title=${common('notFound')}
        text=${common('notFoundText')}
      >
        <a class="button" href=${to('site')}>${common('site')}</a>
      <//>
    `
  return allowed(section.permission, () => html`
    <div class=${id === 'design' ? 'stack site' : 'stack site narrow'}>
      <div class="head first">
        <h1 tabindex="-1">${common('site')}</h1>
      </div>
      <nav class="views" aria-label=${t('sections')}>
        ${sections
          .filter(({ permission }) => can(permission))
          .map((section) => html`
            <a
              href=${to('site', section.id === 'design' ? '' : section.id)}
              aria-current=${section.id === id ? 'page' : undefined}
            >
              ${t(section.id)}
            </a>
          `)}
      </nav>
      <${section.part} key=${id} />
    </div>
  `)
}
