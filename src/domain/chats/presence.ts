// A stored presence, with what has expired of it removed.
import type { PresenceRecord } from "@gateway/protocol/records.ts";

/** The network's own clients stop showing "typing" after this time when nothing ends it. */
const TYPING_MS = 30_000;

/** Every presence is unknown while the number is not connected. `now` in Unix ms. */
export function currentPresence(record: PresenceRecord, connected: boolean, now: number): PresenceRecord {
  if (!connected)
    return { ...record, presence: "unknown", participants: record.participants.map((each) => ({ ...each, presence: "unknown" })) };
  const stale = record.updated_at === null || now - record.updated_at > TYPING_MS;
  const current = (presence: PresenceRecord["presence"]): PresenceRecord["presence"] =>
    stale && (presence === "typing" || presence === "recording") ? "online" : presence;
  return {
    ...record,
    presence: current(record.presence),
    participants: record.participants.map((each) => ({ ...each, presence: current(each.presence) })),
  };
}
