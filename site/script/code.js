// Fills in a code from a text message that is bound to this host, where the browser can read it.

const field = document.getElementById('code')
if ('OTPCredential' in window) {
  const done = new AbortController()
  field.form.addEventListener('submit', () => done.abort())
  navigator.credentials
    .get({ otp: { transport: ['sms'] }, signal: done.signal })
    .then((found) => {
      if (!field.value) field.value = found.code
    })
    .catch(() => {}) // the buyer types it
}
