// Values stored in the browser. Storage can be full, disabled or contain values of an older version
// of the page: the page works without it.

/** Returns the value stored under a name, or the fallback. */
export function load(name, fallback, storage = localStorage) {
  try {
    return JSON.parse(storage.getItem('storefront.' + name)) ?? fallback
  } catch {
    return fallback
  }
}

/** Stores a value under a name; null deletes it. */
export function save(name, value, storage = localStorage) {
  try {
    if (value === null) storage.removeItem('storefront.' + name)
    else storage.setItem('storefront.' + name, JSON.stringify(value))
  } catch {
    // The callers hold the value while the page is open.
  }
}

/** Calls back when another tab changes the value under a name. */
export function onChangeElsewhere(name, callback) {
  addEventListener('storage', (event) => {
    if (event.key === 'storefront.' + name || event.key === null) callback()
  })
}
