// A screen of several parts, each at an address of its own: the first one at that of the screen.

import { html } from '../html.js'
import { useCurrentInSight } from '../place.js'
import { route, to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { allowed, NotFound } from './states.js'

/**
 * title: its name in the navigation; part: what shows it, with the rest of the address as id.
 * @typedef {{ id: string, title: () => string, permission: string, part: any, wide?: boolean }}
 *   Part
 */

/**
 * @param {{ view: string, label: string, parts: Part[], after?: any }} props view: that of the
 *   addresses
 */
export function Parts({ view, label, parts, after }) {
  const shown = parts.filter((part) => can(part.permission))
  const [id, ...rest] = (route.value.id || (shown[0] ?? parts[0]).id).split('/')
  const current = parts.find((part) => part.id === id)
  const title = common.dynamic(view)
  const names = useCurrentInSight([id])
  if (!current) return html`<${NotFound} name=${title} address=${to(view)} />`
  return allowed(current.permission, () => html`
    <div class=${`stack ${view} ${current.wide ? '' : 'narrow'}`}>
      <div class="head first">
        <h1 tabindex="-1">${title}</h1>
      </div>
      <nav class="views" aria-label=${label} ref=${names}>
        ${shown.map((part) => html`
          <a
            href=${to(view, part === parts[0] ? '' : part.id)}
            aria-current=${part.id === id ? 'page' : undefined}
          >
            ${part.title()}
          </a>
        `)}
      </nav>
      <${current.part} key=${route.value.id} id=${rest.join('/')} />
      ${after}
    </div>
  `)
}
