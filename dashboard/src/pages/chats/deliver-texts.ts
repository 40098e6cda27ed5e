// Sends the texts of a chat one at a time and in order, even after the user has left the chat.
import { queries, refresh } from "../../api/cache.ts";
import { api } from "../../api/client.ts";
import type { Refusal } from "../../api/refusal.ts";
import { Refused, refusalText } from "../../api/refused.ts";
import { serverNow } from "../../api/server-time.ts";
import { withNumbers } from "../../domain/messages/mentions.ts";
import { markAccepted, markFailed, markResumed, markRetried, newOutgoing, nextOf, type Outgoing } from "../../domain/messages/outgoing.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { language } from "../../texts/language.ts";
import { announce } from "../../ui/toast.tsx";
import { changeDraft, changeOutgoing, chatsWithDraft, discard, draftIn, keyOfChat } from "./drafts-store.ts";
import { isShown, refreshChats } from "./reads.ts";

/** Texts older than this are sent only after a click, because their writer may no longer expect them to be sent. */
const RESUME_MS = 10 * 60_000;
/** Longer than the gateway waits for the network. */
const SEND_TIMEOUT_MS = 120_000;
/** A request that reached this limit. */
const UNANSWERED: Refusal = { code: "offline", status: 0, details: null, requestId: null, retryAfter: null };

/** The chats whose next text is being sent. */
const running = new Set<string>();

export function sendText(id: string, chatId: string, text: string, quoted: Outgoing["quoted"]): void {
  changeDraft(id, chatId, ({ outgoing, mentioned = {} }) => {
    const { text: written, mentions } = withNumbers(text, mentioned);
    const sent = { ...outgoingOf(written, quoted), ...(mentions.length > 0 && { mentions }) };
    return { text: "", mentioned: undefined, outgoing: [...outgoing, sent] };
  });
  void deliver(id, chatId);
}

export function outgoingOf(text: string, quoted: Outgoing["quoted"]): Outgoing {
  return newOutgoing({ message_id: newMessageId(), idempotencyKey: crypto.randomUUID(), text, quoted, at: isoNow() });
}

export function sendAgain(id: string, chatId: string, { message_id }: Outgoing): void {
  changeOutgoing(id, chatId, (texts) => markRetried(texts, message_id, { at: isoNow(), newKey: crypto.randomUUID() }));
  void deliver(id, chatId);
}

/** Sends the connection's texts that a page of this browser had not yet sent when it was closed. `isBack`: the server responds again. */
export function resume(id: string, isBack = false): void {
  const since = serverNow() - RESUME_MS;
  for (const chatId of chatsWithDraft(id)) {
    const { outgoing } = draftIn(id, chatId);
    const resumed = markResumed(outgoing, { since, isBack });
    if (resumed !== outgoing) changeOutgoing(id, chatId, () => resumed);
    void deliver(id, chatId);
  }
}

const isoNow = () => new Date(serverNow()).toISOString();

/** Creates an id in the format of the network's own web client. The omitted digits of the UUID are not random. */
function newMessageId(): string {
  const uuid = crypto.randomUUID();
  return `3EB0${(uuid.slice(0, 8) + uuid.slice(-10)).toUpperCase()}`;
}

async function deliver(id: string, chatId: string): Promise<void> {
  const chat = keyOfChat(id, chatId);
  const next = nextOf(draftIn(id, chatId).outgoing);
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
  const { message_id, idempotencyKey, text, mentions, quoted } = sent;
  const texts = CHATS.loaded(language());
  announce(texts?.status.pending ?? "");
  const reply = quoted === null ? {} : { quoted_message_id: quoted.message_id };
  try {
    const { data } = await api(
      "POST /connections/{id}/messages",
      { id, chat_id: chatId, ...reply, kind: "text", message_id, text, ...(mentions && { mentions: [...mentions] }) },
      { idempotencyKey, signal: AbortSignal.timeout(SEND_TIMEOUT_MS) },
    );
    const accepted = { at: Date.now(), waits: data.waits };
    changeOutgoing(id, chatId, (outgoing) => markAccepted(outgoing, message_id, data.message_id, accepted));
    announce((data.waits ? texts?.later.held : texts?.status.sent) ?? "");
    if (data.waits) void refresh(queries, ["GET /connections/{id}/waiting"]);
  } catch (error) {
    if (!(error instanceof Refused || error instanceof DOMException)) throw error;
    const refusal = error instanceof Refused ? error : UNANSWERED;
    const reason = refusalText(refusal, language());
    // The line at the top of the page announces the lost connection.
    announce(texts === null ? reason : refusal.code === "offline" ? texts.status.failed : `${texts.status.failed}: ${reason}`);
    changeOutgoing(id, chatId, (outgoing) => markFailed(outgoing, message_id, refusal));
  }
  void readStored(id, chatId, sent);
}

/** Removes the accepted text unless its chat is open. An open chat removes it once it has read the stored message. */
async function readStored(id: string, chatId: string, sent: Outgoing): Promise<void> {
  await refreshChats(queries);
  const now = draftIn(id, chatId).outgoing.find(({ message_id }) => message_id === sent.message_id);
  if (now?.state.kind === "accepted" && !isShown(id, chatId)) discard(id, chatId, sent);
}
