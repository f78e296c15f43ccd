// The basket, in a dialog at the side. The browser traps the focus in it, closes it on Escape and
// restores the focus.

import * as basket from '../basket.js'
import { announce, h, icon, replace } from '../dom.js'
import { explain, langOf, money, name, number, t } from '../language.js'
import { quoteOrder } from '../quote.js'
import { link } from '../router.js'
import * as session from '../session.js'
import { tenant } from '../shop.js'
import * as unpaid from '../unpaid.js'
import { figures } from './figures.js'
import { picture } from './product_card.js'
import { empty } from './states.js'

/** Opens the basket. */
export function openBasket() {
  const content = h('div', { class: 'drawer-content' })
  const dialog = h(
    'dialog',
    { class: 'drawer', 'aria-labelledby': 'basket-title' },
    h(
      'div',
      { class: 'drawer-head' },
      h('h2', { id: 'basket-title' }, t('basket')),
      h(
        'button',
        { class: 'icon-button', type: 'button', onclick: () => dialog.close() },
        icon('close'),
        h('span', { class: 'visually-hidden' }, t('close')),
      ),
    ),
    content,
  )
  const open = new AbortController()
  const draw = () => drawBasket(content, open.signal)
  basket.onChange(draw, { signal: open.signal })
  const leave = () => {
    open.abort()
    dialog.remove()
  }
  dialog.addEventListener('close', leave)
  dialog.addEventListener('click', (event) => {
    // The target is the dialog itself only for a click on the backdrop.
    if (event.target === dialog) dialog.close()
    // A link leaves the dialog. Closing would restore the focus to the button that opened it, and
    // the same press of Enter would press that button too.
    if (event.target.closest('a')) leave()
  })
  document.body.append(dialog)
  draw()
  dialog.showModal()
}

let drawing // the latest call of drawBasket: responses to earlier ones are ignored

async function drawBasket(content, signal) {
  const mine = (drawing = Symbol('drawing'))
  if (basket.isEmpty()) {
    replace(
      content,
      empty(
        t('basketEmpty'),
        t('basketEmptyText'),
        link({ view: 'products' }, { class: 'button' }, t('shopNow')),
      ),
    )
    return
  }
  let quote, problem
  show()
  try {
    quote = await quoteBasket(signal)
  } catch (error) {
    if (signal.aborted) return
    problem = error
  }
  if (mine === drawing && !signal.aborted) show()

  function show() {
    replace(
      content,
      problem &&
        h(
          'p',
          { class: 'notice notice-bad', role: 'alert' },
          troubles(problem).size ? t('fixBasket') : explain(problem),
        ),
      basketLines(quote, problem),
      h(
        'div',
        { class: 'drawer-foot', 'aria-busy': !quote && !problem && 'true' },
        quote && figures(quote, { delivery: false }),
        h('p', { class: 'quiet' }, t('deliveryLater')),
        link(
          { view: 'checkout' },
          { class: 'button button-wide', id: 'to-checkout' },
          t('checkout'),
        ),
      ),
    )
  }
}

// quoteBasket requests a quote of the basket. A quote requires a delivery charge: it follows from
// an account's address; without one any charge will do, since the basket shows the items only.
async function quoteBasket(signal) {
  const [{ deliveryCharges }, replaced] = await Promise.all([tenant(), unpaid.find(signal)])
  const deliveryChargeId = session.user()?.addresses?.length ? undefined : deliveryCharges[0]?._id
  return (
    await quoteOrder(
      { items: basket.items(), deliveryChargeId, replacesOrderId: replaced?._id },
      { signal },
    )
  ).quote
}

/** The editable lines of the basket, with the prices or problems of a quote. */
export function basketLines(quote, problem) {
  const trouble = troubles(problem)
  return h(
    'ul',
    { class: 'lines' },
    basket.all().map((line, i) => {
      const title = name(line.title)
      const priced = quote?.items.find((item) => item.variantId === line.variantId)
      return h(
        'li',
        { class: 'line' },
        h('div', { class: 'line-picture' }, picture(line.image && { url: line.image }, 72)),
        h(
          'div',
          { class: 'line-text' },
          link({ product: line.handle }, { class: 'line-title', lang: langOf(title) }, title),
          line.variantTitle &&
            h('span', { class: 'quiet', lang: langOf(line.variantTitle) }, line.variantTitle),
          stepper(line, title),
          trouble.has(i) && remedy(line, trouble.get(i)),
        ),
        h(
          'div',
          { class: 'line-end' },
          h('span', { class: 'line-total' }, priced ? money(priced.total) : problem ? '' : '…'),
          h(
            'button',
            {
              class: 'text-button',
              type: 'button',
              id: 'remove-' + line.variantId,
              'aria-label': t('removeItem', { title }),
              onclick: () => basket.setQuantity(line.variantId, 0),
            },
            t('remove'),
          ),
        ),
      )
    }),
  )
}

function stepper(line, title) {
  const change = (by) => () => {
    basket.setQuantity(line.variantId, line.quantity + by)
    announce(`${t('quantity')}: ${number(line.quantity + by)}`)
  }
  return h(
    'div',
    { class: 'stepper', role: 'group', 'aria-label': `${t('quantity')}: ${title}` },
    h(
      'button',
      {
        type: 'button',
        id: 'less-' + line.variantId,
        'aria-label': t('less', { title }),
        'aria-disabled': line.quantity === 1 && 'true',
        onclick: line.quantity > 1 ? change(-1) : () => {},
      },
      '−',
    ),
    h('span', null, number(line.quantity)),
    h(
      'button',
      {
        type: 'button',
        id: 'more-' + line.variantId,
        'aria-label': t('moreOf', { title }),
        onclick: change(1),
      },
      '+',
    ),
  )
}

// troubles returns the lines that a quote rejected, by index: the quantity left, or the message.
function troubles(problem) {
  const lines = new Map()
  for (const error of problem?.errors ?? []) {
    const at = /^items\[(\d+)\]/.exec(error.field)
    if (at) lines.set(Number(at[1]), error.message)
  }
  for (const { item, availableQuantity } of problem?.details?.items ?? [])
    lines.set(item, availableQuantity)
  return lines
}

function remedy(line, trouble) {
  if (typeof trouble !== 'number') return h('p', { class: 'error' }, trouble)
  return h(
    'p',
    { class: 'error' },
    trouble > 0 ? t('onlyLeft', { count: trouble }) : t('noneLeft'),
    ' ',
    trouble > 0 &&
      h(
        'button',
        {
          class: 'text-button',
          type: 'button',
          onclick: () => basket.setQuantity(line.variantId, trouble),
        },
        t('takeLeft', { count: trouble }),
      ),
  )
}
