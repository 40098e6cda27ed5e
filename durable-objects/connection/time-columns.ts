// The stored times of a connection that decide when something is done. Those that only clean up or inform are not among them.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { LONGEST_RETRY_MS } from "@gateway/domain/webhooks/style/styles.ts";
import type { TimeColumn } from "../shared/clock-steps.ts";
import { STATE } from "./delivery/states.ts";
import { OPEN_SENDS } from "./outbox/rows.ts";

const inLanes = (state: number): string => `state = ${state} AND lane IN (SELECT lane FROM endpoint)`;

export const TIME_COLUMNS: readonly TimeColumn[] = [
  // A lease of an attempt under way is left: its own end settles it, and one of an earlier instance is an orphan (`Queue.reclaimOrphans`).
  { table: "delivery", column: "due_at", longestMs: MINUTE_MS, where: inLanes(STATE.fresh) },
  { table: "delivery", column: "due_at", longestMs: LONGEST_RETRY_MS, where: inLanes(STATE.retry) },
  { table: "notice", column: "due_at", longestMs: DAY_MS },
  { table: "endpoint", column: "first_failed_at", longestMs: 0 },
  { table: "endpoint", column: "last_failed_at", longestMs: 0 },
  { table: "endpoint", column: "last_success_at", longestMs: 0 },
  { table: "outbox", column: "asked_at", longestMs: 0, where: OPEN_SENDS },
  { table: "owner_alert", column: "due_at", longestMs: 6 * HOUR_MS },
  { table: "owner_warning", column: "due_at", longestMs: 6 * HOUR_MS },
  // As the state of the instance, whose times tell one occasion from the next.
  { table: "owner_warning", column: "since", longestMs: 0 },
  { table: "counted_hour", column: "pushed_at", longestMs: 0 },
  { table: "stored_time", column: "at", longestMs: HOUR_MS },
  { table: "reread", column: "at", longestMs: 0 },
  { table: "cloud_check", column: "due_at", longestMs: DAY_MS + HOUR_MS },
  { table: "cloud_check", column: "checked_at", longestMs: 0 },
  { table: "cloud_files", column: "due_at", longestMs: HOUR_MS },
  { table: "cloud_files", column: "asked_at", longestMs: 0 },
  { table: "cloud_inbox", column: "due_at", longestMs: MINUTE_MS },
  { table: "cloud_file_refusals", column: "at", longestMs: 0 },
];
