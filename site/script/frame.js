// What differs between visitors: the number of items in the cart, and the name of the signed-in buyer.
// Every page is complete without it.

const cookies = Object.fromEntries(document.cookie.split('; ').map((part) => part.split('=')))
const count = (cookies.cart?.split('.') ?? []).reduce(
  (sum, line) => sum + (Number(line.split('~')[1]) || 0),
  0,
)
const shown = document.querySelector('[data-cart-count]')
if (count > 0 && shown) {
  const text = count.toLocaleString(document.documentElement.lang === 'bn' ? 'bn-BD' : 'en')
  shown.textContent = text
  shown.hidden = false
  const link = shown.closest('a')
  link.setAttribute('aria-label', `${link.getAttribute('aria-label')}, ${text}`)
}

// The name is fetched once in a visit. Nothing else waits for it.
const account = document.querySelector('[data-account]')
const greet = async () => {
  let name = sessionStorage.getItem('name')
  if (name === null) {
    const response = await fetch(account.getAttribute('href') + '/name')
    if (!response.ok) return
    name = await response.text()
    sessionStorage.setItem('name', name)
  }
  account.title = `${account.getAttribute('aria-label')}, ${name}`
  account.setAttribute('aria-label', account.title)
}
if (cookies.signed_in) greet().catch(() => {})
else sessionStorage.removeItem('name')

// A select submits its form.
for (const select of document.querySelectorAll('[data-submit]')) {
  select.addEventListener('change', () => select.form.requestSubmit())
}

// The cart follows its fields.
const cart = document.querySelector('[data-cart-form]')
if (cart) {
  cart.addEventListener('change', () => cart.requestSubmit())
}

// A form is sent once, unless the page comes back from the browser's history.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.method !== 'post') return
  if (form.dataset.sent) event.preventDefault()
  form.dataset.sent = 'yes'
})
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('[data-sent]')) delete form.dataset.sent
})
