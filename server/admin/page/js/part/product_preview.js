// A product as buyers see it, with what is typed and not saved yet.

import { html } from '../html.js'
import { langOf, name } from '../i18n.js'
import { t } from '../strings/product.js'
import { decode, toHTML } from './description.js'
import { Dialog } from './dialog.js'
import { amountOf, shownAmount } from './product_change.js'

/** @typedef {import('./product_draft.js').Draft} Draft */

/** What of a description is shown as it is; of the rest, its text. The server sanitizes it when it is saved. */
const shownTags = ['p', 'br', 'strong', 'b', 'em', 'i', 'u', 's', 'ul', 'ol', 'li', 'h2', 'h3', 'h4', 'blockquote', 'hr', 'table', 'tbody', 'thead',
  'tr', 'td', 'th']
const hiddenTags = ['script', 'style', 'template', 'iframe', 'noscript']
const emptyTags = ['br', 'hr', 'img', 'input', 'col', 'wbr', 'source']

/** Returns elements of a description, built one by one: none of its scripts, styles and addresses comes along. @returns {any[]} */
function elementsOf(/** @type {string} */ source) {
  const stack = [{ tag: '', children: /** @type {any[]} */ ([]) }]
  const last = () => /** @type {{ tag: string, children: any[] }} */ (stack.at(-1))
  const close = () => {
    const { tag, children } = /** @type {{ tag: string, children: any[] }} */ (stack.pop())
    if (!hiddenTags.includes(tag)) last().children.push(shownTags.includes(tag) ? html`<${tag}>${children}<//>` : children)
  }
  for (const [token] of source.matchAll(/<!--[^]*?-->|<[^>]*>|[^<]+/g)) {
    const [, end, name = ''] = /^<(\/?)([a-z][a-z0-9]*)/i.exec(token) ?? []
    const tag = name.toLowerCase()
    if (!token.startsWith('<')) last().children.push(decode(token))
    else if (emptyTags.includes(tag)) last().children.push(shownTags.includes(tag) && html`<${tag} />`)
    else if (tag && !end) stack.push({ tag, children: [] })
    else if (tag && stack.some((one) => one.tag === tag)) {
      while (last().tag !== tag) close()
      close()
    }
  }
  while (stack.length > 1) close()
  return stack[0].children
}

const priceOf = (/** @type {number[]} */ prices) => {
  const least = Math.min(...prices)
  return least < Math.max(...prices) ? t('priceFrom', { price: shownAmount(least) }) : shownAmount(least)
}

/** @param {{ draft: Draft, close: () => void }} props */
export function Preview({ draft: d, close }) {
  const title = name(d.title)
  const prices = d.variants.map((one) => Number(amountOf(one.price))).filter((one) => one >= 0)
  const before = d.variants.length === 1 ? Number(amountOf(d.variants[0].compareAt)) : 0
  const description = d.isHTML ? d.description : toHTML(d.description)
  return html`<${Dialog} title=${t('preview')} text=${t('previewText')} close=${close} id="preview"><article class="stack">
    ${d.photos.length > 0 && html`<ul class="photos seen">${d.photos.map((one) => html`<li key=${one.key}><span class="ph"><img src=${one.url}
      alt=${one.alt} /></span></li>`)}</ul>`}
    <h3 class="shown-title" lang=${langOf(title)}>${title || '–'}</h3>
    ${prices.length > 0 && html`<p class="row base"><b class="pay">${priceOf(prices)}</b>${before > prices[0]
      && html`<s class="q">${shownAmount(before)}</s>`}</p>`}
    ${d.options.filter(({ values }) => values.length > 0).map((one) => html`<div><span class="lab">${one.name}</span><ul class="row wraps">
      ${one.values.map((value) => html`<li class="tag" lang=${langOf(value)}>${value}</li>`)}</ul></div>`)}
    <div class="described" lang=${langOf(description)}>${elementsOf(description)}</div></article><//>`
}
