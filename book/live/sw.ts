// The site's service worker. Pages that were visited, and Python once it was loaded, are there without
// a network. And each answer says that the page is isolated, which many hosts do not: then Stop leaves
// Python's variables as they are.

import { version } from "virtual:python";

interface Install extends Event { waitUntil(done: Promise<unknown>): void }
interface Ask extends Install { readonly request: Request; respondWith(answer: Promise<Response>): void }

const site = self as unknown as {
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(kind: "install" | "activate", act: (event: Install) => void): void;
  addEventListener(kind: "fetch", act: (event: Ask) => void): void;
  addEventListener(kind: "message", act: (event: Install & { data: string[] }) => void): void;
};
const PAGES = "micrograd-pages";
const PYTHON = `micrograd-files-${version}`;
const mine = (name: string) => name.startsWith("micrograd-files-") && name !== PYTHON;

site.addEventListener("install", () => void site.skipWaiting());

site.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (mine(name)) await caches.delete(name);
  await site.clients.claim();
})()));

function isolated(answer: Response): Response {
  if (answer.type === "opaque" || answer.status === 0) return answer;
  const headers = new Headers(answer.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  const empty = [101, 204, 205, 304].includes(answer.status);
  return new Response(empty ? null : answer.body, { status: answer.status, statusText: answer.statusText, headers });
}

async function keep(cache: Cache, request: Request, answer: Response): Promise<void> {
  try {
    await cache.put(request, answer);
  } catch { /* the storage is full: this one will need the network */ }
}

/** The files of Python never change under their version: the kept one will do. */
async function fromCache(request: Request): Promise<Response> {
  const cache = await caches.open(PYTHON);
  const kept = await cache.match(request);
  if (kept) return isolated(kept);
  const answer = await fetch(request);
  if (answer.ok) void keep(cache, request, answer.clone());
  return isolated(answer);
}

/** All else may have changed: the kept one is for when there is no network. */
async function fromNetwork(request: Request): Promise<Response> {
  const cache = await caches.open(PAGES);
  try {
    const answer = await fetch(request);
    if (answer.ok) void keep(cache, request, answer.clone());
    return isolated(answer);
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: request.mode === "navigate" });
    if (kept) return isolated(kept);
    throw error;
  }
}

site.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  event.respondWith(url.pathname.includes("/live/python/") ? fromCache(request) : fromNetwork(request));
});

/** What a page loaded before this worker was there. */
site.addEventListener("message", (event) => event.waitUntil((async () => {
  const cache = await caches.open(PAGES);
  for (const url of event.data) if (!(await cache.match(url))) await cache.add(url).catch(() => undefined);
})()));
