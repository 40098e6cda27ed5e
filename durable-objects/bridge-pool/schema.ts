import { MINUTE_MS } from "@gateway/protocol/units.ts";
import type { TimeColumn } from "../shared/clock-steps.ts";
import { LONGEST_FLEET_MAIL_LEASE_MS } from "./fleet-mails.ts";
import type { Migrations } from "../shared/migrate.ts";

export const POOL_MIGRATIONS: Migrations = [
  // Connected bridges. Times are in Unix ms, `started_at` by the bridge's own clock. `detached_at` is null unless the socket is closed.
  // `drain_forced` means that sessions leave even if no other bridge has capacity. `client_version` is the announced version, and
  // `served_version` the newest one looked up. `spared` is JSON of Spared. `leaving_at` says when the host announced that it will stop.
  `CREATE TABLE bridge (
     id TEXT PRIMARY KEY, network TEXT NOT NULL, capacity INTEGER NOT NULL, sessions INTEGER NOT NULL, rss_mb REAL NOT NULL, cpu REAL NOT NULL,
     draining INTEGER NOT NULL, seen_at INTEGER NOT NULL, detached_at INTEGER, started_at INTEGER, region TEXT,
     drain_forced INTEGER NOT NULL DEFAULT 0, build TEXT, version TEXT, client_version TEXT, client_version_source TEXT, served_version TEXT,
     spared TEXT, leaving_at INTEGER
   ) WITHOUT ROWID`,
  // The bridge of a session. If bridge is NULL and lost is 0, the row is a queued request. If lost is 1, the session's bridge is gone and
  // the connection must be notified. ticket is stored only until it has been sent to a bridge. lost_by is the bridge that hosted a lost
  // session, and only this bridge may reclaim it.
  `CREATE TABLE placement (
     connection TEXT PRIMARY KEY, generation INTEGER NOT NULL, bridge TEXT, ticket TEXT, lost INTEGER NOT NULL, wished_at INTEGER NOT NULL,
     lost_by TEXT
   ) WITHOUT ROWID`,
  "CREATE INDEX placement_bridge ON placement (bridge)",
  "CREATE INDEX placement_wish ON placement (wished_at) WHERE bridge IS NULL AND lost = 0",
  "CREATE INDEX placement_lost ON placement (wished_at) WHERE lost = 1",
  // Time of the next proxy checks (Unix ms), and the number of rounds so far.
  "CREATE TABLE proxy_round (one INTEGER PRIMARY KEY CHECK (one = 1), next_at INTEGER NOT NULL, rounds INTEGER NOT NULL) WITHOUT ROWID",
  // Fleet alarms. `mail` is the pending email to administrators (raised, over, none). Times are in Unix ms.
  `CREATE TABLE fleet_alarm (
     kind TEXT NOT NULL, code TEXT NOT NULL, sessions INTEGER NOT NULL, raised_at INTEGER NOT NULL, below_since INTEGER, mail TEXT NOT NULL,
     PRIMARY KEY (kind, code)
   ) WITHOUT ROWID`,
  // When alarms last changed, and when administrators were last emailed.
  "CREATE TABLE fleet_time (name TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
  // Numbers that were offline for an hour in an outage, and the owners who were emailed about it.
  "CREATE TABLE away_number (connection TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
  "CREATE TABLE away_owner (owner TEXT PRIMARY KEY) WITHOUT ROWID",
  `CREATE TABLE fleet_mail (
     id INTEGER PRIMARY KEY, kind TEXT NOT NULL, user_id TEXT NOT NULL, subject TEXT NOT NULL, text TEXT NOT NULL, due_at INTEGER NOT NULL,
     tries INTEGER NOT NULL
   )`,
  "CREATE INDEX fleet_mail_due ON fleet_mail (due_at)",
  // The build that gets a share of the sessions. `rejected` says why the share was withdrawn.
  `CREATE TABLE rollout (
     one INTEGER PRIMARY KEY CHECK (one = 1), build TEXT NOT NULL, percent REAL NOT NULL, connections TEXT NOT NULL, changed_at INTEGER NOT NULL,
     rejected TEXT
   ) WITHOUT ROWID`,
  "CREATE TABLE client_version (one INTEGER PRIMARY KEY CHECK (one = 1), version TEXT, max TEXT, set_at INTEGER NOT NULL) WITHOUT ROWID",
  // Recent starts of bridge processes (Unix ms). `started_at` uses the bridge's own clock, and `at` is when the hello arrived.
  // `ending` means that the process announced that it is stopping.
  `CREATE TABLE bridge_start (
     bridge TEXT NOT NULL, started_at INTEGER NOT NULL, build TEXT, at INTEGER NOT NULL, ending INTEGER NOT NULL, PRIMARY KEY (bridge, started_at)
   ) WITHOUT ROWID`,
  // Only in the default pool: which pools reported each alarm, and which pool emailed each owner about an outage, and when (Unix ms).
  `CREATE TABLE pool_alarm (name TEXT NOT NULL, pool TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (name, pool)) WITHOUT ROWID;
   CREATE TABLE mailed_owner (owner TEXT PRIMARY KEY, pool TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID`,
];

/** `proxyCheckMs` is the interval between proxy checks. A shard's first check may come up to two intervals later. */
export const poolTimeColumns = (proxyCheckMs: number): readonly TimeColumn[] => [
  { table: "bridge", column: "seen_at", longestMs: 0 },
  { table: "bridge", column: "detached_at", longestMs: 0 },
  { table: "bridge", column: "leaving_at", longestMs: 0 },
  { table: "proxy_round", column: "next_at", longestMs: 2 * proxyCheckMs },
  { table: "fleet_time", column: "at", longestMs: MINUTE_MS },
  { table: "fleet_alarm", column: "below_since", longestMs: 0 },
  { table: "fleet_mail", column: "due_at", longestMs: LONGEST_FLEET_MAIL_LEASE_MS },
  { table: "away_number", column: "at", longestMs: 0 },
  { table: "rollout", column: "changed_at", longestMs: 0 },
  { table: "bridge_start", column: "at", longestMs: 0 },
  { table: "pool_alarm", column: "at", longestMs: 0 },
  { table: "mailed_owner", column: "at", longestMs: 0 },
];
