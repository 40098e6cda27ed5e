// Shows notifications of new messages, and a page while the gateway cannot be reached. Caches only that page.
"use strict";

const CACHE = "offline-1";
const FILES = ["/offline", "/offline.css", "/before.js", "/favicon.svg"];

self.addEventListener("install", (event) => {
  const stored = caches.open(CACHE).then((cache) => cache.addAll(FILES));
  event.waitUntil(stored.then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(activate()));

async function activate() {
  for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
  // The request for a page starts while this script starts.
  await self.registration.navigationPreload?.enable();
}

self.addEventListener("fetch", (event) => {
  const { mode, url } = event.request;
  const { pathname } = new URL(url);
  if (mode === "navigate" && !/^\/(api|docs|mcp)\b/.test(pathname)) event.respondWith(page(event));
  else if (FILES.includes(pathname)) event.respondWith(fetch(event.request).catch(() => caches.match(pathname)));
});

async function page(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await caches.match("/offline")) ?? Response.error();
  }
}

self.addEventListener("push", (event) => event.waitUntil(notify(event.data.json())));

/** A focused page that shows the number's chats has the message already. */
async function notify({ title, body, tag, path }) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const chats = path.slice(0, path.lastIndexOf("/"));
  if (windows.some(({ focused, url }) => focused && new URL(url).pathname.startsWith(chats))) return;
  await self.registration.showNotification(title, { body, tag, renotify: true, icon: "/icon-192.png", data: path });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

async function open(path) {
  const [window] = await self.clients.matchAll({ type: "window" });
  if (window === undefined) return self.clients.openWindow(path);
  await window.focus();
  return window.navigate(path);
}
