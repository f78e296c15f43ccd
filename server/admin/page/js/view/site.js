// The site of the shop: its design beside a preview, its pages, landing pages, menus, and
// redirects from old addresses.

import { html } from '../html.js'
import { t } from '../strings/site.js'
import { t as translation } from '../strings/translation.js'
import { Parts } from '../part/parts.js'
import { DesignView } from '../part/site_design.js'
import { LandingPagesView } from '../part/site_landing.js'
import { MenusView } from '../part/site_menus.js'
import { PagesView } from '../part/site_pages.js'
import { RedirectsView } from '../part/site_redirects.js'
import { ReviewsView } from '../part/site_reviews.js'
import { TranslationsView } from '../part/site_translations.js'

/** @type {import('../part/parts.js').Part[]} */
const parts = [
  {
    id: 'design',
    title: () => t('design'),
    permission: 'site.read',
    part: DesignView,
    wide: true,
  },
  { id: 'pages', title: () => t('pages'), permission: 'settings.read', part: PagesView },
  {
    id: 'landing',
    title: () => t('landing'),
    permission: 'site.read',
    part: LandingPagesView,
    wide: true,
  },
  { id: 'menus', title: () => t('menus'), permission: 'site.read', part: MenusView },
  { id: 'reviews', title: () => t('reviews'), permission: 'site.read', part: ReviewsView },
  {
    id: 'translations',
    title: () => translation('title'),
    permission: 'site.read',
    part: TranslationsView,
  },
  { id: 'redirects', title: () => t('redirects'), permission: 'site.read', part: RedirectsView },
]

export const view = () => html`<${Parts} view="site" label=${t('sections')} parts=${parts} />`
