// Push notifications and the offline page, both by the service worker. The browser's subscription is simulated, since it needs its vendor's
// push service; the worker, its events and the notifications are real.
import { createECDH, randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { useDashboard, type WindowOptions } from "#root/test/support/dashboard/dashboard.ts";

const dashboard = useDashboard();

/** Replaces the browser's subscriptions, and counts them in `window.subscriptions`. */
async function simulated(page: Page): Promise<void> {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  const keys = { p256dh: pair.getPublicKey("base64url"), auth: randomBytes(16).toString("base64url") };
  await page.addInitScript((given) => {
    const endpoint = `https://push.example.com/${Math.random()}`;
    const made = { toJSON: () => ({ endpoint, keys: given }), unsubscribe: async () => sessionStorage.removeItem("subscribed") };
    const found = () => (sessionStorage.getItem("subscribed") === null ? null : made);
    // A browser without a screen denies the permission, whatever its settings.
    Object.defineProperty(Notification, "permission", { get: () => "granted" });
    Notification.requestPermission = async () => "granted";
    Object.assign(PushManager.prototype, {
      getSubscription: async () => found(),
      subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array }) => {
        if (found() !== null) throw new DOMException("another key", "InvalidStateError");
        sessionStorage.setItem("subscribed", String(applicationServerKey.length));
        return made;
      },
    });
  }, keys);
}

async function opened(path: string, options: WindowOptions = {}) {
  const visit = await dashboard().visit(null, options);
  await simulated(visit.page);
  await visit.page.goto(path);
  return visit;
}

const settings = () => `/connections/${dashboard().ready.demo.connection.id}/settings`;
it("notifications are switched on, with or without the text, and off, for this browser alone", async () => {
  const { page, context } = await opened(settings());
  const panel = page.getByRole("region", { name: "Notificações neste aparelho" });
  await panel.getByRole("button", { name: "Ativar notificações" }).click();
  const text = panel.getByLabel("Mostrar o texto da mensagem");
  await text.waitFor();
  expect(await text.isChecked()).toBe(false);
  await text.click();
  await page.getByText("Notificações ativadas.").first().waitFor();
  await page.reload();
  await text.waitFor();
  expect(await text.isChecked()).toBe(true);
  // An uncompressed point of the curve has 65 bytes.
  expect(await page.evaluate(() => sessionStorage.getItem("subscribed"))).toBe("65");

  // The key of a past month: the page subscribes again by itself.
  const stored = Promise.withResolvers<object>();
  await context.route("**/api/dashboard/push", async (route) => {
    if (route.request().method() === "PUT") stored.resolve(route.request().postDataJSON() as object);
    const answer = await route.fetch();
    if (route.request().method() === "PUT") return route.fulfill({ response: answer });
    const { data } = (await answer.json()) as { data: object };
    return route.fulfill({ response: answer, json: { data: { ...data, stored_key_id: "1.1" } } });
  });
  await page.reload();
  expect(await stored.promise).toMatchObject({ key_id: expect.stringMatching(/^\d+\.\d{3}$/), language: "pt" });
  await context.unrouteAll({ behavior: "wait" });

  await panel.getByRole("button", { name: "Desativar notificações" }).click();
  await panel.getByRole("button", { name: "Ativar notificações" }).waitFor();
});

it("the settings say how to unblock notifications, and which browsers have none", async () => {
  const blocked = await dashboard().visit(null, { language: "en" });
  await blocked.page.addInitScript(() => Object.defineProperty(Notification, "permission", { get: () => "denied" }));
  await blocked.page.goto(settings());
  await blocked.page.getByText("Notifications are blocked.").waitFor();
  expect(await blocked.page.getByRole("button", { name: "Turn on notifications" }).count()).toBe(0);
  const old = await dashboard().visit(null, { language: "en" });
  await old.page.addInitScript(() => Reflect.deleteProperty(ServiceWorkerRegistration.prototype, "pushManager"));
  await old.page.goto(settings());
  await old.page.getByText("This browser can't receive notifications.").waitFor();
});

it("a notification shows a message that arrives while no page shows the chats", async () => {
  const { page, context } = await opened(settings());
  await page.evaluate(async () => navigator.serviceWorker.ready);
  // A browser without a screen shows no notifications, so the worker's call is recorded.
  const [worker] = context.serviceWorkers();
  if (worker === undefined) throw new Error("no service worker");
  await worker.evaluate(() => {
    const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
    const shown: object[] = [];
    Object.assign(globalThis, { shown });
    registration.showNotification = async (title, options) => void shown.push({ title, ...options });
  });
  const devtools = await context.newCDPSession(page);
  const registered = Promise.withResolvers<string>();
  devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    const [first] = registrations;
    if (first !== undefined) registered.resolve(first.registrationId);
  });
  await devtools.send("ServiceWorker.enable");
  const registrationId = await registered.promise;
  const path = `/connections/${dashboard().ready.demo.connection.id}/chats/5511900000003%40c.us`;
  const data = JSON.stringify({ title: "Bia", body: "Nova mensagem", tag: path, path });
  await devtools.send("ServiceWorker.deliverPushMessage", { origin: dashboard().url, registrationId, data });
  await expect
    .poll(() => worker.evaluate(() => (globalThis as unknown as { shown: object[] }).shown), { timeout: 60_000 })
    .toEqual([expect.objectContaining({ title: "Bia", body: "Nova mensagem", tag: path, data: path })]);
});

/** Opens the pages as windows that the service worker controls, and returns them with the worker. */
async function controlled(paths: readonly [string, ...string[]], options: WindowOptions = {}) {
  const visit = await opened(paths[0], options);
  await visit.page.evaluate(async () => navigator.serviceWorker.ready);
  await visit.page.reload();
  const others = [];
  for (const path of paths.slice(1)) {
    const other = await visit.context.newPage();
    await other.goto(`${dashboard().url}${path}`);
    others.push(other);
  }
  const [worker] = visit.context.serviceWorkers();
  if (worker === undefined) throw new Error("no service worker");
  return { ...visit, others, worker };
}

it("a notification opens its chat in a window of the dashboard, without a reload if the window shows it", async () => {
  const chats = `/connections/${dashboard().ready.demo.connection.id}/chats`;
  const path = `${chats}/5511900000002%40c.us`;
  const { page, others, worker } = await controlled([path, "/docs/help"]);
  await page.getByRole("heading", { level: 1 }).waitFor();
  // Only a person's tap may focus a window.
  await worker.evaluate(() => {
    const { WindowClient } = globalThis as unknown as { WindowClient: { prototype: object } };
    Object.assign(WindowClient.prototype, { focus: async () => undefined });
  });
  await page.evaluate(() => Object.assign(globalThis, { planted: true }));
  const tap = (to: string) =>
    worker.evaluate(async (given) => {
      await (globalThis as unknown as { open: (path: string) => Promise<unknown> }).open(given);
    }, to);
  await tap(path);
  expect(await page.evaluate(() => "planted" in globalThis)).toBe(true);
  await tap(`${chats}/5511900000003%40c.us`);
  await page.waitForURL(/5511900000003/);
  expect(others.map((other) => new URL(other.url()).pathname)).toEqual(["/docs/help"]);
});

it("a sign-out closes the notifications and the pages in other windows", async () => {
  const as = await dashboard().newUser(`saida-${crypto.randomUUID()}@example.com`);
  const { page, others, worker } = await controlled(["/account", "/connections", "/docs/help"], { as });
  await worker.evaluate(() => {
    const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
    const shown = [{ close: () => void shown.pop() }];
    Object.assign(globalThis, { shown });
    registration.getNotifications = async () => [...shown] as unknown as Notification[];
  });
  await page.bringToFront();
  await page.getByRole("button", { name: /Conta e preferências$/ }).click();
  await page.getByRole("button", { name: "Sair" }).click();
  await page.waitForURL(/\/sign-in\?out=yes/);
  await expect.poll(() => others.map((other) => new URL(other.url()).pathname)).toEqual(["/sign-in", "/docs/help"]);
  expect(await worker.evaluate(() => (globalThis as unknown as { shown: object[] }).shown.length)).toBe(0);
  expect(new URL(page.url()).search).toBe("?out=yes");
});

it.each([
  ["pt", "Sem conexão", "Tentar de novo"],
  ["en", "You are offline", "Try again"],
] as const)("a page without a connection says so in the user's language: %s", async (language, title, again) => {
  const { page, context, trouble } = await opened("/connections", { language, phone: true });
  await page.evaluate(async () => navigator.serviceWorker.ready);
  trouble.expect(/ERR_INTERNET_DISCONNECTED|Failed to load resource/);
  await context.setOffline(true);
  await page.goto("/account");
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
  expect(await page.getByRole("heading").count()).toBe(1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await context.setOffline(false);
  await page.getByRole("link", { name: again }).click();
  await page
    .getByRole("heading", { level: 1 })
    .filter({ hasText: /conta|account/i })
    .waitFor();
  // Only the offline page's own files are cached.
  const cached = await page.evaluate(async () => {
    const [name = ""] = await caches.keys();
    return (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname);
  });
  expect(cached).toEqual(["/offline", "/offline.css", "/before.js", "/favicon.svg"]);
});
