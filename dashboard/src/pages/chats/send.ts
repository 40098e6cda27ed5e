// Sends messages. A message that the network did not confirm is shown as uncertain and is never resent automatically. The texts of a chat are
// sent one at a time, in the order in which they were written, also after the chat was closed.
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { api, type Request, upload } from "../../api/client.ts";
import { queries } from "../../api/cache.ts";
import { serverNow } from "../../api/server-time.ts";
import { sizeText } from "../../domain/formats.ts";
import { Refused, refusalText } from "../../api/refused.ts";
import { announce, toast } from "../../ui/toast.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { language } from "../../texts/language.ts";
import { type Message, refreshChats } from "./reads.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { changeUnsent, type Outgoing, unsentIn } from "./unsent.ts";

const MAX_BYTES = 26_214_400;

/** Reports that a file is too large, with its name and size. */
export type TooLarge = (name: string, size: string) => string;

type Send = Request<"POST /connections/{id}/messages">;
type Without<S> = S extends { kind: string } ? Omit<S, "id" | "chat_id" | "to" | "quoted_message_id"> : never;

export type Sending = Without<Send>;

export type Sender = {
  /** Throws `Refused`. If the outcome is unknown, it resolves, and the message is kept as uncertain. */
  send: (sending: Sending) => Promise<void>;
  sendFile: (file: File, sendingOf: (media: string) => Sending) => Promise<void>;
};

export function useSend(id: string, chatId: string, quotedId: string | null): Sender {
  const texts = useTexts(CHATS);
  const client = useQueryClient();
  // Reuses the idempotency key when the same message is sent again because no response arrived.
  const clicks = useRef(new Map<string, string>());
  const uploads = useRef(new WeakMap<File, string>());
  const send = async (sending: Sending) => {
    const request = { id, chat_id: chatId, ...(quotedId === null ? {} : { quoted_message_id: quotedId }), ...sending } as Send;
    const of = JSON.stringify(request);
    const click = clicks.current.get(of) ?? crypto.randomUUID();
    clicks.current.set(of, click);
    try {
      const { data } = await api("POST /connections/{id}/messages", request, { click });
      clicks.current.delete(of);
      // For scheduled messages, the caller shows the confirmation itself.
      if (!("delivery" in sending)) announce(data.waits ? texts.later.held : texts.status.sent);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!wasNotAnswered(error)) clicks.current.delete(of);
      if (error.code !== "send_outcome_unknown") throw error;
      keep(id, chatId, { ...outgoingOf("", null), message_id: messageIdIn(error), refused: error });
    } finally {
      void refreshChats(client);
    }
  };
  const sendFile = async (file: File, sendingOf: (media: string) => Sending) => {
    // A retry after a missing response reuses the uploaded file.
    const media = uploads.current.get(file) ?? (await uploaded(id, file));
    uploads.current.set(file, media);
    try {
      await send(sendingOf(media));
    } catch (error) {
      if (!(error instanceof Refused && wasNotAnswered(error))) uploads.current.delete(file);
      throw error;
    }
  };
  return { send, sendFile };
}

/** Returns true if the response is inconclusive, because the server may still have processed the request. */
function wasNotAnswered({ status }: { status: number }): boolean {
  return status === 0 || status >= 500;
}

async function uploaded(id: string, file: File): Promise<string> {
  const { data } = await upload("POST /connections/{id}/media", { id, filename: file.name }, file);
  return data.id;
}

/** Returns the id of the message if it was stored although its send failed, or else an unknown one. */
function messageIdIn({ details }: Refused): string {
  const known = details === null || Array.isArray(details) ? null : (details as Record<string, unknown>)["message_id"];
  return typeof known === "string" ? known : newMessageId();
}

/** Returns the files that are not too large, and reports the others. */
export function sendable(files: readonly File[], tooLarge: TooLarge): File[] {
  const large = files.filter(({ size }) => size > MAX_BYTES);
  for (const { name, size } of large) toast(tooLarge(name, sizeText(size)), { kind: "bad" });
  return files.filter((file) => !large.includes(file));
}

/** A message in the conversation. `outgoing` is set if it is not stored yet. */
export type Shown = Message & { outgoing?: Outgoing };

/** An older text may surprise its writer, so it is sent only after a click. */
const RESUME_MS = 10 * 60_000;
const AWAY = { code: "offline", status: 0, details: null, requestId: null, retryAfter: null } as const;

const running = new Set<string>();
/** Ids of the texts that were accepted, and whose stored messages are being loaded. */
const accepted = new Set<string>();

export function sendText(id: string, chatId: string, text: string, quoted: Message["quoted"]): void {
  changeUnsent(id, chatId, ({ outgoing }) => ({ text: "", outgoing: [...outgoing, outgoingOf(text, quoted)] }));
  void deliver(id, chatId);
}

function outgoingOf(text: string, quoted: Message["quoted"]): Outgoing {
  return { message_id: newMessageId(), click: crypto.randomUUID(), text, quoted, at: isoNow(), refused: null };
}

/** The same message, with the same key, unless the server remembers under this key that it refused the text. */
export function sendAgain(id: string, chatId: string, { message_id, click, refused }: Outgoing): void {
  const next = refused === null || wasNotAnswered(refused) ? click : crypto.randomUUID();
  change(id, chatId, (each) => (each.message_id === message_id ? { ...each, click: next, at: isoNow(), refused: null } : each));
  void deliver(id, chatId);
}

export function keep(id: string, chatId: string, text: Outgoing): void {
  changeUnsent(id, chatId, ({ outgoing }) => ({ outgoing: [...outgoing, text] }));
}

export function discard(id: string, chatId: string, { message_id }: Outgoing): void {
  changeUnsent(id, chatId, ({ outgoing }) => ({ outgoing: outgoing.filter((each) => each.message_id !== message_id) }));
}

/** Sends what a page of this browser left when it was closed. */
export function resume(id: string, chatId: string): void {
  const isOld = ({ refused, at }: Outgoing) => refused === null && serverNow() - Date.parse(at) > RESUME_MS;
  if (unsentIn(id, chatId).outgoing.some(isOld)) change(id, chatId, (each) => (isOld(each) ? { ...each, refused: AWAY } : each));
  void deliver(id, chatId);
}

export const isUncertain = ({ refused }: Outgoing) => refused?.code === "send_outcome_unknown";

/** The stored messages, and below them the texts that are not stored. A refused text is shown instead of its failed message. */
export function withOutgoing(chatId: string, stored: readonly Message[], outgoing: readonly Outgoing[]) {
  const texts = new Map(outgoing.map((each) => [each.message_id, each]));
  const messages = stored.filter(({ message_id, status }) => status !== "failed" || !texts.has(message_id));
  const known = new Set(messages.map(({ message_id }) => message_id));
  const shown: Shown[] = [
    ...messages,
    ...outgoing.filter((each) => !known.has(each.message_id) && !isUncertain(each)).map((each) => bubbleOf(each, chatId)),
  ];
  /** These had no response, but were accepted. */
  const settled = outgoing.filter((each) => each.refused !== null && known.has(each.message_id) && !isUncertain(each));
  return { shown, settled };
}

function bubbleOf(outgoing: Outgoing, chatId: string): Shown {
  const { message_id, text, quoted, at, refused } = outgoing;
  return { ...PLAIN, message_id, chat_id: chatId, text, quoted, at, status: refused === null ? "pending" : "failed", outgoing };
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

/** In the format of the network's own web client. These digits of a UUID are random. */
function newMessageId(): string {
  const uuid = crypto.randomUUID();
  return `3EB0${(uuid.slice(0, 8) + uuid.slice(-10)).toUpperCase()}`;
}

function change(id: string, chatId: string, changed: (each: Outgoing) => Outgoing): void {
  changeUnsent(id, chatId, ({ outgoing }) => ({ outgoing: outgoing.map(changed) }));
}

const isWaiting = ({ message_id, refused }: Outgoing) => refused === null && !accepted.has(message_id);

async function deliver(id: string, chatId: string): Promise<void> {
  const chat = `${id} ${chatId}`;
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
      { click },
    );
    accepted.add(message_id);
    announce((data.waits ? texts?.later.held : texts?.status.sent) ?? "");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    announce(`${texts?.status.failed}: ${refusalText(error, language())}`);
    const isOver = (each: Outgoing) => each.message_id === message_id || (error.code !== "send_outcome_unknown" && isWaiting(each));
    // The texts after a refused one are not attempted, because they would arrive out of order, and may raise the risk of a ban.
    change(id, chatId, (each) => (isOver(each) ? { ...each, refused: error } : each));
  }
  void replaceByStored(id, chatId, sent);
}

/** The bubble of an accepted text stays until its stored message is loaded. */
async function replaceByStored(id: string, chatId: string, sent: Outgoing): Promise<void> {
  await refreshChats(queries);
  if (accepted.delete(sent.message_id)) discard(id, chatId, sent);
}
