// The frame of every view: header and footer.

import * as basket from '../basket.js'
import { h, icon, replace } from '../dom.js'
import { digits, langOf, language, name, number, setLanguage, t } from '../language.js'
import { link, refresh } from '../router.js'
import * as session from '../session.js'
import { openBasket } from './basket_drawer.js'

/** Draws the frame, and redraws it when its data changes. */
export function draw(tenant, collections) {
  const drawAll = () => {
    document.getElementById('skip').textContent = t('skip')
    const typed = document.getElementById('search')?.value ?? ''
    replace(document.getElementById('header'), ...header(tenant, collections, drawAll))
    document.getElementById('search').value = typed
    markCurrent()
    replace(document.getElementById('footer'), footer(tenant))
  }
  drawAll()
  basket.onChange(() => replace(document.getElementById('basket-count'), ...countOf()))
  session.onChange(drawAll)
}

function header(tenant, collections, drawAll) {
  const other = language() === 'en' ? 'bn' : 'en'
  return [
    h(
      'div',
      { class: 'header-bar' },
      h(
        'div',
        { class: 'header-row' },
        h(
          'a',
          { class: 'brand', href: '/', lang: langOf(name(tenant.name)) },
          tenant.logoUrl && h('img', { src: tenant.logoUrl, alt: '', width: 36, height: 36 }),
          h('span', null, name(tenant.name)),
        ),
        h(
          'form',
          { class: 'search', id: 'search-form', role: 'search', action: '/' },
          h('label', { class: 'visually-hidden', for: 'search' }, t('searchLabel')),
          h('input', {
            type: 'search',
            id: 'search',
            name: 'search',
            placeholder: t('searchHint'),
            autocomplete: 'off',
            enterkeyhint: 'search',
          }),
          h(
            'button',
            { class: 'icon-button', type: 'submit' },
            icon('search'),
            h('span', { class: 'visually-hidden' }, t('search')),
          ),
        ),
        h(
          'div',
          { class: 'header-actions' },
          h(
            'button',
            {
              class: 'icon-button',
              type: 'button',
              id: 'open-search',
              'aria-expanded': 'false',
              'aria-controls': 'search-form',
              onclick: ({ currentTarget }) => showSearch(currentTarget.ariaExpanded !== 'true'),
            },
            icon('search'),
            h('span', { class: 'visually-hidden' }, t('search')),
          ),
          h(
            'button',
            {
              class: 'text-button',
              type: 'button',
              id: 'language',
              lang: other,
              onclick: () => {
                setLanguage(other)
                drawAll()
                refresh()
              },
            },
            t('otherLanguage'),
          ),
          link(
            { view: 'account' },
            { class: 'icon-button', id: 'account' },
            icon('person'),
            h(
              'span',
              { class: 'wide-only' },
              session.user() ? session.user().name.split(' ')[0] : t('signIn'),
            ),
            h('span', { class: 'narrow-only visually-hidden' }, t('account')),
          ),
          h(
            'button',
            { class: 'icon-button', type: 'button', id: 'basket', onclick: openBasket },
            icon('bag'),
            h('span', { id: 'basket-count' }, countOf()),
          ),
        ),
      ),
    ),
    h(
      'nav',
      { class: 'nav', 'aria-label': t('collections') },
      h(
        'ul',
        null,
        h('li', null, link({ view: 'products' }, null, t('everything'))),
        collections.map((c) =>
          h(
            'li',
            null,
            link({ collection: c.handle }, { lang: langOf(name(c.title)) }, name(c.title)),
          ),
        ),
      ),
    ),
  ]
}

// showSearch opens or closes the search, which a narrow header has behind an icon.
function showSearch(open) {
  document.getElementById('open-search').ariaExpanded = String(open)
  document.getElementById('search-form').classList.toggle('search-open', open)
  if (open) document.getElementById('search').focus()
}

/**
 * Shows in the header which address was opened: its link is marked, the search box holds its words
 * and is closed. This comes before the view loads: what a buyer types while it loads remains.
 */
export function showAddress(query) {
  markCurrent()
  document.getElementById('search').value = query.get('search') ?? ''
  showSearch(false)
}

// markCurrent marks the link of the collection that the address is of.
function markCurrent() {
  const nav = document.querySelector('.nav')
  for (const a of nav.querySelectorAll('a')) {
    const isCurrent = a.search === location.search
    if (isCurrent) a.setAttribute('aria-current', 'page')
    else a.removeAttribute('aria-current')
    if (isCurrent) nav.scrollLeft = a.offsetLeft - (nav.clientWidth - a.offsetWidth) / 2
  }
}

const countOf = () => [
  h('span', { class: 'visually-hidden' }, t('basketCount', { count: basket.count() })),
  h(
    'span',
    { class: basket.isEmpty() ? 'count count-none' : 'count', 'aria-hidden': 'true' },
    number(basket.count()),
  ),
]

function footer(tenant) {
  const { phone, email, address } = tenant.supportContact ?? {}
  const sms = document.querySelector('meta[name="storefront:sms-page"]').content
  return h(
    'div',
    { class: 'footer-columns' },
    h('p', { class: 'quiet footer-note' }, t('demoNote')),
    h(
      'section',
      null,
      h('h2', null, t('help')),
      h(
        'ul',
        null,
        h('li', null, link({ view: 'track' }, null, t('trackOrder'))),
        tenant.legalPolicies.map((p) =>
          h('li', null, link({ policy: p.slug }, { lang: langOf(name(p.title)) }, name(p.title))),
        ),
      ),
    ),
    h(
      'section',
      null,
      h('h2', null, t('contact')),
      h(
        'ul',
        null,
        phone && h('li', null, h('a', { href: 'tel:' + phone }, digits(phone))),
        email && h('li', null, h('a', { href: 'mailto:' + email }, email)),
        address && h('li', { lang: langOf(address) }, address),
      ),
    ),
    h(
      'section',
      null,
      h('h2', null, t('forDevelopers')),
      h(
        'ul',
        null,
        h('li', null, h('a', { href: '/docs' }, t('reference'))),
        h('li', null, h('a', { href: '/graphql' }, 'GraphiQL')),
        sms &&
          h('li', null, h('a', { href: sms, target: '_blank', rel: 'noopener' }, t('smsPage'))),
      ),
    ),
  )
}
