// Keeps the site in the browser, so that it opens quickly and without a network. A new version of the site has another
// text of this file, because it names the digest of each file. So the browser installs it beside the old one, which
// serves its pages until the last one is reloaded or closed.

const scope = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const { registration, clients } = scope;
const FILES = $files;
const PREFIX = `site:${registration.scope}:`;
const CACHE = PREFIX + "$version";
/** @type {(path: string) => string} */
const key = (path) => new URL(`${path}?${FILES[path]}`, registration.scope).href;

scope.addEventListener("install", (event) => event.waitUntil(install()));
scope.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
scope.addEventListener("message", ({ data }) => data === "take over" && scope.skipWaiting());
scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const inside = request.method === "GET" && request.url.startsWith(registration.scope);
  const path = inside ? new URL(request.url).pathname.slice(new URL(registration.scope).pathname.length) || "index.html" : "";
  if (path in FILES) event.respondWith(answer(request, path));
});

/** Keep every file: from an older version if it has not changed, else from the server. */
async function install() {
  const cache = await caches.open(CACHE);
  await Promise.all(Object.keys(FILES).map(async (path) => {
    if (!(await cache.match(key(path)))) await cache.put(key(path), (await kept(path)) ?? (await fetched(path)));
  }));
}

/** @type {(path: string) => Promise<Response | undefined>} */
async function kept(path) {
  for (const name of (await caches.keys()).filter((one) => one.startsWith(PREFIX))) {
    const response = await (await caches.open(name)).match(key(path));
    if (response) return response;
  }
  return undefined;
}

/**
 * Return a file with this version's digest. What the browser still has of the page's own visit is used first.
 * @type {(path: string) => Promise<Response>}
 */
async function fetched(path) {
  const url = new URL(path, registration.scope);
  const integrity = FILES[path];
  return fetch(url, { integrity }).catch(() => fetch(url, { integrity, cache: "reload" }));
}

async function forgetOthers() {
  const others = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(others.map((name) => caches.delete(name)));
}

/** @type {(request: Request, path: string) => Promise<Response>} */
async function answer(request, path) {
  // a page that is loaded while no other is open gets the new version
  if (request.mode === "navigate" && registration.waiting && (await clients.matchAll()).length < 2) {
    registration.waiting.postMessage("take over");
    return new Response("", { headers: { Refresh: "0" } });
  }
  return (await (await caches.open(CACHE)).match(key(path))) ?? fetch(request);
}
