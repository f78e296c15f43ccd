// The service worker: the dashboard's own files are stored, so that a second visit requests none
// and the page opens without a network. Responses of the API are never stored. The server writes
// the constants version, files and icon before this script.
/* global version, files, icon */

const page = '/admin/'

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(version)
      .then((cache) => cache.addAll([new Request(page, { cache: 'reload' }), ...files])),
  )
})

// The files of the version before stay: pages that show it load their other views from them.
self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names
            .filter((name) => name !== version)
            .slice(0, -1)
            .map((name) => caches.delete(name)),
        ),
      )
      .then(() => self.clients.claim()),
  )
})

// A page that shows the new version's notice has the worker take its place at once.
self.addEventListener('message', (event) => {
  if (event.data === 'activate') self.skipWaiting()
})

self.addEventListener('fetch', (event) => {
  const { method, url } = event.request
  const { origin, pathname } = new URL(url)
  if (
    method !== 'GET' ||
    origin !== self.location.origin ||
    (pathname !== page && !pathname.startsWith('/admin/assets/'))
  )
    return
  event.respondWith(
    caches
      .match(pathname, pathname === page ? { cacheName: version } : {})
      .then((stored) => stored ?? fetch(event.request)),
  )
})

// A push message is shown whatever happens: a browser ends the subscription of a page that does
// not.
self.addEventListener('push', (event) => {
  let message = { title: 'Storefront' }
  try {
    message = event.data.json()
  } catch {
    // Shown without its text.
  }
  const { title, body, url, tag, lang } = message
  event.waitUntil(
    self.registration
      .showNotification(title, { body, tag, lang, icon, data: { url } })
      .then(mark)
      .catch(() => {}),
  )
})

/**
 * Marks the installed page's icon with the number of notifications, unless a page shows its own
 * there.
 */
async function mark() {
  if ((await self.clients.matchAll({ type: 'window', includeUncontrolled: true })).length > 0)
    return
  await self.navigator.setAppBadge?.((await self.registration.getNotifications()).length)
}

// A click opens what the notification is about, in a page that is open if there is one.
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const target = new URL(event.notification.data?.url ?? page, self.location.origin)
  if (target.origin !== self.location.origin || target.pathname !== page) return
  event.waitUntil(
    self.clients.matchAll({ type: 'window', includeUncontrolled: true }).then((all) => {
      const open = all.find((one) => new URL(one.url).pathname === page)
      return open
        ? open
            .focus()
            .then((one) => one.navigate(target.href))
            .catch(() => self.clients.openWindow(target.href))
        : self.clients.openWindow(target.href)
    }),
  )
})
