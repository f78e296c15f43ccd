// Shows the cart beside the product after something is added to it. The drawer has the content of
// the cart's page, and sends that page's forms. Without this script the browser goes to the page.

const drawer = document.querySelector('[data-drawer]')
const content = drawer.querySelector('[data-drawer-content]')
const adding = document.querySelector('[data-product]')
let sent = Promise.resolve() // the changes until now: the cart is a cookie, which each of them replaces

// send sends a form and shows the cart that follows.
const send = async (form, body) => {
  const response = await fetch(form.action, { method: 'POST', body })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const { name } = document.activeElement
  content.replaceChildren(...page.querySelector('main').childNodes)
  if (drawer.open)
    (content.querySelector(`input[name="${name}"]`) ?? drawer.querySelector('button')).focus()
  dispatchEvent(new Event('cart'))
}

// submit sends a form here, or as a browser does if that fails.
const submit = async (form, button) => {
  const body = new URLSearchParams(new FormData(form, button))
  sent = sent.then(() => send(form, body))
  try {
    await sent
    if (!drawer.open) drawer.showModal()
  } catch {
    if (!form.isConnected) return location.assign(form.action) // an earlier change replaced the form
    const { name, value } = button ?? {}
    if (name)
      form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
    form.submit()
  }
}

adding.addEventListener('submit', async (event) => {
  if (event.submitter?.value !== 'cart') return
  event.preventDefault()
  if (adding.ariaBusy === 'true') return // a second tap
  adding.ariaBusy = 'true'
  await submit(adding, event.submitter)
  adding.ariaBusy = 'false'
})
content.addEventListener('submit', (event) => {
  event.preventDefault()
  submit(event.target, event.submitter)
})
drawer.addEventListener('click', (event) => {
  const shopping = event.target.closest('[data-continue]')
  if (shopping) event.preventDefault()
  if (shopping || event.target === drawer) drawer.close()
})
