// States without content: loading, empty, failed.

import { Problem } from '../api.js'
import { h } from '../dom.js'
import { explain, t } from '../language.js'

/** Grey shapes where the content will be. */
export const skeleton = () =>
  h(
    'div',
    { class: 'skeleton' },
    h('p', { class: 'visually-hidden' }, t('loading')),
    h('div', { class: 'bone bone-title' }),
    h(
      'div',
      { class: 'grid' },
      Array.from({ length: 8 }, () => h('div', { class: 'bone bone-card' })),
    ),
  )

/** A message for an empty list. */
export const empty = (title, text, ...actions) =>
  h(
    'div',
    { class: 'state' },
    h('h2', null, title),
    text && h('p', null, text),
    h('p', { class: 'actions' }, actions),
  )

/** A message for a view that failed. */
export function failure(error, again) {
  if (error.code === 'not_found') {
    return h(
      'div',
      { class: 'state' },
      h('h1', null, t('notFound')),
      h('p', null, t('notFoundText')),
      h('p', { class: 'actions' }, h('a', { class: 'button', href: '/' }, t('toShop'))),
    )
  }
  if (!(error instanceof Problem)) console.error(error) // a bug of this page
  return h(
    'div',
    { class: 'state' },
    h('h1', null, t('failed')),
    h('p', null, explain(error)),
    error.requestId && h('p', { class: 'quiet' }, t('supportId', { id: error.requestId })),
    h(
      'p',
      { class: 'actions' },
      h('button', { class: 'button', type: 'button', onclick: again }, t('tryAgain')),
    ),
  )
}

/** A message in the flow of a view. Tones: good, bad, plain. */
export const notice = (tone, ...content) =>
  h('div', { class: 'notice notice-' + tone, role: tone === 'bad' ? 'alert' : 'status' }, content)
