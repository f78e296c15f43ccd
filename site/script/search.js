// Shows suggestions below the search field while the buyer types. The form works without them.

const attach = (box) => {
  const field = box.querySelector('input')
  const list = box.querySelector('[data-suggestions]')
  const status = box.querySelector('[data-suggested]')
  let timer
  let request

  const suggest = async () => {
    request?.abort()
    request = new AbortController()
    const query = new URLSearchParams({ q: field.value.trim() })
    try {
      const response = await fetch(`${box.dataset.suggest}?${query}`, {
        signal: request.signal,
      })
      if (!response.ok) return
      list.innerHTML = await response.text()
      list.hidden = !list.firstElementChild
      status.textContent = list.firstElementChild?.dataset.text ?? ''
    } catch (error) {
      if (error.name !== 'AbortError') list.hidden = true
    }
  }

  const hide = () => {
    clearTimeout(timer)
    request?.abort()
    list.hidden = true
  }

  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(suggest, 120)
  })
  box.addEventListener('keydown', (event) => {
    if (list.hidden) return
    if (event.key === 'Escape') {
      hide()
      field.focus()
      event.preventDefault() // which would empty the field
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    const stops = [field, ...list.querySelectorAll('a')]
    stops.at((stops.indexOf(document.activeElement) + step) % stops.length).focus()
    event.preventDefault()
  })
  box.addEventListener('focusout', (event) => {
    if (event.relatedTarget && !box.contains(event.relatedTarget)) hide()
  })
  document.addEventListener('pointerdown', (event) => {
    if (!box.contains(event.target)) hide()
  })
}

const box = document.querySelector('[data-suggest]')
if (box) attach(box)
