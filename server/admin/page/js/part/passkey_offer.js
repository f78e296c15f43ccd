// A line after a sign-in with a password, once on each device that could have a passkey.

import { load, save } from '../device.js'
import { to } from '../router.js'
import { t } from '../strings/passkey.js'
import { isSupported } from './passkey.js'
import { showToast } from './toast.js'

export async function offer(/** @type {import('../session.js').Session} */ session) {
  if (!isSupported() || session.staffMember.passkeys > 0 || load('passkey-offered')) return
  if (!(await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable())) return
  save('passkey-offered', '1')
  showToast(t('offer'), {
    lasts: 20_000,
    action: { text: t('setUp'), to: to('account', 'passkeys') },
  })
}
