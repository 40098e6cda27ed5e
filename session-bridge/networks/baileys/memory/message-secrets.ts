// Secrets of messages that may still be edited, stored so that another process can decrypt the edit.
import { createDecipheriv, hkdfSync } from "node:crypto";
import { proto, WAMessageAddressingMode, type WAMessageKey } from "baileys";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import type { MessageRange } from "@gateway/protocol/commands.ts";
import type { MessageRef } from "@gateway/protocol/content.ts";
import { unpooled } from "#bridge/store/row-codec.ts";
import { jidsOf, jidOfChat, jidOfPerson } from "../addressing/jids.ts";
import { unwrap } from "../content/unwrap.ts";
import { fetchSent } from "../durability/sent-messages.ts";
import { boundedCache, perSession } from "../session/per-session.ts";
import type { Rows, NetworkSession } from "../session/session-context.ts";
import { groupsOf } from "./group-cache.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";

const { SecretEncType } = proto.Message.SecretEncryptedMessage;

type SealedEdit = proto.Message.ISecretEncryptedMessage;
export type Editable = { chatId: ChatId; id: string; type: string; timestamp: number; raw: proto.IMessage };

const SECRET_BYTES = 32;
/** Maximum length of a message id. No client creates longer ids, and row names are limited. */
const MAX_ID_LENGTH = 128;
const SECRET_CACHE_SIZE = 200;

/** Clients allow edits of texts and captions for 15 minutes, and of an event until it begins. */
const EDITABLE = new Set(["text", "image", "video", "document"]);
const EVENT = "event";
/** Rows are kept for a day, so messages older than that are not stored. */
const EDITABLE_MS = DAY_MS;

/** `plain` rows are kept for a day, `poll` rows for 90. In direct chats, the id suffices, because only the other person knows it. */
const rowKeyOf = (kind: "plain" | "poll", chatId: ChatId, id: string): string =>
  `${kind}|secret:${chatId.endsWith("@g.us") ? chatId : ""}:${id}`;

export class MessageSecrets {
  readonly #recent = boundedCache<string, Buffer>(SECRET_CACHE_SIZE);

  /** Skips messages that cannot be edited. Pass `secret` for messages from history, which store it in a different field. */
  store(rows: Rows, { chatId, id, type, timestamp, raw }: Editable, now: number, secret = secretOf(raw)): void {
    const isEvent = type === EVENT;
    if (secret?.length !== SECRET_BYTES || id.length > MAX_ID_LENGTH) return;
    if (!isEvent && !(EDITABLE.has(type) && now - timestamp * 1000 < EDITABLE_MS)) return;
    const key = rowKeyOf(isEvent ? "poll" : "plain", chatId, id);
    const kept = unpooled(secret);
    this.#recent.set(key, kept);
    rows.put(key, kept);
  }

  async find(rows: Rows, chatId: ChatId, id: string): Promise<Buffer | null> {
    const keys = [rowKeyOf("plain", chatId, id), rowKeyOf("poll", chatId, id)];
    for (const key of keys) {
      const recent = this.#recent.get(key);
      if (recent) return recent;
    }
    if (id.length > MAX_ID_LENGTH) return null;
    for (const row of (await rows.fetchCold(keys)).values()) if (Buffer.isBuffer(row) && row.length === SECRET_BYTES) return row;
    const own = secretOf((await fetchSent(rows, id))?.message);
    return own?.length === SECRET_BYTES ? Buffer.from(own) : null;
  }
}

export const messageSecretsOf = perSession(() => new MessageSecrets());

/** In a wrapped message, the secret is either beside or inside the inner message. */
function secretOf(message: proto.IMessage | null | undefined): Uint8Array | null | undefined {
  return message?.messageContextInfo?.messageSecret ?? unwrap(message).content.messageContextInfo?.messageSecret;
}

const PURPOSES: ReadonlyMap<unknown, string> = new Map([
  [SecretEncType.MESSAGE_EDIT, "Message Edit"],
  [SecretEncType.EVENT_EDIT, "Event Edit"],
]);

export function isEdit({ secretEncType }: SealedEdit): boolean {
  return PURPOSES.has(secretEncType);
}

/** Null unless `author` made this edit of this message. The key depends on JIDs (phone or LID), so all four pairs are tried. */
export function openEdit(
  sealed: SealedEdit,
  { id, secret, author }: { id: string; secret: Buffer; author: Person },
): proto.IMessage | null {
  const purpose = PURPOSES.get(sealed.secretEncType);
  if (purpose === undefined || !sealed.encPayload?.length || !sealed.encIv?.length) return null;
  for (const sender of jidsOf(author)) {
    for (const editor of jidsOf(author)) {
      const key = Buffer.from(hkdfSync("sha256", secret, Buffer.alloc(0), `${id}${sender}${editor}${purpose}`, 32));
      const plain = opened(sealed.encPayload, sealed.encIv, key);
      if (plain !== null) return decoded(plain);
    }
  }
  return null;
}

const TAG_BYTES = 16;

function opened(payload: Uint8Array, iv: Uint8Array, key: Buffer): Buffer | null {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(payload.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

function decoded(plain: Buffer): proto.IMessage | null {
  try {
    return proto.Message.decode(plain);
  } catch {
    return null;
  }
}

/** Returns null for a group message whose author has no known address. */
export function keyInChat(session: NetworkSession, { chat_id, message_id, from_me, participant }: MessageRef): WAMessageKey | null {
  const remoteJid = jidOfChat(chat_id);
  if (from_me || !chat_id.endsWith("@g.us")) return { remoteJid, id: message_id, fromMe: from_me };
  const byLid = groupsOf(session).get(remoteJid)?.addressingMode === WAMessageAddressingMode.LID;
  const author = participant === null ? null : authorJid(session, participant, byLid ? "lid" : "pn");
  return author === null ? null : { remoteJid, id: message_id, fromMe: false, participant: author };
}

export function authorJid(
  session: NetworkSession,
  { phone, lid }: NonNullable<MessageRef["participant"]>,
  prefer: "pn" | "lid",
): string | null {
  const lids = lidMappingOf(session);
  return jidOfPerson(
    { phone: phone ?? (lid === null ? null : lids.phoneOf(lid)), lid: lid ?? (phone === null ? null : lids.lidOf(phone)) },
    prefer,
  );
}

/** The message range of an app-state change. It is built here, because the library's own form omits the timestamps. */
export function rangeOf(session: NetworkSession, range: MessageRange): proto.SyncActionValue.ISyncActionMessageRange {
  const messages = range.flatMap(({ ref, timestamp }) => {
    const key = keyInChat(session, ref);
    return key === null ? [] : [{ key, timestamp }];
  });
  return { messages, ...(range[0] && { lastMessageTimestamp: range[0].timestamp }) };
}
