// Updates the total while the form is filled in, and saves the buyer's details on this device if the
// box is ticked. Without this script the server responds with the new total when the order is sent.

const form = document.querySelector('[data-checkout]')
const sums = form.querySelector('[data-sums]')
const parts = [form.querySelector('[data-choices]'), sums]
const fields = ['phone', 'name', 'address', 'city']
let request
let quoted // the latest quote

// load and save use a store of the browser, which may refuse.
const load = (store, name) => {
  try {
    return JSON.parse(window[store].getItem(name)) ?? {}
  } catch {
    return {}
  }
}
const save = (store, name, values) => {
  try {
    if (values) window[store].setItem(name, JSON.stringify(values))
    else window[store].removeItem(name)
  } catch {
    // The form works without.
  }
}

const getQuote = async () => {
  request?.abort()
  const own = new AbortController()
  request = own
  sums.setAttribute('aria-busy', 'true')
  try {
    const response = await fetch(form.dataset.checkout, {
      method: 'POST',
      body: new URLSearchParams(new FormData(form)),
      signal: own.signal,
    })
    if (!response.ok || response.redirected) return
    const focused = document.activeElement
    const kept = parts.some((part) => part.contains(focused)) && [focused.name, focused.value]
    const next = document.createElement('template')
    next.innerHTML = await response.text()
    parts.forEach((part, at) => part.replaceChildren(...next.content.children[at].childNodes))
    form.querySelector('[data-announced]').textContent = sums.querySelector('.total').textContent
    if (focused.matches('[data-place]')) sums.querySelector('[data-place]').focus()
    if (kept) {
      const again = [...form.querySelectorAll('[data-choices] input')].find(
        (input) => input.name === kept[0] && input.value === kept[1],
      )
      again?.focus()
    }
  } catch (error) {
    if (error.name === 'AbortError') return
  } finally {
    if (request === own) sums.removeAttribute('aria-busy')
  }
}

const quote = () => {
  quoted = getQuote()
}

const places = new Set([...document.querySelectorAll('#districts option')].map((o) => o.value))
form.addEventListener('change', (event) => {
  if (['city', 'address', 'coupon', 'delivery', 'payment'].includes(event.target.name)) quote()
})
form.elements.city.addEventListener('input', (event) => {
  if (places.has(event.target.value)) quote()
})

// The buyer's details: of this visit, for the way back from another page, and on this device for the
// next order if the box is ticked. A field that the server has filled in stays.
const box = form.querySelector('[data-remember]')
const entered = (names) =>
  Object.fromEntries(names.map((name) => [name, form.elements[name].value]))
const remembered = box ? load('localStorage', 'buyer') : {}
if (remembered.phone) box.checked = true
let filled = false
for (const [name, value] of Object.entries({
  ...remembered,
  ...load('sessionStorage', 'checkout'),
})) {
  const field = form.elements[name]
  if (!field || field.value || !value) continue
  field.value = value
  if (field.closest('details')) field.closest('details').open = true
  filled = true
}
if (filled) quote()
form.addEventListener('change', () => {
  save('sessionStorage', 'checkout', entered([...fields, 'coupon', 'note']))
})
// An order waits for the total of the last change. The buyer places it again if that is another one.
form.addEventListener('submit', async (event) => {
  if (box) save('localStorage', 'buyer', box.checked && entered(fields))
  if (!sums.hasAttribute('aria-busy')) return
  event.preventDefault()
  const shown = form.elements.total.value
  await quoted
  if (shown && form.elements.total.value === shown) form.requestSubmit()
})

document.querySelector('[aria-invalid="true"]')?.focus()
