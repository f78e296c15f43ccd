// Solves the challenge of a shop that is attacked, and sends the form again. Nonces are tried until the
// SHA-256 begins with enough zero bits, which takes seconds.

const form = document.querySelector('[data-challenge]')

const solve = async (challenge, difficulty) => {
  const encoder = new TextEncoder()
  for (let nonce = 0; ; nonce++) {
    const proof = `${challenge}.${nonce}`
    const sum = new DataView(await crypto.subtle.digest('SHA-256', encoder.encode(proof)))
    if (Math.clz32(sum.getUint32(0)) >= difficulty) return proof
  }
}

if (form) {
  form.setAttribute('aria-busy', 'true')
  form.elements[form.dataset.work].value = await solve(
    form.dataset.challenge,
    Number(form.dataset.difficulty),
  )
  form.requestSubmit()
}
