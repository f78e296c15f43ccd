// Updates the total while the form is filled in, and saves the buyer's details on this device if the
// box is ticked. Without this script the server responds with the new total when the order is sent.

const form = document.querySelector('[data-checkout]')
const sums = form.querySelector('[data-sums]')
const fields = ['phone', 'name', 'address', 'city']
const storage = 'buyer'
let request

const quote = async () => {
  request?.abort()
  request = new AbortController()
  sums.setAttribute('aria-busy', 'true')
  try {
    const response = await fetch(form.dataset.checkout, {
      method: 'POST',
      body: new URLSearchParams(new FormData(form)),
      signal: request.signal,
    })
    if (!response.ok || response.redirected) return
    const focused = document.activeElement
    const kept = sums.contains(focused) && [focused.name, focused.value]
    sums.innerHTML = await response.text()
    form.querySelector('[data-announced]').textContent = sums.querySelector('.total').textContent
    if (kept) {
      const again = [...sums.querySelectorAll('input')].find(
        (input) => input.name === kept[0] && input.value === kept[1],
      )
      again?.focus()
    }
  } catch (error) {
    if (error.name === 'AbortError') return
  } finally {
    sums.removeAttribute('aria-busy')
  }
}

const places = new Set([...document.querySelectorAll('#districts option')].map((o) => o.value))
form.addEventListener('change', (event) => {
  if (['city', 'address', 'coupon', 'delivery', 'payment'].includes(event.target.name)) quote()
})
form.elements.city.addEventListener('input', (event) => {
  if (places.has(event.target.value)) quote()
})

// The buyer's details, on this device only.
const box = form.querySelector('[data-remember]')
const saved = box && JSON.parse(localStorage.getItem(storage) ?? 'null')
if (saved) {
  box.checked = true
  let filled = false
  for (const name of fields) {
    const field = form.elements[name]
    if (!field.value && saved[name]) {
      field.value = saved[name]
      filled = true
    }
  }
  if (filled) quote()
}
form.addEventListener('submit', () => {
  if (!box) return
  if (box.checked) {
    const details = Object.fromEntries(fields.map((name) => [name, form.elements[name].value]))
    localStorage.setItem(storage, JSON.stringify(details))
  } else {
    localStorage.removeItem(storage)
  }
})

document.querySelector('[aria-invalid="true"]')?.focus()
