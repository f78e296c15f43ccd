// Shows the total in the button, and adds a key to the order, so that sending it twice places it
// once. The form works without.

const form = document.querySelector('[data-landing]')

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(26)), (byte) => letters[byte % 32]).join('')

let request
const showTotal = async () => {
  request?.abort()
  request = new AbortController()
  const total = form.querySelector('[data-total]')
  total.textContent = form.elements.total.value = ''
  try {
    const response = await fetch(form.dataset.landing, {
      method: 'POST',
      body: new URLSearchParams(new FormData(form)),
      signal: request.signal,
    })
    total.innerHTML = response.ok ? await response.text() : ''
    form
      .querySelector('[data-advance-note]')
      .replaceChildren(...total.querySelectorAll('[data-advance]'))
    form.elements.total.value = total.querySelector('[data-amount]')?.dataset.amount ?? ''
  } catch {
    // The next page shows the total.
  }
}

if (form) {
  form.elements.key.value ||= newKey()
  form.addEventListener('change', (event) => {
    if (['variant', 'quantity', 'delivery', 'address'].includes(event.target.name)) showTotal()
  })
  showTotal()
  form.querySelector('[aria-invalid="true"]')?.focus()
}
