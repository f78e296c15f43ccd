// Passkeys: the sign-in offers them, and the account lists them. Nothing of it shows in a browser
// without WebAuthn, or at an IP address.

const root = document.querySelector('[data-passkeys]')
const alert = root.querySelector('[role=alert]')
const isSupported =
  Boolean(window.PublicKeyCredential?.parseRequestOptionsFromJSON) &&
  !/^\[|^[\d.]+$/.test(location.hostname)

/** Finds a nonce for a shop that is attacked, as work.js does. */
const solve = async ({ Challenge, Difficulty }) => {
  for (let nonce = 0; ; nonce++) {
    const proof = `${Challenge}.${nonce}`
    const sum = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(proof))
    if (Math.clz32(new DataView(sum).getUint32(0)) >= Difficulty) return proof
  }
}

/** Sends a step. A refusal is an error with the texts of the server. */
const post = async (fields) => {
  const response = await fetch(root.dataset.passkeys, {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  const result = await response.json()
  if (response.ok) return result
  if (!result.work) throw Object.assign(new Error(result.problem), { isCode: result.isCode })
  return post({ ...fields, [result.work.Field]: await solve(result.work) })
}

const show = (text) => {
  alert.textContent = text
  alert.hidden = !text
}

/** Signs options; null if the buyer declines. */
const sign = async (options, more) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const signed = await navigator.credentials.get({ publicKey, ...more }).catch(() => null)
  return signed && JSON.stringify(signed)
}

const explain = (error) => {
  if ('isCode' in error) return error.message
  return error.name === 'InvalidStateError' ? root.dataset.conflict : root.dataset.failed
}

/** Runs what a button does, once at a time. */
let isBusy = false
const run = async (work) => {
  if (isBusy) return
  isBusy = true
  root.setAttribute('aria-busy', 'true')
  show('')
  try {
    await work()
  } catch (error) {
    if (error) show(explain(error))
  }
  root.removeAttribute('aria-busy')
  isBusy = false
}

/** Shows a form, and returns the value of its field; rejects with null if the buyer cancels. */
const ask = (name, value = '') => {
  const form = root.querySelector(`[data-ask=${name}]`)
  const field = form.elements[name]
  form.hidden = false
  field.value = value
  field.focus()
  root.removeAttribute('aria-busy')
  return new Promise((resolve, reject) => {
    const end = (settle) => (event) => {
      event.preventDefault()
      form.hidden = true
      form.onsubmit = form.onreset = null
      root.setAttribute('aria-busy', 'true')
      show('')
      settle()
    }
    form.onsubmit = end(() => resolve(field.value))
    form.onreset = end(() => reject(null))
  })
}

/** Sends a step with a proof of the account: a passkey of this page, or a code. */
const withProof = async (fields) => {
  if (root.querySelector('[data-here]')) {
    const proof = await sign(await post({ do: 'prove' }))
    if (proof) return post({ ...fields, proof })
  }
  const { to } = await post({ do: 'code' })
  root.querySelector('[data-to]').textContent = to
  for (;;) {
    const code = await ask('code')
    try {
      return await post({ ...fields, code })
    } catch (error) {
      if (!error.isCode) throw error
      show(error.message)
    }
  }
}

const agent = navigator.userAgent
const device = /iPhone|iPad|Android|Windows|Mac|CrOS|Linux/.exec(agent)?.[0] ?? ''

const steps = {
  async add() {
    const name = await ask('name', device)
    const options = await withProof({ do: 'begin' })
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    const credential = JSON.stringify(await navigator.credentials.create({ publicKey }))
    await post({ do: 'add', name, credential })
    location.reload()
  },
  async rename(item) {
    const name = await ask('name', item.dataset.name)
    await post({ do: 'rename', id: item.dataset.passkey, name })
    location.reload()
  },
  async remove(item) {
    await withProof({ do: 'remove', id: item.dataset.passkey })
    location.reload()
  },
  'sign-in': async () => {
    offered?.abort() // a browser has one request at a time
    await signIn()
  },
}

const signIn = async (more) => {
  const credential = await sign(await post({ do: 'begin-sign-in' }), more)
  if (!credential) return false
  await post({ do: 'sign-in', credential })
  location.replace(root.dataset.account)
  return true
}

/** Offers passkeys at the field of the phone, with a new challenge while the page is open. */
let offered
const offer = async () => {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
  document.getElementById('phone').autocomplete = 'tel webauthn'
  for (let refused = 0; refused < 3 && !isBusy;) {
    offered = new AbortController()
    const timer = setTimeout(() => offered.abort(), 4 * 60_000) // the server accepts it for five
    const { signal } = offered
    try {
      if ((await signIn({ mediation: 'conditional', signal })) || !signal.aborted) return
    } catch (error) {
      show(explain(error))
      refused++
    }
    clearTimeout(timer)
  }
}

if (isSupported) {
  root.hidden = false
  root.addEventListener('click', ({ target }) => {
    const step = steps[target.closest('[data-do]')?.dataset.do]
    if (step) run(() => step(target.closest('[data-passkey]')))
  })
  if (document.getElementById('phone') && root.dataset.account) offer().catch(() => {})
}
