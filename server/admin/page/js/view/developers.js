// For those who connect other systems: API keys, the shop's webhooks, and those of its providers.

import { html } from '../html.js'
import { route, to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/developers.js'
import { Endpoints, EndpointView } from '../part/developer_endpoints.js'
import { Keys } from '../part/developer_keys.js'
import { Received } from '../part/developer_received.js'
import { icon } from '../part/icon.js'
import { allowed, Empty } from '../part/states.js'

/** @type {{ id: 'keys' | 'webhooks' | 'received', permission: string, part: any }[]} */
const parts = [
  { id: 'keys', permission: 'keys.write', part: Keys },
  { id: 'webhooks', permission: 'keys.write', part: Endpoints },
  { id: 'received', permission: 'providers.read', part: Received },
]

export function view() {
  const shown = parts.filter((part) => can(part.permission))
  const [id, rest] = (route.value.id || (shown[0]?.id ?? 'keys')).split('/')
  const part = parts.find((part) => part.id === id)
  if (!part)
    return html`
      <${Empty}
        screen
        icon="circle-question-mark"
        title=${common('notFound')}
        text=${common('notFoundText')}
      >
        <a class="button" href=${to('developers')}>${common('developers')}</a>
      <//>
    `
  return allowed(part.permission, () => html`
    <div class="stack narrow developers">
      <div class="head first">
        <h1 tabindex="-1">${common('developers')}</h1>
      </div>
      <nav class="views" aria-label=${t('parts')}>
        ${shown.map((part) => html`
          <a href=${to('developers', part.id)} aria-current=${part.id === id ? 'page' : undefined}>
            ${t(part.id)}
          </a>
        `)}
      </nav>
      ${rest && id === 'webhooks'
        ? html`<${EndpointView} key=${rest} id=${rest} />`
        : html`<${part.part} key=${id} />`}
      <nav class="row wraps small" aria-label=${t('references')}>
        <a class="row link" href="/docs">${icon('external-link', 'mini')}${t('storefrontDocs')}</a>
        <a class="row link" href="/admin/docs">${icon('external-link', 'mini')}${t('adminDocs')}</a>
      </nav>
    </div>
  `)
}
