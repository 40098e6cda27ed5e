// The tables of a Connection object, and which of their columns hold times.
import { LISTENER_TIMES } from "@gateway/protocol/stream-sockets.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { LONGEST_RETRY_MS } from "@gateway/domain/webhooks/style/styles.ts";
import type { TimeColumn } from "../shared/clock-steps.ts";
import { TIME_MIGRATIONS } from "../shared/stored-times.ts";
import { STATE } from "./delivery/states.ts";
import { OPEN_SENDS, OUTBOX_MIGRATIONS } from "./outbox/outbox-rows.ts";
import { GATE_MIGRATIONS, GATE_TIMES } from "../shared/gate/gate.ts";
import type { Migrations } from "../shared/migrate.ts";
import { UPLOAD_MIGRATIONS } from "../shared/upload-ledger.ts";
import { ACTION_LOG_MIGRATIONS } from "./actions/action-log.ts";
import { CLOUD_MIGRATIONS } from "./cloud/schema.ts";
import { DELIVERY_MIGRATIONS } from "./delivery/schema.ts";
import { ROTATION_OVERLAP_MS } from "./delivery/secrets.ts";
import { KEY_MIGRATIONS } from "./keys/api-keys.ts";
import { ASSISTANT_MIGRATIONS } from "./keys/assistant.ts";
import { CONFIRMATION_MS } from "./keys/confirmations.ts";
import { NOTIFICATION_MIGRATIONS } from "./notifications/notifications.ts";
import { PACING_MIGRATIONS } from "./outbox/pacing.ts";
import { PAIRING_MIGRATIONS } from "./pairing/pairing-links.ts";
import { REMOVAL_MIGRATIONS } from "./directory/removal.ts";
import { REQUEST_LOG_MIGRATIONS } from "./requests/request-log.ts";
import { REREAD_MIGRATIONS } from "./directory/reread.ts";
import { STATISTICS_MIGRATIONS } from "./statistics/counters.ts";
import { WAITING_MIGRATIONS } from "./waiting/waiting-rows.ts";
import { NUMBERED_TIMES } from "./store/purge.ts";
import { STORE_MIGRATIONS } from "./store/stores.ts";
import { LISTENER_MIGRATIONS } from "./streams/listeners.ts";

const SESSION_MIGRATIONS: Migrations = [
  // Copy of the connection's D1 record: JSON of ConnectionRecord. `proxy` is the proxy's URL with its password, encrypted.
  "CREATE TABLE identity (one INTEGER PRIMARY KEY CHECK (one = 1), record TEXT NOT NULL, proxy BLOB)",
  // The state of this connection that was last written to D1: JSON of DirectoryEntry.
  "CREATE TABLE noted (one INTEGER PRIMARY KEY CHECK (one = 1), entry TEXT NOT NULL)",
  "CREATE TABLE instance (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL)",
  // Hashes (SHA-256, hex) of unused tickets for the session socket.
  "CREATE TABLE ticket (hash TEXT PRIMARY KEY, generation INTEGER NOT NULL) WITHOUT ROWID",
  // The session that may change state rows: its last stored commit and its bridge's id. `counts` is JSON of the current hour's counts
  // for the statistics. `facts` is the newest event's number, which streams use to resume. `cold` contains the newest cold rows
  // as JSON of [key, value, expires_at] (Unix ms). `sessions` contains the most recently changed Signal sessions as JSON of [key, value];
  // they supersede the same keys in `state_row`.
  `CREATE TABLE progress (
     one INTEGER PRIMARY KEY CHECK (one = 1), generation INTEGER NOT NULL, seq INTEGER NOT NULL, bridge TEXT, counts TEXT,
     facts INTEGER NOT NULL DEFAULT 0, cold TEXT, sessions TEXT
   )`,
  // Session credentials, Signal keys and stanza journal, encrypted by the bridge. An empty value means that the value is in row_part.
  "CREATE TABLE state_row (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
  "CREATE TABLE cold_row (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER NOT NULL)",
  "CREATE INDEX cold_row_expiry ON cold_row (expires_at)",
  // Parts of values that do not fit into one SQLite row of an object (2 MB).
  "CREATE TABLE row_part (key TEXT NOT NULL, part INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (key, part))",
  // Pending emails to the owner: when the number went offline, and when to send the email next (Unix ms).
  "CREATE TABLE owner_alert (at INTEGER PRIMARY KEY, due_at INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0)",
  // The object's keys, encrypted under the STATE_SECRET entry `kid`.
  "CREATE TABLE data_key (name TEXT PRIMARY KEY, kid INTEGER NOT NULL, sealed BLOB NOT NULL) WITHOUT ROWID",
  // Last occasion of each kind of warning email, and when the next one is due (Unix ms). `due_at` is null once the occasion has been
  // handled.
  "CREATE TABLE owner_warning (kind TEXT PRIMARY KEY, since INTEGER NOT NULL, due_at INTEGER, tries INTEGER NOT NULL) WITHOUT ROWID",
  // Pages of cold rows of one type, oldest first. `expires_at` is when the page's last row expires. A page is JSON of the keys, and of the
  // values in the same order.
  `CREATE TABLE cold_page (
     type TEXT NOT NULL, no INTEGER NOT NULL, expires_at INTEGER NOT NULL, keys TEXT NOT NULL, vals TEXT NOT NULL, PRIMARY KEY (type, no)
   ) WITHOUT ROWID`,
];

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
  ["listeners", LISTENER_MIGRATIONS],
  ["waiting", WAITING_MIGRATIONS],
  ["notifications", NOTIFICATION_MIGRATIONS],
  ["assistant", ASSISTANT_MIGRATIONS],
];

const inQueues = (state: number): string => `state = ${state} AND queue_id IN (SELECT queue_id FROM endpoint)`;

/** Stored times that decide when work is due, something expires or numbered rows are deleted. Excludes times that are only displayed. */
export const TIME_COLUMNS: readonly TimeColumn[] = [
  ...GATE_TIMES,
  { table: "secret", column: "expires_at", longestMs: ROTATION_OVERLAP_MS, isExpiry: true },
  { table: "pairing_link", column: "expires_at", longestMs: LIMITS.pairingLinks.maxMinutes * MINUTE_MS, isExpiry: true },
  // Excludes deliveries in flight. An attempt settles its own delivery when it ends, and those of an earlier instance are orphans.
  { table: "delivery", column: "due_at", longestMs: MINUTE_MS, where: inQueues(STATE.fresh) },
  { table: "delivery", column: "due_at", longestMs: LONGEST_RETRY_MS, where: inQueues(STATE.retry) },
  { table: "notice", column: "due_at", longestMs: DAY_MS },
  { table: "endpoint", column: "first_failed_at", longestMs: 0 },
  { table: "endpoint", column: "last_failed_at", longestMs: 0 },
  { table: "endpoint", column: "last_success_at", longestMs: 0 },
  { table: "outbox", column: "asked_at", longestMs: 0, where: OPEN_SENDS },
  { table: "owner_alert", column: "due_at", longestMs: 6 * HOUR_MS },
  { table: "owner_warning", column: "due_at", longestMs: 6 * HOUR_MS },
  // Corrected together with the instance's times, because those times identify the incidents.
  { table: "owner_warning", column: "since", longestMs: 0 },
  { table: "counted_hour", column: "pushed_at", longestMs: 0 },
  { table: "stored_time", column: "at", longestMs: HOUR_MS },
  { table: "reread", column: "at", longestMs: 0 },
  { table: "cloud_check", column: "due_at", longestMs: DAY_MS + HOUR_MS },
  { table: "cloud_check", column: "checked_at", longestMs: 0 },
  { table: "cloud_files", column: "due_at", longestMs: HOUR_MS },
  { table: "cloud_files", column: "asked_at", longestMs: 0 },
  { table: "cloud_inbox", column: "due_at", longestMs: MINUTE_MS },
  { table: "listener", column: "expires_at", longestMs: LISTENER_TIMES.streamMs + LISTENER_TIMES.leaseMs },
  { table: "notification", column: "due_at", longestMs: HOUR_MS },
  { table: "cloud_file_refusals", column: "at", longestMs: 0 },
  { table: "assistant_change", column: "at", longestMs: 0 },
  { table: "assistant_confirmation", column: "expires_at", longestMs: CONFIRMATION_MS },
  { table: "cold_row", column: "expires_at", longestMs: 90 * DAY_MS, isExpiry: true },
  { table: "cold_page", column: "expires_at", longestMs: 7 * DAY_MS, where: "type = 'sent'", isExpiry: true, order: "no" },
  { table: "cold_page", column: "expires_at", longestMs: DAY_MS, where: "type = 'plain'", isExpiry: true, order: "no" },
  { table: "cold_page", column: "expires_at", longestMs: 90 * DAY_MS, where: "type = 'poll'", isExpiry: true, order: "no" },
  // The oldest rows of these tables determine when rows are deleted next.
  { table: "delivery", column: "created_at", longestMs: 0, order: "seq" },
  { table: "body", column: "created_at", longestMs: 0, order: "seq" },
  ...NUMBERED_TIMES,
];
