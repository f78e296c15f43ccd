// What this device stores: settings, forms that were not sent, and the IDs of jobs whose results
// were not seen. Never a response of the API.

const prefix = 'sf-'

/** Names the order by phone that was begun in a shop. Signing out removes it. */
export const draftOf = (/** @type {string | null} */ uid) => 'order-' + uid

/** Names the product that was begun or changed in a shop, and not saved. Signing out removes it. */
export const productDraftOf = (/** @type {string | null} */ uid) => 'product-' + uid

/** Names the design of a shop with changes that are not saved. Signing out removes it. */
export const designDraftOf = (/** @type {string | null} */ uid) => 'design-' + uid

/** How long a form that was begun is stored, in milliseconds. */
export const draftLife = 24 * 3_600_000

/** Names a landing page of a shop with changes that are not saved. Signing out removes it. */
export const landingDraftOf = (/** @type {string | null} */ uid, /** @type {string} */ slug) =>
  `landing-${uid}/${slug}`

/** Names the menus of a shop with changes that are not saved. Signing out removes them. */
export const menusDraftOf = (/** @type {string | null} */ uid) => 'menus-' + uid

/** Names the translation of a record with changes that are not saved. Signing out removes it. */
export const translationDraftOf = (
  /** @type {string | null} */ uid,
  /** @type {string} */ record,
) => `translation-${uid}/${record}`

/** Removes forms that were begun, if the function returns true for their shop and their text. */
function removeDrafts(/** @type {(uid: string, text: string) => boolean} */ isOver) {
  try {
    for (const name of Object.keys(localStorage)) {
      const [, uid] =
        /^sf-(?:order|product|design|landing|menus|translation)-([^/]*)/.exec(name) ?? []
      if (uid !== undefined && isOver(uid, localStorage.getItem(name) ?? ''))
        localStorage.removeItem(name)
    }
  } catch {
    // The browser stores nothing for this page.
  }
}

/** Removes forms that were begun too long ago: they name buyers. */
export const removeOldDrafts = () =>
  removeDrafts((_, text) => Date.now() - (JSON.parse(text)?.at ?? 0) > draftLife)

/** Removes the forms that were begun in a shop. */
export const removeDraftsOf = (/** @type {string | null} */ uid) =>
  removeDrafts((other) => other === uid)

/** @returns {string | null} */
export const load = (/** @type {string} */ name) => {
  try {
    return localStorage.getItem(prefix + name)
  } catch {
    return null // the browser stores nothing for this page
  }
}

/** Stores a value; null removes it. */
export const save = (/** @type {string} */ name, /** @type {string | null} */ value) => {
  try {
    if (value === null) localStorage.removeItem(prefix + name)
    else localStorage.setItem(prefix + name, value)
  } catch {
    // The setting lasts as long as the page.
  }
}

/** A text that was shared with the page, until the form of a new order has it. */
export const shared = {
  has: () => shared.text() !== '',
  text: () => {
    try {
      return sessionStorage.getItem('sf-shared') ?? ''
    } catch {
      return '' // the browser stores nothing for this page
    }
  },
  forget: () => {
    try {
      sessionStorage.removeItem('sf-shared')
    } catch {
      // There is none.
    }
  },
}

/** The view that a shop opens with: a new order if a message was shared with the page. */
export const firstView = () => (shared.has() ? '/new' : '/home')

/** @returns {any} a value stored with saveJSON, or a default */
export const loadJSON = (/** @type {string} */ name, /** @type {any} */ otherwise) => {
  try {
    return JSON.parse(load(name) ?? '') ?? otherwise
  } catch {
    return otherwise
  }
}

export const saveJSON = (/** @type {string} */ name, /** @type {any} */ value) =>
  save(name, JSON.stringify(value))

/** Returns what this tab has noted, null if it has not. It ends with the tab. */
export const ofTab = (/** @type {string} */ name) => {
  try {
    return sessionStorage.getItem(prefix + name)
  } catch {
    return null
  }
}

/** Notes a value for this tab; null removes it. */
export const setOfTab = (/** @type {string} */ name, /** @type {number | null} */ value) => {
  try {
    if (value === null) sessionStorage.removeItem(prefix + name)
    else sessionStorage.setItem(prefix + name, String(value))
  } catch {
    // It is known as long as the page is open.
  }
}
