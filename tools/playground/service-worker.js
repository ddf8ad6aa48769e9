// The page works without a network once it was loaded: all of its files are kept, and no other address is asked.
const KEPT = 'apfctl-VERSION'; // a build has a version of its own
const FILES = []; // by the build

self.addEventListener('install', (event) => event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting())));
self.addEventListener('activate', (event) =>
  event.waitUntil(
    caches.keys()
      .then((names) => Promise.all(names.filter((name) => name.startsWith('apfctl-') && name !== KEPT).map((name) => caches.delete(name))))
      .then(() => self.clients.claim())));
self.addEventListener('fetch', (event) =>
  event.respondWith(caches.open(KEPT).then((cache) => cache.match(event.request, { ignoreSearch: true })).then((kept) => kept ?? fetch(event.request))));
