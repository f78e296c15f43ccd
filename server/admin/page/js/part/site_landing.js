// The landing pages of the site: their list, and a new one for a product.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { langOf } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { open, to } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/site.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { AddProducts, loadedProducts } from './product_pick.js'
import { LandingPageView } from './site_landing_page.js'
import { inLanguages, textIn } from './site_parts.js'
import { useProducts } from './site_records.js'
import { skeletonRows, Empty, Failed, Skeleton } from './states.js'
import { copy } from './toast.js'

/** @typedef {import('../api.js').Schemas['LandingPageRecord']} LandingPage */
/** @typedef {import('./product_change.js').Product} Product */

export const LandingPagesView = (/** @type {{ id: string }} */ { id }) =>
  id === '' ? html`<${List} />` : html`<${LandingPageView} slug=${id} />`

function List() {
  const { data, problem, loading, reload } = useGet('landing-pages')
  const isChoosing = useSignal(false)
  const chosen = useSignal(/** @type {Product | null} */ (null))
  /** @type {LandingPage[]} */
  const all = data?.nodes ?? []
  const titleOf = useProducts(all.flatMap(({ products }) => products))
  const button = can('site.write') && html`
    <div>
      <button
        type="button"
        class="button primary"
        id="new-landing"
        onClick=${() => {
          isChoosing.value = true
        }}
      >
        ${icon('plus')}
        ${t('newLanding')}
      </button>
    </div>
  `
  return html`
    <div class="stack narrow">
      <p class="quiet small">${t('landingText')}</p>
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(3)}<//>`
          : all.length === 0
            ? html`<${Empty} icon="smartphone" title=${t('noLanding')}>${button}<//>`
            : html`
                ${button}
                <ul class="card list" id="landing-pages" aria-busy=${loading}>
                  ${all.map((page) => html`
                    <li key=${page.slug} class="row spread redirect">
                      <a class="grow" href=${to('site', 'landing/' + page.slug)}>
                        <b lang=${langOf(textIn(page.title))}>${textIn(page.title)}</b>
                        <br />
                        <span class="small quiet">
                          ${[page.products.map(titleOf).join(', '), '/l/' + page.slug].join(' · ')}
                        </span>
                        ${!page.visible && html`
                          <br />
                          <span class="status-pill off">${t('hidden')}</span>
                        `}
                      </a>
                      ${page.url && html`
                        <button
                          type="button"
                          class="icon-button"
                          aria-label=${t('copyAddress', { title: textIn(page.title) })}
                          onClick=${() => copy(page.url)}
                        >
                          ${icon('copy')}
                        </button>
                      `}
                    </li>
                  `)}
                </ul>
              `}
      ${isChoosing.value && html`
        <${AddProducts}
          products=${[]}
          text=${t('landingProduct')}
          close=${() => {
            isChoosing.value = false
          }}
          toggle=${(/** @type {string} */ id) => {
            isChoosing.value = false
            chosen.value = loadedProducts.get(id) ?? null
          }}
        />
      `}
      ${chosen.value && html`
        <${New}
          product=${chosen.value}
          slugs=${all.map(({ slug }) => slug)}
          close=${() => {
            chosen.value = null
          }}
        />
      `}
    </div>
  `
}

/** Returns a slug that no page has. */
function freeSlug(/** @type {string} */ handle, /** @type {string[]} */ slugs) {
  for (let n = 1; ; n++) {
    const slug = n === 1 ? handle : `${handle}-${n}`
    if (!slugs.includes(slug)) return slug
  }
}

/** @param {{ product: Product, slugs: string[], close: () => void }} props */
function New({ product, slugs, close }) {
  const title = inLanguages(product.title)
  const first = title.en ? 'en' : 'bn'
  const { form, errors, busy, onSubmit } = useForm(['slug', 'title'], async (typed, keyOf) => {
    const body = {
      slug: typed.slug,
      title: { ...title, [first]: typed.title },
      description: {},
      products: [product._id],
      visible: false,
      sections: [],
    }
    const options = { method: 'PUT', query: { create: true }, label: typed.title, key: keyOf(body) }
    const { slug } = await act('landing-pages', body, options)
    changed()
    close()
    open(to('site', 'landing/' + slug))
  })
  return html`
    <${Dialog} title=${t('newLanding')} text=${t('newLandingText')} close=${close} id="landing">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="title"
          label=${t('headline')}
          value=${title[first]}
          errors=${errors.value}
          maxlength="120"
          lang=${first}
          autocomplete="off"
        />
        <${Field}
          name="slug"
          label=${t('slug')}
          hint=${t('landingSlugHint')}
          value=${freeSlug(product.handle, slugs)}
          errors=${errors.value}
          prefix="/l/"
          maxlength="120"
          autocomplete="off"
          autocapitalize="none"
          spellcheck=${false}
        />
        <${Submit} busy=${busy.value}>${t('create')}<//>
      </form>
    <//>
  `
}
