// Texts that are not sent, by chat: drafts, and texts that are being sent or were refused. They survive a reload and the end of the tab
// (docs/use/dashboard.md, "What the browser stores").
import { useSyncExternalStore } from "react";
import { queries } from "../../api/cache.ts";
import { reading } from "../../api/client.ts";
import type { Refusal } from "../../api/refused.ts";
import type { Message } from "./reads.ts";

/** A text that is being sent, or that was refused. */
export type Outgoing = {
  /** Chosen here, so that the stored message is recognized before the response arrives, and is stored only once. */
  message_id: string;
  /** The idempotency key. */
  click: string;
  text: string;
  quoted: Message["quoted"];
  at: string;
  refused: Refusal | null;
};

type Unsent = { text: string; outgoing: readonly Outgoing[] };
type Chats = Readonly<Record<string, Unsent>>;

const NAME = "unsent";
const NONE: Unsent = { text: "", outgoing: [] };
let chats: Chats | undefined;
/** Remembered, because an ended session no longer identifies its user. */
let user: string | undefined;
const listeners = new Set<() => void>();

const keyOf = (id: string, chatId: string) => `${id} ${chatId}`;

export function unsentIn(id: string, chatId: string): Unsent {
  return restored()[keyOf(id, chatId)] ?? NONE;
}

export function useUnsent(id: string, chatId: string): Unsent {
  return useSyncExternalStore(subscribe, () => unsentIn(id, chatId));
}

export function changeUnsent(id: string, chatId: string, changed: (now: Unsent) => Partial<Unsent>): void {
  const { [keyOf(id, chatId)]: before = NONE, ...others } = restored();
  const next = { ...before, ...changed(before) };
  chats = next.text === "" && next.outgoing.length === 0 ? others : { ...others, [keyOf(id, chatId)]: next };
  try {
    if (Object.keys(chats).length === 0) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, JSON.stringify({ user, chats }));
  } catch {
    // The storage is full, so the texts last as long as the page.
  }
  notify();
}

/** Texts of another user, whose session ended without a sign-out, are not shown, and are deleted by the next change. */
function restored(): Chats {
  user ??= queries.getQueryData(reading("GET /session", {}).queryKey)?.data.user?.id;
  if (chats !== undefined || user === undefined) return chats ?? {};
  const kept = JSON.parse(localStorage.getItem(NAME) ?? "{}") as { user?: string; chats?: Chats };
  chats = (kept.user === user && kept.chats) || {};
  return chats;
}

function notify(): void {
  for (const listener of listeners) listener();
}

// Another tab of this browser has changed the texts.
addEventListener("storage", ({ key }) => {
  if (key !== NAME) return;
  chats = undefined;
  notify();
});

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}
