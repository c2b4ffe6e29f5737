// Keeps the files of the page, for when there is no network. What the server has goes first.
'use strict';
const KEPT = 'playground';
const FILES = ['./', 'style.css', 'main.js', 'editor.js', 'guide.js', 'link.js', 'pool.js', 'worker.js', 'gmachine.wasm',
  'examples/list.json', 'docs/tutorial.md', 'docs/language.md', 'docs/seeing.md', 'docs/film.png'];

self.addEventListener('install', (event) => event.waitUntil((async () => {
  const kept = await caches.open(KEPT);
  await kept.addAll(FILES);
  const names = await (await kept.match('examples/list.json')).json();
  await kept.addAll(names.map((name) => `examples/${name}.core`));
  await self.skipWaiting();
})()));
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET' || !event.request.url.startsWith(self.registration.scope)) return;
  event.respondWith((async () => {
    const kept = await caches.open(KEPT);
    try {
      const answer = await fetch(event.request);
      if (answer.ok) event.waitUntil(kept.put(event.request, answer.clone()));
      return answer;
    } catch (error) {
      const answer = await kept.match(event.request, { ignoreSearch: true });
      if (answer) return answer;
      throw error;
    }
  })());
});
