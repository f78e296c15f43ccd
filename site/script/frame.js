// What differs between visitors: the number of items in the cart, and the name of the signed-in buyer.
// Every page is complete without it.

const readCookies = () =>
  Object.fromEntries(document.cookie.split('; ').map((part) => part.split('=')))

const badge = document.querySelector('[data-cart-count]')
const cartLink = badge?.closest('a')
const cartName = cartLink?.getAttribute('aria-label')
const showCount = () => {
  if (!badge) return
  const lines = readCookies().cart?.split('.') ?? []
  const count = lines.reduce((sum, line) => sum + (Number(line.split('~')[1]) || 0), 0)
  const text = count.toLocaleString(document.documentElement.lang === 'bn' ? 'bn-BD' : 'en')
  badge.textContent = text
  badge.hidden = !count
  cartLink.setAttribute('aria-label', count ? `${cartName}, ${text}` : cartName)
}
showCount()
addEventListener('cart', showCount)

// A sort order, and the quantities of the cart, are sent when they change.
document.addEventListener('change', (event) => {
  if (event.target.closest('[data-submit]')) event.target.form.requestSubmit()
})

// A form is sent once, unless the page comes back from the browser's history.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.method !== 'post' || event.defaultPrevented) return
  if (form.dataset.sent) event.preventDefault()
  form.dataset.sent = 'yes'
})
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('[data-sent]')) delete form.dataset.sent
})

// Copies a number.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', () => navigator.clipboard.writeText(button.dataset.copy))
}

// The place of a picture that cannot be loaded stays empty.
const checkPicture = (image) => {
  const isLost = image.complete && !image.naturalWidth && Boolean(image.currentSrc)
  image.classList.toggle('dead', isLost)
}
for (const type of ['error', 'load']) {
  document.addEventListener(
    type,
    ({ target }) => target.naturalWidth >= 0 && checkPicture(target),
    true,
  )
}
for (const image of document.images) checkPicture(image)

// The name is fetched once in a session, whose cookie has a value of its own. Nothing waits for it.
const account = document.querySelector('[data-account]')
const greet = async (session) => {
  const saved = JSON.parse(sessionStorage.getItem('name'))
  let name = saved?.session === session && saved.name
  if (!name) {
    const response = await fetch(account.getAttribute('href') + '/name')
    if (response.status !== 200) return
    name = await response.text()
    sessionStorage.setItem('name', JSON.stringify({ session, name }))
  }
  account.title = `${account.getAttribute('aria-label')}, ${name}`
  account.setAttribute('aria-label', account.title)
}
const session = readCookies().signed_in
if (account && session) greet(session).catch(() => {}) // a browser may store nothing

// What the buyer entered at the checkout is stored until the order is placed.
if (document.querySelector('[data-placed]')) {
  try {
    sessionStorage.removeItem('checkout')
    localStorage.removeItem('incomplete')
  } catch {
    // Nothing was stored.
  }
}
document.documentElement.classList.add('scripted')
