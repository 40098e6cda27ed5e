// The tables of a Connection object, and which of their columns hold times.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { LONGEST_RETRY_MS } from "@gateway/domain/webhooks/style/styles.ts";
import { type TimeColumn, TIME_MIGRATIONS } from "../shared/stored-times.ts";
import { STATE } from "./delivery/states.ts";
import { OPEN_SENDS } from "./outbox/rows.ts";
import { GATE_MIGRATIONS } from "../shared/gate/gate.ts";
import type { Migrations } from "../shared/migrate.ts";
import { UPLOAD_MIGRATIONS } from "../shared/upload-ledger.ts";
import { ACTION_LOG_MIGRATIONS } from "./actions/action-log.ts";
import { CLOUD_MIGRATIONS } from "./cloud/schema.ts";
import { DELIVERY_MIGRATIONS } from "./delivery/schema.ts";
import { KEY_MIGRATIONS } from "./keys/api-keys.ts";
import { PACING_MIGRATIONS } from "./outbox/pacing.ts";
import { OUTBOX_MIGRATIONS } from "./outbox/rows.ts";
import { PAIRING_MIGRATIONS } from "./pairing/pairing-links.ts";
import { REMOVAL_MIGRATIONS } from "./removal.ts";
import { REQUEST_LOG_MIGRATIONS } from "./requests/request-log.ts";
import { REREAD_MIGRATIONS } from "./reread.ts";
import { SESSION_MIGRATIONS } from "./session/schema.ts";
import { STATISTICS_MIGRATIONS } from "./statistics/counters.ts";
import { STORE_MIGRATIONS } from "./store/stores.ts";

export const MIGRATIONS: readonly (readonly [component: string, Migrations])[] = [
  ["session", SESSION_MIGRATIONS],
  ["store", STORE_MIGRATIONS],
  ["outbox", OUTBOX_MIGRATIONS],
  ["pacing", PACING_MIGRATIONS],
  ["gate", GATE_MIGRATIONS],
  ["keys", KEY_MIGRATIONS],
  ["pairing", PAIRING_MIGRATIONS],
  ["requests", REQUEST_LOG_MIGRATIONS],
  ["delivery", DELIVERY_MIGRATIONS],
  ["removal", REMOVAL_MIGRATIONS],
  ["statistics", STATISTICS_MIGRATIONS],
  ["acts", ACTION_LOG_MIGRATIONS],
  ["cloud", CLOUD_MIGRATIONS],
  ["reread", REREAD_MIGRATIONS],
  ["times", TIME_MIGRATIONS],
  ["uploads", UPLOAD_MIGRATIONS],
];

const inQueues = (state: number): string => `state = ${state} AND queue_id IN (SELECT queue_id FROM endpoint)`;

/** Stored times that determine when work is done. Excludes times used only for clean-up or display. */
export const TIME_COLUMNS: readonly TimeColumn[] = [
  // Excludes leases in flight: the attempt's end settles them, and those of an earlier instance are orphans.
  { table: "delivery", column: "due_at", longestMs: MINUTE_MS, where: inQueues(STATE.fresh) },
  { table: "delivery", column: "due_at", longestMs: LONGEST_RETRY_MS, where: inQueues(STATE.retry) },
  { table: "notice", column: "due_at", longestMs: DAY_MS },
  { table: "endpoint", column: "first_failed_at", longestMs: 0 },
  { table: "endpoint", column: "last_failed_at", longestMs: 0 },
  { table: "endpoint", column: "last_success_at", longestMs: 0 },
  { table: "outbox", column: "asked_at", longestMs: 0, where: OPEN_SENDS },
  { table: "owner_alert", column: "due_at", longestMs: 6 * HOUR_MS },
  { table: "owner_warning", column: "due_at", longestMs: 6 * HOUR_MS },
  // Corrected like the instance's times, because those identify the occasions.
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
