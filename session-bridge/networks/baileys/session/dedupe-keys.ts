import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import type { ReportedStatus } from "@gateway/protocol/message.ts";

const MAX_KEY_LENGTH = 300;

const key = (...parts: string[]): string | null => {
  const name = parts.join(":");
  return name.length <= MAX_KEY_LENGTH ? name : null;
};

const personKey = (person: Person | null): string => person?.phone ?? person?.lid ?? "";

export const DEDUPE = {
  message: (chat: ChatId, fromMe: boolean, id: string) => key("message", chat, fromMe ? "out" : "in", id),
  /** Differs from the key of `message`, so that a placeholder does not suppress the message itself. */
  placeholder: (chat: ChatId, fromMe: boolean, id: string) => key("placeholder", chat, fromMe ? "out" : "in", id),
  media: (chat: ChatId, id: string) => key("media", chat, id),
  status: (id: string, status: ReportedStatus, participant: Person | null) => key("status", id, status, personKey(participant)),
  change: (kind: "reaction" | "edit" | "delete" | "vote" | "disappearing", chat: ChatId, id: string) => key(kind, chat, id),
  lid: (lid: string, phone: string) => key("lid", lid, phone),
  groupNotification: (kind: string, group: ChatId, noticeId: string) => key("group", kind, group, noticeId),
  call: (id: string, status: string) => key("call", id, status),
} as const;
