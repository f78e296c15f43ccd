// A product as buyers see it, with what is typed and not saved yet.

import { html, useSignal } from '../html.js'
import { langOf, name } from '../i18n.js'
import { t } from '../strings/product.js'
import { sanitize } from './description.js'
import { Dialog } from './dialog.js'
import { amountOf, shownAmount } from './product_change.js'

/** @typedef {import('./product_draft.js').Draft} Draft */

/**
 * A description in a frame of its own, in which nothing can run.
 * @param {{ source: string }} props
 */
function Described({ source }) {
  const height = useSignal(0)
  const fill = (/** @type {{ currentTarget: HTMLIFrameElement }} */ { currentTarget }) => {
    const page = /** @type {Document} */ (currentTarget.contentDocument)
    for (const { name, value } of document.documentElement.attributes)
      page.documentElement.setAttribute(name, value)
    page.head.append(
      ...[...document.querySelectorAll('link[rel=stylesheet]')].map((sheet) =>
        page.importNode(sheet),
      ),
    )
    page.body.className = 'described'
    page.body.append(sanitize(source))
    new ResizeObserver(() => {
      height.value = page.documentElement.scrollHeight
    }).observe(page.body)
  }
  return html`
    <iframe
      class="seen-page"
      sandbox="allow-same-origin"
      title=${t('description')}
      style=${{ height: height.value + 'px' }}
      onLoad=${fill}
    />
  `
}

const priceOf = (/** @type {number[]} */ prices) => {
  const least = Math.min(...prices)
  return least < Math.max(...prices)
    ? t('priceFrom', { price: shownAmount(least) })
    : shownAmount(least)
}

/** @param {{ draft: Draft, close: () => void }} props */
export function Preview({ draft: d, close }) {
  const title = name(d.title)
  const prices = d.variants
    .map((variant) => Number(amountOf(variant.price)))
    .filter((price) => price >= 0)
  const before = d.variants.length === 1 ? Number(amountOf(d.variants[0].compareAt)) : 0
  return html`
    <${Dialog} title=${t('preview')} text=${t('previewText')} close=${close} id="preview">
      <article class="stack">
        ${d.photos.length > 0 && html`
          <ul class="photos seen">
            ${d.photos.map((photo) => html`
              <li key=${photo.key}>
                <span class="photo">
                  <img src=${photo.url} alt=${photo.alt} />
                </span>
              </li>
            `)}
          </ul>
        `}
        <h3 class="shown-title" lang=${langOf(title)}>${title || '–'}</h3>
        ${prices.length > 0 && html`
          <p class="row base">
            <b class="pay">${priceOf(prices)}</b>
            ${before > prices[0] && html`<s class="quiet">${shownAmount(before)}</s>`}
          </p>
        `}
        ${d.options
          .filter(({ values }) => values.length > 0)
          .map((option) => html`
            <div>
              <span class="label">${option.name}</span>
              <ul class="row wraps">
                ${option.values.map((value) => html`
                  <li class="tag" lang=${langOf(value)}>${value}</li>
                `)}
              </ul>
            </div>
          `)}
        ${d.description && html`<${Described} source=${d.description} />`}
      </article>
    <//>
  `
}
