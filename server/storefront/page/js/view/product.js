import { get } from '../api.js'
import * as basket from '../basket.js'
import { announce, h, narrow, replace, richText } from '../dom.js'
import { langOf, money, name, number, otherName, t } from '../language.js'
import { openBasket } from '../part/basket_drawer.js'
import { picture, price, productGrid, stock } from '../part/product_card.js'
import { address, link, rewrite } from '../router.js'
import { tenant } from '../shop.js'
import * as unpaid from '../unpaid.js'

/** One product with its variants. The selected variant is in the address. */
export async function product(query, signal) {
  const [item, shop, order] = await Promise.all([
    get('/products/handle/' + encodeURIComponent(query.get('product')), {}, { signal }),
    tenant(),
    unpaid.find(signal),
  ])
  const related = await relatedTo(item, signal)
  const wanted = item.variants.find((v) => v._id === query.get('variant'))
  const first = wanted ?? item.variants.find((v) => v.available) ?? item.variants[0]
  const chosen = Object.fromEntries(first.optionValues.map(({ name, value }) => [name, value]))

  const gallery = h('div', { class: 'gallery' })
  const offer = h('div', { class: 'offer' })
  const choices = h('div', { class: 'choices' })
  const title = name(item.title)
  // on a narrow screen it has the price and the button, always in sight
  const bar = h('div', { class: 'buy-bar' })
  const form = h('form', { class: 'buy', id: 'buy' }, choices, offer)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const variant = find(item, chosen)
    if (!variant?.available) return
    basket.add(item, variant, Number(form.elements.quantity.value))
    announce(t('added', { title }))
    openBasket()
  })

  let shown = Math.max(
    0,
    item.images.findIndex((image) => image.url === first.image?.url),
  )
  draw()
  narrow.addEventListener('change', draw, { signal })
  return {
    title,
    content: h(
      'div',
      null,
      h(
        'article',
        { class: 'product' },
        gallery,
        h(
          'div',
          { class: 'product-text' },
          item.vendor &&
            h(
              'p',
              { class: 'eyebrow', lang: langOf(item.vendor) },
              t('madeBy', { vendor: item.vendor }),
            ),
          h('h1', { lang: langOf(title) }, title),
          otherName(item.title) &&
            h(
              'p',
              { class: 'subtitle', lang: langOf(otherName(item.title)) },
              otherName(item.title),
            ),
          form,
          h(
            'div',
            { class: 'prose', lang: langOf(item.descriptionHtml) },
            richText(item.descriptionHtml),
          ),
          deliveryFacts(shop),
        ),
      ),
      bar,
      related.length > 0 &&
        h(
          'section',
          { 'aria-labelledby': 'related-title' },
          h('h2', { id: 'related-title' }, t('related')),
          productGrid(related),
        ),
    ),
  }

  function draw() {
    const variant = find(item, chosen)
    replace(
      gallery,
      ...pictures(item, shown, (i) => {
        shown = i
        draw()
      }),
    )
    replace(choices, ...item.options.map((option) => optionChoice(item, option, chosen, choose)))
    replace(offer, ...offerOf(variant, order))
    replace(
      bar,
      narrow.matches &&
        variant &&
        h('div', { class: 'buy-bar-row' }, price(variant), addButton(variant)),
    )
  }

  function choose(option, value) {
    chosen[option] = value
    const variant = find(item, chosen)
    const image = item.images.findIndex((image) => image.url === variant?.image?.url)
    if (image >= 0) shown = image
    if (variant) rewrite(address({ product: item.handle, variant: variant._id }))
    draw()
    announce(
      variant
        ? `${money(variant.price)}, ${t('stock_' + variant.stockStatus)}`
        : t('noSuchVariant'),
    )
  }
}

const find = (item, chosen) =>
  item.variants.find((v) => v.optionValues.every(({ name, value }) => chosen[name] === value))

function pictures(item, shown, show) {
  const image = item.images[shown]
  return [
    h(
      'div',
      { class: 'gallery-main' },
      picture(image, 800, { alt: image?.alt || name(item.title), eager: true }),
    ),
    item.images.length > 1 &&
      h(
        'div',
        { class: 'gallery-thumbs', role: 'group', 'aria-label': t('pictures') },
        item.images.map((one, i) =>
          h(
            'button',
            {
              type: 'button',
              id: 'picture-' + i,
              'aria-pressed': String(i === shown),
              onclick: () => show(i),
              'aria-label': t('picture', { n: i + 1, count: item.images.length }),
            },
            picture(one, 80),
          ),
        ),
      ),
  ]
}

// optionChoice lists the values of an option. A sold-out value can still be selected, to view it.
function optionChoice(item, option, chosen, choose) {
  return h(
    'fieldset',
    { class: 'pills' },
    h('legend', { lang: langOf(option.name) }, option.name),
    option.values.map((value, i) => {
      const id = `option-${item.options.indexOf(option)}-${i}`
      const available = find(item, { ...chosen, [option.name]: value })?.available
      return h(
        'span',
        { class: available ? 'pill' : 'pill pill-out' },
        h('input', {
          type: 'radio',
          id,
          name: option.name,
          value,
          checked: chosen[option.name] === value,
          onchange: () => choose(option.name, value),
        }),
        h(
          'label',
          { for: id, lang: langOf(value) },
          value,
          !available && h('span', { class: 'visually-hidden' }, ` (${t('soldOut')})`),
        ),
      )
    }),
  )
}

function offerOf(variant, order) {
  if (!variant) return [h('p', { class: 'quiet' }, t('noSuchVariant'))]
  // availableQuantity is null if stock is not tracked or backorders are allowed.
  const most = Math.min(variant.availableQuantity || 10, 10)
  return [
    h('div', { class: 'offer-price' }, price(variant), stock(variant.stockStatus)),
    h(
      'div',
      { class: 'offer-buy' },
      h(
        'label',
        { class: 'filter' },
        h('span', null, t('quantity')),
        h(
          'select',
          { name: 'quantity', id: 'quantity', disabled: !variant.available },
          Array.from({ length: most }, (_, i) => h('option', { value: i + 1 }, number(i + 1))),
        ),
      ),
      !narrow.matches && addButton(variant),
    ),
    !variant.available &&
      order?.items.some((line) => line.variantId === variant._id) &&
      h(
        'p',
        { class: 'notice' },
        t('openOrderText', { number: order.orderNumber, total: money(order.total) }),
        ' ',
        link({ order: order._id }, { id: 'open-order' }, t('openOrder')),
      ),
    variant.sku && h('p', { class: 'quiet' }, t('productCode', { sku: variant.sku })),
  ]
}

const addButton = (variant) =>
  h(
    'button',
    { class: 'button', type: 'submit', form: 'buy', id: 'add', disabled: !variant.available },
    variant.available ? t('addToBasket') : t('stock_OUT_OF_STOCK'),
  )

const deliveryFacts = ({ deliveryCharges, paymentMethods }) =>
  h(
    'ul',
    { class: 'facts' },
    deliveryCharges.map((charge) =>
      h(
        'li',
        null,
        `${name(charge.name)}: ${money(charge.charge)}`,
        charge.freeOver && `, ${t('freeOver', { amount: money(charge.freeOver) })}`,
      ),
    ),
    paymentMethods.length > 1 && h('li', null, t('payOnDelivery')),
  )

// relatedTo is optional: on failure the product is shown without it.
async function relatedTo(item, signal) {
  if (!item.collectionIds.length) return []
  const query = { collectionIds: [item.collectionIds.at(-1)], inStock: true, limit: 5 }
  const page = await get('/products', query, { signal }).catch(() => ({ nodes: [] }))
  return page.nodes.filter((other) => other._id !== item._id).slice(0, 4)
}
