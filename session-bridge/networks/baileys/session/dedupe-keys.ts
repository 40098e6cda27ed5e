// Dedupe keys: the same fact always has the same key, whoever reports it and however often (src/protocol/events.ts, `KeyedEvent`). Facts
// that may become true again (a setting, a presence, how a send ended) have none.
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import type { DeliveryStatus } from "@gateway/protocol/message.ts";

/** The contract's limit. A fact whose key would be longer goes without one. */
const MAX_KEY_LENGTH = 300;

const key = (...parts: string[]): string | null => {
  const name = parts.join(":");
  return name.length <= MAX_KEY_LENGTH ? name : null;
};

const personKey = (person: Person | null): string => person?.phone ?? person?.lid ?? "";

export const DEDUPE = {
  message: (chat: ChatId, fromMe: boolean, id: string) => key("message", chat, fromMe ? "out" : "in", id),
  /** The placeholder of an undecryptable message has a key of its own: it must not suppress the message itself. */
  placeholder: (chat: ChatId, fromMe: boolean, id: string) => key("placeholder", chat, fromMe ? "out" : "in", id),
  media: (chat: ChatId, id: string) => key("media", chat, id),
  status: (id: string, status: DeliveryStatus, participant: Person | null) => key("status", id, status, personKey(participant)),
  /** Reactions, edits, deletions and votes are messages too: `id` is that of their message. */
  change: (kind: "reaction" | "edit" | "delete" | "vote" | "disappearing", chat: ChatId, id: string) => key(kind, chat, id),
  lid: (lid: string, phone: string) => key("lid", lid, phone),
  groupNotification: (kind: string, group: ChatId, noticeId: string) => key("group", kind, group, noticeId),
  call: (id: string, status: string) => key("call", id, status),
} as const;
