import type { PresenceRecord } from "@gateway/protocol/records.ts";

/** The network's own apps stop showing "typing" after this long. */
const TYPING_MS = 30_000;

/** Removes expired values. Presence is unknown while the number is not connected. `now` is in Unix ms. */
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
