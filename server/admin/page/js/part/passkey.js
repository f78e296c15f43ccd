// Passkeys in the browser: what a page sends to the authenticator, and what this returns.

/** @typedef {import('../api.js').Schemas['RequestOptions']} RequestOptions */
/** @typedef {import('../api.js').Schemas['CreationOptions']} CreationOptions */

/** Whether the browser has passkeys at this address: none has them at an IP address. */
export const isSupported = () =>
  'PublicKeyCredential' in window && !/^\[|^[\d.]+$/.test(location.hostname)

/** Returns binary data from base64url. */
const bytes = (/** @type {string} */ text) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))

/** Returns base64url. */
const base64url = (/** @type {ArrayBuffer} */ data) =>
  btoa(String.fromCharCode(...new Uint8Array(data)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')

const descriptors = (/** @type {RequestOptions['allowCredentials']} */ list) =>
  list.map(({ id, transports }) => ({
    type: /** @type {'public-key'} */ ('public-key'),
    id: bytes(id),
    transports: /** @type {any} */ (transports),
  }))

/**
 * Returns what a function returns, null if the person has closed the browser's dialog, or it was
 * aborted.
 * @param {() => Promise<any>} run
 */
async function unlessClosed(run) {
  try {
    return await run()
  } catch (error) {
    if (error instanceof DOMException && /^(NotAllowed|Abort)Error$/.test(error.name)) return null
    throw error
  }
}

/**
 * Creates a passkey, null if the person declines.
 * @param {CreationOptions} options
 */
export async function create(options) {
  const { challenge, user, excludeCredentials, ...rest } = options
  const made = await unlessClosed(() =>
    navigator.credentials.create({
      publicKey: /** @type {any} */ ({
        ...rest,
        challenge: bytes(challenge),
        user: { ...user, id: bytes(user.id) },
        excludeCredentials: descriptors(excludeCredentials),
      }),
    }),
  )
  return (
    made && {
      id: made.id,
      clientDataJSON: base64url(made.response.clientDataJSON),
      attestationObject: base64url(made.response.attestationObject),
      transports: made.response.getTransports?.() ?? [],
    }
  )
}

/**
 * Signs a challenge, null if the person declines.
 * @param {RequestOptions} options
 * @param {{ mediation?: 'conditional', signal?: AbortSignal }} [more]
 */
export async function sign(options, more = {}) {
  const { challenge, allowCredentials, ...rest } = options
  const signed = await unlessClosed(() =>
    navigator.credentials.get({
      ...more,
      publicKey: /** @type {any} */ ({
        ...rest,
        challenge: bytes(challenge),
        allowCredentials: descriptors(allowCredentials),
      }),
    }),
  )
  return (
    signed && {
      id: signed.id,
      clientDataJSON: base64url(signed.response.clientDataJSON),
      authenticatorData: base64url(signed.response.authenticatorData),
      signature: base64url(signed.response.signature),
      userHandle: signed.response.userHandle ? base64url(signed.response.userHandle) : undefined,
    }
  )
}
