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
  const { pathname, search } = new URL(url);
  // The account menu opens this page after a sign-out.
  if (mode === "navigate" && pathname + search === "/sign-in?out=yes") event.waitUntil(signedOut(event.resultingClientId));
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

/** The dashboard's windows, except those of the documentation and of the pages for people without an account. */
async function dashboards() {
  const windows = await self.clients.matchAll({ type: "window" });
  return windows.filter(({ url }) => /^\/(connections|account|admin)\b/.test(new URL(url).pathname));
}

/** Other windows and the notifications may still show messages. */
async function signedOut(newClientId) {
  // The address is kept, so it may be opened again after somebody has signed in.
  const session = await fetch("/api/dashboard/session").then(
    (answer) => answer.json(),
    () => null,
  );
  if (session?.data?.user) return;
  for (const notification of await self.registration.getNotifications()) notification.close();
  // Resolves once the page that signed out is gone.
  await self.clients.get(newClientId);
  for (const window of await dashboards()) await window.navigate("/sign-in").catch(() => undefined);
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

/** Navigation reloads the page, which would stop its uploads, so it is avoided if a window shows the chat already. */
async function open(path) {
  const windows = await dashboards();
  const shown = windows.find(({ url }) => decodeURIComponent(new URL(url).pathname) === decodeURIComponent(path));
  if (shown !== undefined) return shown.focus();
  const [window] = windows;
  if (window === undefined) return self.clients.openWindow(path);
  await window.focus();
  return window.navigate(path);
}
