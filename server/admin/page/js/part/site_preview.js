// The pages of the shop with the draft, in the frame of a phone. Its link ends after an hour and
// is then replaced.

import { html, useEffect, useSignal } from '../html.js'
import { get, Problem, send } from '../api.js'
import { t } from '../strings/site.js'
import { explain } from '../strings/problem.js'
import { icon } from './icon.js'

/** @typedef {import('./site_parts.js').Template} Template */
/** @typedef {{ url: string, expiresAt: string }} Link */

const early = 60_000 // milliseconds before its end when a link is replaced

/** The pages that show each template, below the link. @type {Record<string, string>} */
const pages = { home: '', collection: 'collections/all' }

/** Returns the address of a page that shows a template; null: the shop has none. */
async function pageOf(/** @type {Template} */ template) {
  if (template in pages) return pages[template]
  if (template === 'product') {
    const { nodes } = await get('products', { status: 'active', limit: 1 })
    return nodes[0] ? 'products/' + encodeURIComponent(nodes[0].handle) : null
  }
  if (template === 'landing') {
    const { nodes } = await get('landing-pages')
    const page = nodes.find((/** @type {any} */ { sections }) => sections.length === 0)
    return page ? landingPath(page.slug) : null
  }
  const [page] = (await get('settings')).pages
  return page ? 'pages/' + encodeURIComponent(page.slug) : null
}

/** Returns the address of a landing page, below the link. */
export const landingPath = (/** @type {string} */ slug) => 'l/' + encodeURIComponent(slug)

/** @returns {string | null} the page that shows a template; null: the shop has none */
export function usePageOf(/** @type {Template} */ template) {
  const page = useSignal(/** @type {string | null} */ (''))
  useEffect(() => {
    let isGone = false
    pageOf(template).then(
      (path) => {
        if (!isGone) page.value = path
      },
      () => {}, // the page before stays
    )
    return () => {
      isGone = true
    }
  }, [template])
  return page.value
}

/**
 * The preview. It is loaded again whenever turn changes: behind the one before, so that nothing
 * flickers.
 * @param {{ path: string | null, turn: number, none?: string }} props path: of the page, below the
 *   link; null: there is none
 */
export function Preview({ path, turn, none = t('noPage') }) {
  const link = useSignal(/** @type {Link | null} */ (null))
  const problem = useSignal('')
  const attempts = useSignal(0)
  const frames = useSignal(/** @type {{ key: number, url: string }[]} */ ([]))
  const isTall = useSignal(false)
  useEffect(() => {
    let timer = 0
    let isGone = false
    send('POST', 'design/previews', { key: crypto.randomUUID() }).then(
      ({ data }) => {
        if (isGone) return
        link.value = data
        problem.value = ''
        timer = setTimeout(
          () => attempts.value++,
          Math.max(early, Date.parse(data.expiresAt) - Date.now() - early),
        )
      },
      (error) => {
        if (!(error instanceof Problem)) throw error
        problem.value = explain(error)
      },
    )
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [attempts.value])
  const url = link.value && path !== null ? link.value.url + path : ''
  useEffect(() => {
    if (!url) return
    const last = frames.peek()
    frames.value = [...last.slice(-1), { key: (last.at(-1)?.key ?? 0) + 1, url }]
  }, [url, turn])
  return html`
    <section class=${isTall.value ? 'preview tall' : 'preview'} aria-label=${t('preview')}>
      <div class="phone">
        ${frames.value.map(({ key, url }, i, all) => html`
          <iframe
            key=${key}
            src=${url}
            title=${t('preview')}
            class=${i < all.length - 1 || all.length === 1 ? '' : 'next'}
            sandbox="allow-same-origin"
            referrerpolicy="no-referrer"
            onLoad=${() => {
              frames.value = frames.peek().filter((frame) => frame.key >= key)
            }}
          ></iframe>
        `)}
        ${(problem.value || path === null) && html`
          <p class="preview-problem quiet small">
            ${problem.value || none}
            ${problem.value && html`
              <button type="button" class="link" onClick=${() => attempts.value++}>
                ${t('retry')}
              </button>
            `}
          </p>
        `}
      </div>
      <div class="row spread preview-tools">
        <button
          type="button"
          class="button mini narrow-only"
          id="preview-size"
          aria-pressed=${isTall.value}
          onClick=${() => {
            isTall.value = !isTall.value
          }}
        >
          ${icon(isTall.value ? 'chevron-up' : 'chevron-down', 'mini')}
          ${t(isTall.value ? 'smaller' : 'larger')}
        </button>
        ${url && html`
          <a class="link small row" href=${url} target="_blank" rel="noopener noreferrer">
            ${icon('external-link', 'mini')}
            ${t('openPreview')}
          </a>
          <a
            class="link small row"
            id="open-shop"
            href=${new URL('/', url).href}
            target="_blank"
            rel="noopener noreferrer"
          >
            ${icon('external-link', 'mini')}
            ${t('openShop')}
          </a>
        `}
      </div>
    </section>
  `
}
