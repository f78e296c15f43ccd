// Registers the service worker once the page is at rest, and offers a new version when its files
// are stored. A page in which something was typed is not loaded again before it is left: until then
// it shows the version that it has, whose files are still there.

import { effect } from './html.js'
import { hasUnsaved, route } from './router.js'
import { showToast } from './part/toast.js'
import { t } from './strings/common.js'

const script = '/admin/sw.js'

// The one script URL that this page may run, where the browser has Trusted Types.
const policy = window.trustedTypes?.createPolicy('worker', {
  createScriptURL: (/** @type {string} */ _) => script,
})

async function register() {
  const first = navigator.serviceWorker.controller === null
  const registration = await navigator.serviceWorker.register(
    policy ? policy.createScriptURL(script) : script,
  )
  const offer = () => {
    const { waiting } = registration
    if (!waiting || first) return
    showToast(t('newVersion'), {
      stays: true,
      action: { text: t('reload'), run: () => waiting.postMessage('activate') },
    })
  }
  offer()
  registration.addEventListener('updatefound', () =>
    registration.installing?.addEventListener('statechange', offer),
  )
  if (!first) navigator.serviceWorker.addEventListener('controllerchange', showNewVersion)
}

/** Shows the new version: now, or when the form is left. */
function showNewVersion() {
  const { view, id } = route.peek()
  if (!isTyping()) {
    location.reload()
    return
  }
  effect(() => {
    if (route.value.view !== view || route.value.id !== id) location.reload()
  })
}

/** Whether loading again would lose what is typed. */
const isTyping = () =>
  hasUnsaved() ||
  [...document.querySelectorAll('input, textarea')].some(
    (input) =>
      /** @type {HTMLInputElement} */ (input).value !==
        /** @type {HTMLInputElement} */ (input).defaultValue &&
      !/^(radio|checkbox|hidden)$/.test(/** @type {HTMLInputElement} */ (input).type),
  )

if ('serviceWorker' in navigator) {
  const start = () => {
    register().catch(() => {})
  } // without it, the page works as before
  addEventListener('load', () => setTimeout(start, 2000))
}
