// Unsent texts, by chat. They survive a reload and the closing of the tab (docs/use/dashboard.md, "What the browser stores").
// The texts of a chat are sent one at a time and in order, even after the user has left the chat.
import { useSyncExternalStore } from "react";
import { queries, refresh } from "../../api/cache.ts";
import { api, reading } from "../../api/client.ts";
import { Refused, type Refusal, refusalText } from "../../api/refused.ts";
import { serverNow } from "../../api/server-time.ts";
import { isUncertain, unanswered } from "../../domain/chats.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { language } from "../../texts/language.ts";
import { announce } from "../../ui/toast.tsx";
import { isShown, type Message, refreshChats } from "./reads.ts";

/** A text that is waiting to be sent, that was refused, or that was accepted but has not yet been read as a stored message. */
export type Outgoing = {
  /** Chosen here, so that the stored message is recognized before the response arrives, and is stored only once. */
  message_id: string;
  /** The id of the stored message. Differs from `message_id` only for Cloud API numbers, where the gateway chooses the ids. */
  stored_id?: string | undefined;
  /** The idempotency key. */
  click: string;
  text: string;
  quoted: Message["quoted"];
  at: string;
  refused: Refusal | null;
  /** `at` is in Unix ms, by the clock of this browser. `waits` means that the gateway sends the message later. */
  accepted: { at: number; waits: boolean } | null;
};

type Unsent = { text: string; outgoing: readonly Outgoing[] };
type Chats = Readonly<Record<string, Unsent>>;

const NAME = "unsent";
/** Increased whenever the storage format changes. Texts in another format are dropped. */
const FORMAT = 2;
const NONE: Unsent = { text: "", outgoing: [] };
let chats: Chats = {};
/** The serialized `chats` as last read or written. Undefined before the first read. */
let stored: string | null | undefined;
/** False after a failed write. From then on, the storage is not read, so that the texts last as long as the page. */
let isWritten = true;
/** Remembered, because an ended session no longer identifies its user. */
let user: string | undefined;
const listeners = new Set<() => void>();

const keyOf = (id: string, chatId: string) => `${id} ${chatId}`;

function unsentIn(id: string, chatId: string): Unsent {
  if (stored === undefined) read();
  return chats[keyOf(id, chatId)] ?? NONE;
}

export function useUnsent(id: string, chatId: string): Unsent {
  return useSyncExternalStore(subscribe, () => unsentIn(id, chatId));
}

/** Unlike `useUnsent`, does not change while the user types. */
export function useOutgoing(id: string, chatId: string): readonly Outgoing[] {
  return useSyncExternalStore(subscribe, () => unsentIn(id, chatId).outgoing);
}

export function changeUnsent(id: string, chatId: string, changed: (now: Unsent) => Partial<Unsent>): void {
  // Another tab may have changed the texts of other chats.
  read();
  const { [keyOf(id, chatId)]: before = NONE, ...others } = chats;
  const next = { ...before, ...changed(before) };
  chats = next.text === "" && next.outgoing.length === 0 ? others : { ...others, [keyOf(id, chatId)]: next };
  write();
  notify();
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
    const kept = JSON.parse(text ?? "") as { format?: number; user?: string; chats: Chats };
    chats = kept.format === FORMAT && kept.user === user ? Object.fromEntries(Object.entries(kept.chats).map(withSame)) : {};
  } catch {
    chats = {};
  }
}

/** Reuses the previous object if a chat's texts did not change, so that the chat is not rendered again. */
function withSame([key, { text, outgoing }]: [string, Unsent]): [string, Unsent] {
  const before = (chats[key] ?? NONE).outgoing;
  return [key, { text, outgoing: JSON.stringify(outgoing) === JSON.stringify(before) ? before : outgoing }];
}

function write(): void {
  // Nothing is stored during a sign-out, because the sign-out deletes all texts.
  if (queries.isMutating({ mutationKey: ["leaving"] }) > 0) return;
  const text = Object.keys(chats).length === 0 ? null : JSON.stringify({ format: FORMAT, user, chats });
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

/** Texts older than this are sent only after a click, because their writer may no longer expect them to be sent. */
const RESUME_MS = 10 * 60_000;
/** Longer than the gateway waits for the network. */
const SEND_TIMEOUT_MS = 120_000;
const UNANSWERED = { code: "offline", status: 0, details: null, requestId: null, retryAfter: null } as const;
const QUEUED = { ...UNANSWERED, code: "queued" } as const;
/** After these refusals by the network, the gateway replays the response for the same key (src/domain/admission/idempotency.ts). */
const REPLAYED: ReadonlySet<number> = new Set([403, 422]);

const running = new Set<string>();

export function sendText(id: string, chatId: string, text: string, quoted: Message["quoted"]): void {
  changeUnsent(id, chatId, ({ outgoing }) => ({ text: "", outgoing: [...outgoing, outgoingOf(text, quoted)] }));
  void deliver(id, chatId);
}

export function outgoingOf(text: string, quoted: Message["quoted"]): Outgoing {
  return { message_id: newMessageId(), click: crypto.randomUUID(), text, quoted, at: isoNow(), refused: null, accepted: null };
}

/** Sends the message again under the same key. After a refusal that the gateway would replay, uses a new key. */
export function sendAgain(id: string, chatId: string, { message_id, click, refused }: Outgoing): void {
  const next = refused !== null && REPLAYED.has(refused.status) ? crypto.randomUUID() : click;
  change(id, chatId, (each) =>
    each.message_id === message_id ? { ...each, stored_id: undefined, click: next, at: isoNow(), refused: null } : each,
  );
  void deliver(id, chatId);
}

export function keep(id: string, chatId: string, text: Outgoing): void {
  changeUnsent(id, chatId, ({ outgoing }) => ({ outgoing: [...outgoing, text] }));
}

export function discard(id: string, chatId: string, { message_id }: Outgoing): void {
  changeUnsent(id, chatId, ({ outgoing }) => ({ outgoing: outgoing.filter((each) => each.message_id !== message_id) }));
}

/** Sends the connection's texts that a page of this browser had not yet sent when it was closed. `isBack`: the server responds again. */
export function resume(id: string, isBack = false): void {
  const isOld = (each: Outgoing) => isWaiting(each) && serverNow() - Date.parse(each.at) > RESUME_MS;
  read();
  for (const key of Object.keys(chats)) {
    const [of, chatId = ""] = key.split(" ");
    if (of !== id) continue;
    if (unsentIn(id, chatId).outgoing.some(isOld)) change(id, chatId, (each) => (isOld(each) ? { ...each, refused: QUEUED } : each));
    const again = unanswered(isBack ? unsentIn(id, chatId).outgoing : [], serverNow() - RESUME_MS);
    if (again.size > 0) change(id, chatId, (each) => (again.has(each) ? { ...each, refused: null } : each));
    void deliver(id, chatId);
  }
}

/** A message in the conversation. `outgoing` is set if it is shown instead of a stored one. */
export type Shown = Message & { outgoing?: Outgoing };

export function bubbleOf(outgoing: Outgoing, chatId: string): Shown {
  const { message_id, text, quoted, at, refused, accepted } = outgoing;
  const status = refused !== null ? "failed" : accepted === null || accepted.waits ? "pending" : "sent";
  return { ...PLAIN, message_id, chat_id: chatId, text, quoted, at, status, outgoing };
}

const PLAIN: Omit<Message, "message_id" | "chat_id" | "text" | "quoted" | "at" | "status"> = {
  from_me: true,
  from: null,
  push_name: null,
  type: "text",
  preview: null,
  media: null,
  location: null,
  contacts: null,
  poll: null,
  reactions: [],
  forwarded: false,
  starred: false,
  error: null,
  source: "dashboard",
  edited_at: null,
  deleted_at: null,
};

const isoNow = () => new Date(serverNow()).toISOString();

/** Creates an id in the format of the network's own web client. The omitted digits of the UUID are not random. */
function newMessageId(): string {
  const uuid = crypto.randomUUID();
  return `3EB0${(uuid.slice(0, 8) + uuid.slice(-10)).toUpperCase()}`;
}

function change(id: string, chatId: string, changed: (each: Outgoing) => Outgoing): void {
  changeUnsent(id, chatId, ({ outgoing }) => ({ outgoing: outgoing.map(changed) }));
}

const isWaiting = ({ refused, accepted }: Outgoing) => refused === null && accepted === null;

async function deliver(id: string, chatId: string): Promise<void> {
  const chat = keyOf(id, chatId);
  const next = unsentIn(id, chatId).outgoing.find(isWaiting);
  if (next === undefined || running.has(chat)) return;
  running.add(chat);
  try {
    await sendOne(id, chatId, next);
  } finally {
    running.delete(chat);
  }
  await deliver(id, chatId);
}

async function sendOne(id: string, chatId: string, sent: Outgoing): Promise<void> {
  const { message_id, click, text, quoted } = sent;
  const texts = CHATS.loaded(language());
  announce(texts?.status.pending ?? "");
  const reply = quoted === null ? {} : { quoted_message_id: quoted.message_id };
  try {
    const { data } = await api(
      "POST /connections/{id}/messages",
      { id, chat_id: chatId, ...reply, kind: "text", message_id, text },
      { click, signal: AbortSignal.timeout(SEND_TIMEOUT_MS) },
    );
    const accepted = { at: Date.now(), waits: data.waits };
    change(id, chatId, (each) =>
      each.message_id === message_id ? { ...each, stored_id: data.message_id, refused: null, accepted } : each,
    );
    announce((data.waits ? texts?.later.held : texts?.status.sent) ?? "");
    if (data.waits) void refresh(queries, ["GET /connections/{id}/waiting"]);
  } catch (error) {
    if (!(error instanceof Refused || error instanceof DOMException)) throw error;
    const refused = error instanceof Refused ? error : UNANSWERED;
    const reason = refusalText(refused, language());
    announce(texts === null ? reason : `${texts.status.failed}: ${reason}`);
    change(id, chatId, (each) => {
      if (each.message_id === message_id) return { ...each, stored_id: storedIdIn(refused), refused };
      // The texts after a refused one are not attempted, because they would arrive out of order, and may raise the risk of a ban.
      return isUncertain({ refused }) || !isWaiting(each) ? each : { ...each, refused: QUEUED };
    });
  }
  void readStored(id, chatId, sent);
}

/** The id of a message that was stored although its send failed. */
export function storedIdIn({ details }: Pick<Refusal, "details">): string | undefined {
  return (details as { message_id?: string } | null)?.message_id ?? undefined;
}

/** Removes the accepted text unless its chat is open. An open chat removes it once it has read the stored message. */
async function readStored(id: string, chatId: string, sent: Outgoing): Promise<void> {
  await refreshChats(queries);
  const isAccepted = unsentIn(id, chatId).outgoing.some((each) => each.message_id === sent.message_id && each.accepted !== null);
  if (isAccepted && !isShown(id, chatId)) discard(id, chatId, sent);
}
