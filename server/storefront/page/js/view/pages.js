// The small views: tracking, and the shop's policies.

import { Problem } from '../api.js'
import { h, richText } from '../dom.js'
import { langOf, name, t } from '../language.js'
import { field, message, onSubmit } from '../part/form.js'
import { notice } from '../part/states.js'
import { address, go } from '../router.js'
import { tenant } from '../shop.js'

/** A form for a tracking number. unknown is one that no order has. */
export function track(unknown) {
  const wrong = typeof unknown === 'string'
  const form = h(
    'form',
    { class: 'narrow' },
    field(
      t('trackingCode'),
      'order',
      {
        autocomplete: 'off',
        autocapitalize: 'characters',
        spellcheck: 'false',
        required: true,
        value: wrong && unknown,
      },
      t('trackText'),
    ),
    message(),
    h('button', { class: 'button', type: 'submit', id: 'track' }, t('track')),
  )
  onSubmit(form, ({ order }) => go(address({ order })))
  return {
    title: t('trackOrder'),
    content: h(
      'div',
      null,
      h('h1', null, t('trackOrder')),
      wrong && notice('bad', t('noSuchOrder')),
      form,
    ),
  }
}

/** One of the shop's policies. */
export async function policy(query) {
  const found = (await tenant()).legalPolicies.find((p) => p.slug === query.get('policy'))
  if (!found) throw new Problem(404, { code: 'not_found' })
  const title = name(found.title)
  return {
    title,
    content: h(
      'div',
      { class: 'narrow' },
      h('h1', { lang: langOf(title) }, title),
      h(
        'div',
        { class: 'prose', lang: langOf(found.bodyHtml.replace(/<[^>]*>/g, '').slice(0, 40)) },
        richText(found.bodyHtml),
      ),
    ),
  }
}
