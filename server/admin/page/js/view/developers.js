// For those who connect other systems: API keys, the shop's webhooks, and those of its providers.

import { html } from '../html.js'
import { t } from '../strings/developers.js'
import { Endpoints, EndpointView } from '../part/developer_endpoints.js'
import { Keys } from '../part/developer_keys.js'
import { Received } from '../part/developer_received.js'
import { icon } from '../part/icon.js'
import { Parts } from '../part/parts.js'

const Webhooks = (/** @type {{ id: string }} */ { id }) =>
  id ? html`<${EndpointView} id=${id} />` : html`<${Endpoints} />`

/** @type {import('../part/parts.js').Part[]} */
const parts = [
  { id: 'keys', title: () => t('keys'), permission: 'keys.write', part: Keys },
  { id: 'webhooks', title: () => t('webhooks'), permission: 'keys.write', part: Webhooks },
  { id: 'received', title: () => t('received'), permission: 'providers.read', part: Received },
]

const references = () => html`
  <nav class="row wraps small" aria-label=${t('references')}>
    <a class="row link" href="/docs">${icon('external-link', 'mini')}${t('storefrontDocs')}</a>
    <a class="row link" href="/admin/docs">${icon('external-link', 'mini')}${t('adminDocs')}</a>
  </nav>
`

export const view = () => html`
  <${Parts} view="developers" label=${t('parts')} parts=${parts} after=${references()} />
`
