// The button that signs in or proves a session with a passkey. In a form to sign in, the browser
// also offers passkeys at the field of the user.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { Problem, send } from '../api.js'
import { t } from '../strings/passkey.js'
import { explain } from '../strings/problem.js'
import { isSupported, sign } from './passkey.js'
import { icon } from './icon.js'

/** How long a challenge is used, in milliseconds: the server accepts it for five minutes. */
const turn = 4 * 60_000

/**
 * @param {{ kind: 'signIn' | 'prove', shop: string, enter: (session: any) => void }} props enter
 *   receives the session
 */
export function view({ kind, shop, enter }) {
  const busy = useSignal(false)
  const problem = useSignal('')
  const waiting = useRef(/** @type {AbortController | null} */ (null))
  const folder = kind === 'signIn' ? 'session/passkey' : 'session/proof'
  const post = async (/** @type {string} */ path, /** @type {any} */ body) =>
    (await send('POST', path, { body, shop, recover: false })).data

  /** Returns null if nobody has answered. */
  async function use(/** @type {any} */ more) {
    const credential = await sign(await post(folder + '/options', {}), more)
    if (!credential) return null
    try {
      enter(await post(folder, { credential }))
      return true
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problem.value = error.code === 'invalid_credentials' ? t('rejected') : explain(error)
      return false
    }
  }

  /** Offers passkeys at the field of the user, with a new challenge while the page is open. */
  async function offer(/** @type {AbortSignal} */ closed) {
    const { isConditionalMediationAvailable } = PublicKeyCredential
    if (!(await isConditionalMediationAvailable?.call(PublicKeyCredential))) return
    for (let rejected = 0; rejected < 3 && !closed.aborted;) {
      const current = (waiting.current = new AbortController())
      const timer = setTimeout(() => current.abort(), turn)
      const end = () => current.abort()
      closed.addEventListener('abort', end)
      try {
        const isIn = await use({ mediation: 'conditional', signal: current.signal })
        if (isIn || (isIn === null && !current.signal.aborted)) return
        if (isIn === false) rejected++
      } finally {
        clearTimeout(timer)
        closed.removeEventListener('abort', end)
      }
      if (busy.peek()) return // the button was used
    }
  }

  useEffect(() => {
    if (kind === 'prove' || !shop || !isSupported()) return
    const closed = new AbortController()
    offer(closed.signal).catch(() => {}) // the button remains
    return () => closed.abort()
  }, [shop])

  async function onClick() {
    if (busy.value) return
    busy.value = true
    problem.value = ''
    waiting.current?.abort() // a browser has one request at a time
    try {
      await use({})
    } catch (error) {
      problem.value = error instanceof Problem ? explain(error) : t('rejected')
    } finally {
      busy.value = false
    }
  }

  return (
    isSupported() &&
    shop && html`
      ${problem.value && html`
        <p class="banner bad rounded" role="alert">
          ${icon('circle-alert')}
          <span>${problem.value}</span>
        </p>
      `}
      <button
        type="button"
        class="button big"
        id="passkey"
        aria-busy=${busy.value}
        onClick=${onClick}
      >
        ${icon('key-round')}
        ${t(kind)}
      </button>
    `
  )
}
