import type { z } from "zod";
import { isoOfMsOrNull } from "../../http/times.ts";
import type { PresenceRecord } from "../../protocol/records.ts";
import type { Presence } from "../chats/schemas.ts";
import { phoneOf } from "../messages/render.ts";

export function renderPresence(record: PresenceRecord): z.input<typeof Presence> {
  const { chat_id, presence, last_seen, subscribed } = record;
  return {
    chat_id,
    presence,
    last_seen,
    participants: record.participants.map(({ person, presence: seen }) => ({ phone: phoneOf(person), presence: seen })),
    updated_at: isoOfMsOrNull(record.updated_at),
    subscribed,
  };
}
