// The status of messages sent by this number. It only moves forward (docs/use/events.md, "Status of a sent message").
import { invalidField } from "../failures/field-problems.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import type { DeliveryStatus } from "@gateway/protocol/message.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";
import { hasAtMostCharacters } from "./characters.ts";
import { LIMITS } from "../limits.ts";

export type SentStatus = NonNullable<MessageRecord["status"]>;

/** Times (Unix ms) of the first report of each status; null: none yet. */
export type MessageProgress = {
  status: SentStatus;
  deliveredAt: number | null;
  readAt: number | null;
  playedAt: number | null;
};

export type StatusReport = { status: DeliveryStatus; at: number };

/** `failed` ranks lowest, so that any progress overrides it. */
const RANK: Record<SentStatus, number> = { pending: 0, failed: 0, sent: 1, delivered: 2, read: 3, played: 4 };

export const UNREPORTED: MessageProgress = { status: "pending", deliveredAt: null, readAt: null, playedAt: null };

/** `moved`: the status advanced and emits `message.status`. Same `progress` if nothing changed. */
export function applyReport(progress: MessageProgress, { status, at }: StatusReport): { progress: MessageProgress; moved: boolean } {
  if (status === "failed") {
    const moved = progress.status !== "failed" && RANK[progress.status] <= RANK.sent;
    return { progress: moved ? { ...progress, status } : progress, moved };
  }
  const moved = RANK[status] > RANK[progress.status];
  const time = TIME_OF[status];
  if (!moved && progress[time] !== null) return { progress, moved };
  return { progress: { ...progress, status: moved ? status : progress.status, [time]: progress[time] ?? at }, moved };
}

/** True if this report adds the reason for a known failure; a second event then corrects the first. */
export function isBetterReason({ status }: MessageProgress, known: Failure | null, reported: Failure | null): boolean {
  return status === "failed" && !saysWhy(known) && saysWhy(reported);
}

function saysWhy(failure: Failure | null): boolean {
  if (failure === null || failure.code === "send_outcome_unknown") return false;
  return failure.code !== "network_error" || failure.details?.["network_code"] !== undefined;
}

const TIME_OF = { delivered: "deliveredAt", read: "readAt", played: "playedAt" } as const;

/** The network accepted the message. Keeps a higher status; clears an earlier failure, which was wrong. */
export function markAccepted(progress: MessageProgress): MessageProgress {
  return RANK[progress.status] < RANK.sent ? { ...progress, status: "sent" } : progress;
}

export function isAccepted(status: SentStatus): boolean {
  return RANK[status] >= RANK.sent;
}

// Rules for editing messages and deleting them for everyone (docs/use/apis.md, "Groups, contacts, labels, channels").
type Sent = { fromMe: boolean; timestamp: number };

const MAX_TEXT_LENGTHS: Readonly<Record<string, number>> = {
  text: LIMITS.textCharacters,
  image: LIMITS.captionCharacters,
  video: LIMITS.captionCharacters,
  document: LIMITS.captionCharacters,
};

/** Returns null if the text may be edited. `now` in Unix ms. */
export function editRefusal({ fromMe, timestamp, type }: Sent & { type: string }, text: string, now: number): Failure | null {
  if (!fromMe) return { code: "forbidden" };
  const maxLength = MAX_TEXT_LENGTHS[type];
  if (maxLength === undefined) return { code: "not_supported", details: { type } };
  if (!hasAtMostCharacters(text, maxLength)) return invalidField("text", "text_length", maxLength).failure;
  return isWithin(timestamp, LIMITS.editWindowMs, now) ? null : { code: "edit_window_closed" };
}

/** Returns null if the message may be deleted for everyone. `isAdmin`: admin of the message's group. */
export function deleteRefusal({ fromMe, timestamp }: Sent, isAdmin: boolean, now: number): Failure | null {
  if (!fromMe && !isAdmin) return { code: "forbidden" };
  return isWithin(timestamp, LIMITS.deleteWindowMs, now) ? null : { code: "delete_window_closed" };
}

function isWithin(timestamp: number, windowMs: number, now: number): boolean {
  return now - timestamp * 1000 <= windowMs;
}
