// The page's service worker. It keeps one small page that says that there is no connection;
// everything else goes to the network, so that nobody ever plays with an old hall.

const CACHE = "paiju {{base}}";
const OFFLINE = "{{base}}/offline.html";
const KEPT = [OFFLINE, "{{base}}/style/base.css", "{{base}}/style/offline.css", "{{base}}/icon.svg"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(KEPT)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name !== CACHE);
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))));
});

self.addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => caches.match(OFFLINE)));
  } else {
    const kept = KEPT.some((name) => event.request.url.endsWith(`/${name}`));
    if (kept) event.respondWith(caches.match(event.request).then((found) => found ?? fetch(event.request)));
  }
});
