// Maps Meta's ids of messages, people and groups to ours (docs/internals/cloud.md, "Ids").
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

export type KnownMessage = { text: string | null; type: string };

/** The connection's id tables. They are the only data that this folder changes. */
export type CloudIds = {
  readonly me: string | null;
  /** Stores new ids, and creates a surrogate LID for a `user_id` without a phone number. Null if `who` identifies nobody. */
  person(who: { wa_id?: string | undefined; user_id?: string | undefined; username?: string | undefined }): Person | null;
  group(groupId: string): ChatId;
  /** Our id for a message that this number sent, or null for all other messages. */
  own(wamid: string): string | null;
  known?(messageId: string, chatId: ChatId): KnownMessage | null;
};

const PREFIX = "m1.";

/** The callback data that a send's statuses return. Contains only our id, because every app of the account can read it. */
export function callbackDataOf(messageId: string): string {
  return PREFIX + messageId;
}

/** Returns null when another app wrote the data. The id can be trusted only if this number knows the send. */
export function messageIdIn(callbackData: string | null | undefined): string | null {
  const id = callbackData?.startsWith(PREFIX) === true ? callbackData.slice(PREFIX.length) : "";
  return id === "" || id.length > 256 ? null : id;
}

// Dedupe keys of webhook events. A repeated webhook gets the same keys (src/protocol/events.ts, `KeyedEvent`).
const MAX_KEY_LENGTH = 300;

export function keyOf(...parts: string[]): string {
  const key = parts.join(":");
  return key.length <= MAX_KEY_LENGTH ? key : `${parts.slice(0, 2).join(":").slice(0, 64)}:${bytesToHex(sha256(utf8ToBytes(key)))}`;
}
