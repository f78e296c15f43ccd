// Shows the variant of the chosen options: price, stock, picture, address. Without this script the
// form sends the options, and the server finds the variant.

const variants = JSON.parse(document.getElementById('variants').textContent)
const form = document.querySelector('[data-product]')
const groups = [...form.querySelectorAll('fieldset')]
const find = (name) => document.querySelector(`[data-${name}]`)
const buttons = [...form.querySelectorAll('[data-buy]')]

const chosen = () => groups.map((group) => group.querySelector(':checked')?.value)
const matching = (values) =>
  variants.find((v) => (v.values ?? []).every((value, i) => value === values[i]))

const setText = (element, text) => {
  if (!element) return
  element.textContent = text ?? ''
  if (element.matches('[data-was], [data-badge]')) element.hidden = !text
}

const show = () => {
  const values = chosen()
  const variant = matching(values)
  groups.forEach((group, i) => {
    const picked = group.querySelector(':checked')
    setText(group.querySelector('[data-chosen]'), picked?.dataset.text)
    for (const input of group.querySelectorAll('input')) {
      const other = matching(values.map((value, at) => (at === i ? input.value : value)))
      const gone = !other || Boolean(other.sold)
      input.parentElement.classList.toggle('gone', gone)
      input.parentElement.querySelector('span').hidden = !gone
    }
  })
  if (!variant) return
  setText(find('price'), variant.price)
  find('price').classList.toggle('sale', Boolean(variant.was))
  setText(find('was'), variant.was)
  setText(find('badge'), variant.badge)
  setText(find('stock'), variant.stock)
  setText(find('bar-price'), variant.price)
  setText(
    find('bar-choice'),
    groups.map((group) => group.querySelector(':checked')?.dataset.text).join(' / '),
  )
  for (const button of buttons) {
    button.disabled = Boolean(variant.sold)
    button.textContent = variant.sold ? variant.stock : form.dataset.order
  }
  find('buy-later').hidden = Boolean(variant.sold)
  const gallery = find('gallery')
  if (gallery && variant.picture >= 0) {
    const picture = gallery.children[variant.picture]
    gallery.scrollTo({ left: picture.offsetLeft - gallery.offsetLeft })
  }
  const address = new URL(location.href)
  address.searchParams.set('variant', variant.id)
  history.replaceState(history.state, '', address)
}
form.addEventListener('change', show)

// The bar appears while the buttons are out of sight.
const bar = find('bar')
new IntersectionObserver(([entry]) => {
  bar.hidden = entry.isIntersecting
}).observe(form.querySelector('.buy-actions'))

// A tap on a picture shows its details. Without this script it opens the picture's file.
const zoomed = find('zoomed')
for (const link of document.querySelectorAll('[data-zoom]')) {
  link.addEventListener('click', (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    const large = zoomed.querySelector('img')
    large.src = link.href
    large.alt = link.firstElementChild.alt
    zoomed.showModal()
    zoomed.scrollTo((zoomed.scrollWidth - zoomed.clientWidth) / 2, 0)
  })
}
zoomed?.addEventListener('click', () => zoomed.close())
