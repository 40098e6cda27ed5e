// Drafts, by chat: the typed text, and the texts on their way. They survive a reload and the closing of the tab
// (docs/use/dashboard.md, "What the browser stores"), and the tabs of a browser share them.
import { useSyncExternalStore } from "react";
import { queries } from "../../api/cache.ts";
import { reading } from "../../api/client.ts";
import type { Mentioned } from "../../domain/messages/mentions.ts";
import { fromFormat2, type Outgoing } from "../../domain/messages/outgoing.ts";

type Draft = { text: string; mentioned?: Mentioned | undefined; outgoing: readonly Outgoing[] };
type Drafts = Readonly<Record<string, Draft>>;

const NAME = "unsent";
/** Increased whenever the storage format changes. */
const FORMAT = 3;
/** Texts in the format of a page from before a deployment are converted. Texts in any other format are dropped. */
const CONVERSIONS: Readonly<Record<number, (stored: never) => Outgoing>> = { 2: fromFormat2, [FORMAT]: (stored: Outgoing) => stored };
const NONE: Draft = { text: "", outgoing: [] };
let drafts: Drafts = {};
/** The serialized `drafts` as last read or written. Undefined before the first read. */
let stored: string | null | undefined;
/** False after a failed write. From then on, the storage is not read, so that the texts last as long as the page. */
let isWritten = true;
/** Remembered, because an ended session no longer identifies its user. */
let user: string | undefined;
const listeners = new Set<() => void>();

export const keyOfChat = (id: string, chatId: string) => `${id} ${chatId}`;

export function draftIn(id: string, chatId: string): Draft {
  if (stored === undefined) read();
  return drafts[keyOfChat(id, chatId)] ?? NONE;
}

export function useDraft(id: string, chatId: string): Draft {
  return useSyncExternalStore(subscribe, () => draftIn(id, chatId));
}

/** Unlike `useDraft`, does not change while the user types. */
export function useOutgoing(id: string, chatId: string): readonly Outgoing[] {
  return useSyncExternalStore(subscribe, () => draftIn(id, chatId).outgoing);
}

/** The chats of a connection that have a draft now, in any tab. */
export function chatsWithDraft(id: string): string[] {
  read();
  return Object.keys(drafts).flatMap((key) => {
    const [connectionId, chatId = ""] = key.split(" ");
    return connectionId === id ? [chatId] : [];
  });
}

export function changeDraft(id: string, chatId: string, changed: (now: Draft) => Partial<Draft>): void {
  // Another tab may have changed the texts of other chats.
  read();
  const { [keyOfChat(id, chatId)]: before = NONE, ...others } = drafts;
  const next = { ...before, ...changed(before) };
  drafts = next.text === "" && next.outgoing.length === 0 ? others : { ...others, [keyOfChat(id, chatId)]: next };
  write();
  notify();
}

export function changeOutgoing(id: string, chatId: string, changed: (now: readonly Outgoing[]) => readonly Outgoing[]): void {
  changeDraft(id, chatId, ({ outgoing }) => ({ outgoing: changed(outgoing) }));
}

export function keep(id: string, chatId: string, text: Outgoing): void {
  changeOutgoing(id, chatId, (outgoing) => [...outgoing, text]);
}

export function discard(id: string, chatId: string, { message_id }: Outgoing): void {
  changeOutgoing(id, chatId, (outgoing) => outgoing.filter((each) => each.message_id !== message_id));
}

/** Texts of another user, whose session ended without a sign-out, are not shown, and are deleted by the next change. */
function read(): void {
  user ??= queries.getQueryData(reading("GET /session", {}).queryKey)?.data.user?.id;
  if (user === undefined || !isWritten) return;
  let text: string | null = null;
  try {
    text = localStorage.getItem(NAME);
  } catch {
    // The browser blocks the storage, so the next write fails too.
  }
  if (text === stored) return;
  stored = text;
  try {
    drafts = draftsIn(text ?? "", user);
  } catch {
    drafts = {};
  }
}

type Stored = { format: number; user: string; chats: Record<string, Omit<Draft, "outgoing"> & { outgoing: never[] }> };

/** Reuses the arrays of texts that did not change, so that their chats are not rendered again. */
function draftsIn(serialized: string, reader: string): Drafts {
  const kept = JSON.parse(serialized) as Stored;
  const converted = CONVERSIONS[kept.format];
  if (kept.user !== reader || converted === undefined) return {};
  const draftOf = (chat: string, { outgoing: own, ...typed }: Stored["chats"][string]): Draft => {
    const [outgoing, before] = [own.map(converted), drafts[chat]?.outgoing];
    return { ...typed, outgoing: before !== undefined && JSON.stringify(outgoing) === JSON.stringify(before) ? before : outgoing };
  };
  return Object.fromEntries(Object.entries(kept.chats).map(([chat, draft]) => [chat, draftOf(chat, draft)]));
}

function write(): void {
  // Nothing is stored during a sign-out, because the sign-out deletes all texts.
  if (queries.isMutating({ mutationKey: ["leaving"] }) > 0) return;
  const text = Object.keys(drafts).length === 0 ? null : JSON.stringify({ format: FORMAT, user, chats: drafts });
  try {
    if (text === null) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, text);
    stored = text;
    isWritten = true;
  } catch {
    isWritten = false;
  }
  // Prevents an automatic reload after a deployment (deployment.ts).
  if (isWritten || text === null) delete document.documentElement.dataset["typed"];
  else document.documentElement.dataset["typed"] = "unsaved";
}

function notify(): void {
  for (const listener of listeners) listener();
}

// Another tab of this browser has changed the texts.
addEventListener("storage", ({ key }) => {
  if (key !== NAME) return;
  read();
  notify();
});

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}
