// The names of the rows of the report by campaign.

import { t } from '../strings/campaigns.js'

/** Returns the name of a row in words. @param {{ kind: string, name: string }} row */
export function nameOf({ kind, name }) {
  if (kind === 'staff') return t('staff', { source: t.dynamic('source_' + name) })
  return name || t.dynamic('kind_' + kind)
}
