// The service worker: the dashboard's own files are stored, so that a second visit requests none and the
// page opens without a network. Responses of the API are never stored. The server writes the constants
// version and files before this script.
/* global version, files */

const page = '/admin/'

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(version).then((cache) => cache.addAll([new Request(page, { cache: 'reload' }), ...files])))
})

// The files of the version before stay: pages that show it load their other views from them.
self.addEventListener('activate', (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name !== version).slice(0, -1)
    .map((name) => caches.delete(name)))).then(() => self.clients.claim()))
})

// A page that shows the new version's notice has the worker take its place at once.
self.addEventListener('message', (event) => {
  if (event.data === 'activate') self.skipWaiting()
})

self.addEventListener('fetch', (event) => {
  const { method, url } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== self.location.origin || (pathname !== page && !pathname.startsWith('/admin/assets/'))) return
  event.respondWith(caches.match(pathname, pathname === page ? { cacheName: version } : {}).then((stored) => stored ?? fetch(event.request)))
})
