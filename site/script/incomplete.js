// Sends what the buyer has typed to the shop, after a pause, if the box beside the notice is ticked.
// Unticking deletes it there. The form works without.

const form = document.querySelector('[data-incomplete]')
const box = form.elements.agreed
const name = 'incomplete' // in the browser: the secret that lets this browser change what it has sent
const pause = 800
const minDigits = 10
const single = ['agreed', 'phone', 'name', 'address', 'city', 'delivery', 'coupon']
const several = ['item', 'variant', 'quantity']

let own = '' // the secret, in a browser that stores nothing
const readSession = () => {
  try {
    own = localStorage.getItem(name) ?? own
  } catch {
    // It lasts as long as the page.
  }
  return own
}
const saveSession = (session) => {
  own = session
  try {
    if (session) localStorage.setItem(name, session)
    else localStorage.removeItem(name)
  } catch {
    // It lasts as long as the page.
  }
}

let timer
let sent
let request = Promise.resolve()
const post = async (body) => {
  await request
  request = fetch(form.dataset.incomplete, { method: 'POST', body, keepalive: true }).catch(() => {
    sent = undefined // the next change sends all of it again
  })
}
const send = () => {
  timer = clearTimeout(timer)
  if (!readSession()) saveSession(crypto.getRandomValues(new Uint32Array(4)).join('-'))
  const data = new FormData(form)
  const body = new URLSearchParams({ session: own })
  for (const field of [...single, ...several]) {
    for (const value of data.getAll(field)) body.append(field, value)
  }
  if (form.querySelector('[name="code"]') || document.getElementById('alert'))
    body.append('submitted', '1')
  if (String(body) === sent) return
  sent = String(body)
  post(body)
}
const isPhone = () => (form.elements.phone.value.match(/\p{Nd}/gu) ?? []).length >= minDigits
const schedule = () => {
  clearTimeout(timer)
  if (box.checked && isPhone()) timer = setTimeout(send, pause)
}
const forget = () => {
  timer = clearTimeout(timer)
  const session = readSession()
  if (!session) return
  saveSession('')
  sent = undefined
  post(new URLSearchParams({ session }))
}

form.addEventListener('input', ({ target }) => {
  if (target === box && !box.checked) forget()
  else schedule()
})
form.addEventListener('submit', (event) => {
  if (!event.defaultPrevented) timer = clearTimeout(timer)
})
addEventListener('pagehide', () => timer && send())
if (document.getElementById('alert')) schedule() // the order was refused
