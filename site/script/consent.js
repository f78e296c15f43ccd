// Advertising: nothing of another company is loaded, and nothing is sent, before the buyer allows it.

const bar = document.querySelector('[data-consent]')
const set = JSON.parse(bar.dataset.consent)
const answered = document.cookie.match(/(?:^|; )consent=([01])~([^~;]*)/)
const isAnswered = answered?.[2] === set.wording
let isAllowed = isAnswered && answered[1] === '1'

const start = () => {
  if (Object.keys(set.tags).length) import(set.script).then(({ report }) => report(set))
}

const answer = (allowed) => {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  const value = `${allowed ? 1 : 0}~${set.wording}~${Math.floor(Date.now() / 1000)}`
  document.cookie = `consent=${value}; path=/; max-age=15552000; samesite=lax${secure}`
  bar.hidden = true
  if (isAllowed && !allowed) {
    for (const name of document.cookie.match(/\b_(?:fbp|fbc|ttp|tt_|ga|gcl)[^=]*/g) ?? []) {
      for (const domain of ['', `; domain=${location.hostname.replace(/^www\./, '')}`]) {
        document.cookie = `${name}=; path=/; max-age=0${domain}`
      }
    }
    location.reload() // the scripts end
  }
  if (allowed && !isAllowed) start()
  isAllowed = allowed
}

bar.querySelector('[data-accept]').addEventListener('click', () => answer(true))
bar.querySelector('[data-decline]').addEventListener('click', () => answer(false))
const choices = document.querySelector('[data-choices]')
choices.hidden = false
choices.addEventListener('click', () => {
  bar.hidden = false
  bar.querySelector('button').focus()
})
if (isAllowed) start()
else bar.hidden = isAnswered
