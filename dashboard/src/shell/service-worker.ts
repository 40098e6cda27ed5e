// Registers the service worker, which shows notifications and the offline page, and renews this browser's push subscription.
import { api } from "../api/client.ts";
import { language } from "../texts/language.ts";

type Policy = { createScriptURL: (url: string) => string };
type TrustedTypes = { createPolicy: (name: string, rules: Policy) => Policy };

/** The page's only Trusted Types policy. It returns the same URL, whatever the caller passes. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy("service-worker", {
  createScriptURL: () => "/sw.js",
});

const registered: Promise<ServiceWorkerRegistration | null> =
  "serviceWorker" in navigator
    ? navigator.serviceWorker.register(policy?.createScriptURL("") ?? "/sw.js").then(
        () => navigator.serviceWorker.ready,
        // In private windows, some browsers have no service worker.
        () => null,
      )
    : Promise.resolve(null);

export type PushState = "unsupported" | "denied" | "ready";

export async function pushState(): Promise<PushState> {
  const registration = await registered;
  if (registration === null || !("pushManager" in registration) || !("Notification" in globalThis)) return "unsupported";
  return Notification.permission === "denied" ? "denied" : "ready";
}

/** Asks for the permission, subscribes this browser and stores the subscription. False if the user or the browser refuses. */
export async function subscribe(): Promise<boolean> {
  const registration = await registered;
  if (registration === null || (await Notification.requestPermission()) !== "granted") return false;
  const { data } = await api("GET /push", {});
  const key = data.public_key.replaceAll("-", "+").replaceAll("_", "/");
  const applicationServerKey = Uint8Array.from(atob(key), (character) => character.codePointAt(0) ?? 0);
  // A browser has only one subscription, and refuses to create a second one with another key.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }).catch(() => null);
  const { endpoint, keys } = subscription?.toJSON() ?? {};
  if (endpoint === undefined || keys?.["p256dh"] === undefined || keys["auth"] === undefined) return false;
  await api("PUT /push", { endpoint, p256dh: keys["p256dh"], auth: keys["auth"], key_id: data.key_id, language: language() });
  return true;
}

/** The server's key changes every month, and a subscription works only with the key that it was made with. */
export async function renew(): Promise<void> {
  if ((await pushState()) !== "ready" || Notification.permission !== "granted") return;
  if ((await (await registered)?.pushManager.getSubscription()) == null) return;
  const { data } = await api("GET /push", {});
  if (data.stored_key_id !== null && data.stored_key_id !== data.key_id) await subscribe();
}
