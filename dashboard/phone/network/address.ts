// The page's URL fragment: a phone, one of its screens, and the id that the screen shows.
import { useSyncExternalStore } from "react";

export type Screen = "chats" | "chat" | "write" | "group" | "new-group" | "calls" | "devices" | "link" | "settings";

export type Address = { phone: string | null; screen: Screen; about: string | null };

const SCREENS: ReadonlySet<string> = new Set<Screen>([
  "chats",
  "chat",
  "write",
  "group",
  "new-group",
  "calls",
  "devices",
  "link",
  "settings",
]);

export function addressOf(hash: string): Address {
  const [phone = "", screen = "", about = ""] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  if (!/^\d+$/.test(phone)) return { phone: null, screen: "chats", about: null };
  return { phone, screen: SCREENS.has(screen) ? (screen as Screen) : "chats", about: about === "" ? null : about };
}

export function to(phone: string, screen: Screen = "chats", about?: string): string {
  return `#/${phone}/${screen}${about === undefined ? "" : `/${encodeURIComponent(about)}`}`;
}

export function useAddress(): Address {
  return addressOf(useSyncExternalStore(subscribe, () => location.hash));
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
