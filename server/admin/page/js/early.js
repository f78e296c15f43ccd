// Requests what the first view needs while its modules are still loading: a round trip less. It
// stands before the style sheets, for which other scripts wait, and is no module, since those run
// later.
const shared = /** @type {HTMLTextAreaElement | null} */ (document.getElementById('shared'))
if (shared) {
  // the page of a text that was shared: it stays in this tab, also while somebody signs in
  let hash = ''
  try {
    sessionStorage.setItem('sf-shared', shared.value)
    const [last] = JSON.parse(localStorage.getItem('sf-shops') || '[]')
    if (last) hash = `#/${last.uid}/new`
  } catch {
    // the browser stores nothing for this page
  }
  location.replace('/admin/' + hash)
} else {
  const [path, query = ''] = location.hash.slice(2).split('?')
  const [uid, view] = path.split('/')
  /** @type {Record<string, Promise<Response>>} by address; api.js uses each once */
  const early = {}
  if (
    uid &&
    view !== 'link' &&
    (localStorage.getItem('sf-shops') || '').includes(`"uid":"${uid}"`)
  ) {
    // somebody was signed in here
    const request = (/** @type {string} */ address) => {
      const url = `/admin/v1/shops/${uid}/${address}`
      early[url] = fetch(url, {
        headers: { Accept: 'application/json' },
        credentials: 'same-origin',
        cache: 'no-store',
      })
      early[url].catch(() => {}) // who uses it handles it
    }
    request('session')
    if (view === 'orders' && /^(view=\w+)?$/.test(query))
      request('orders?' + (query || 'view=toConfirm'))
  }
  Object.assign(window, { early })
}
