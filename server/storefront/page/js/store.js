// What this browser remembers. Storage can be full, switched off or hold what an older version of
// the page wrote: then the page goes on without.

/** Gives what is kept under a name, or the fallback. */
export function load(name, fallback, storage = localStorage) {
  try {
    return JSON.parse(storage.getItem('storefront.' + name)) ?? fallback
  } catch {
    return fallback
  }
}

/** Keeps a value under a name; null forgets it. */
export function save(name, value, storage = localStorage) {
  try {
    if (value === null) storage.removeItem('storefront.' + name)
    else storage.setItem('storefront.' + name, JSON.stringify(value))
  } catch {
    // It is kept for as long as the page is open, by those who hold it.
  }
}

/** Calls back when another tab changes what is kept under a name. */
export function onChangeElsewhere(name, callback) {
  addEventListener('storage', (event) => {
    if (event.key === 'storefront.' + name || event.key === null) callback()
  })
}
