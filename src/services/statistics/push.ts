// Stores connections' counts (docs/use/statistics.md, "Which periods are complete").
import { type Counts, dayOf } from "@gateway/domain/statistics/counts.ts";
import { DAY_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { retriedWrite } from "../../db/outages.ts";

/** All connections push their counts within this time after the end of an hour. */
export const PUSH_WINDOW_MS = 10 * MINUTE_MS;
export const HOURS_RETENTION_MS = 31 * DAY_MS;
export const DAYS_RETENTION_MS = 400 * DAY_MS;
const PURGE_BATCH = 1_000;
/** A run of the watchdog may make 1,000 queries. With one run every three minutes, this allows 24 million rows a day. */
const MAX_BATCHES = 50;

/** Whole hours (start in Unix ms), whether the number was connected at their end, and the waiting deliveries. */
export type PushedCounts = { hours: readonly { hour: number; counts: Counts }[]; connected: boolean; waiting: number };

const OWNER = "SELECT owner_id FROM connection WHERE uuid = ?1";
/** The counts of the hour that were not pushed yet. ?2 is the hour, and ?3 is JSON of its counts. */
const CHANGE = `SELECT key, value FROM json_each(?3) UNION ALL
  SELECT was.key, -was.value FROM hourly_count h, json_each(h.counts) was WHERE h.scope = 'connection:' || ?1 AND h.at = ?2`;
const SUMS = `SELECT 'all' AS scope FROM (${OWNER}) UNION ALL SELECT 'user:' || owner_id FROM (${OWNER})`;
const DAYS = `${SUMS} UNION ALL SELECT 'connection:' || ?1 FROM (${OWNER})`;
const REPLACE = "ON CONFLICT (scope, at) DO UPDATE SET counts = excluded.counts WHERE counts <> excluded.counts";

const addTo = (table: "hourly_count" | "daily_count", scopes: string, at: string): string => `
  INSERT INTO ${table} (scope, at, counts)
  SELECT target.scope, ${at}, (
    SELECT json_group_object(key, total) FROM (
      SELECT key, sum(value) AS total FROM (
        ${CHANGE} UNION ALL
        SELECT e.key, e.value FROM ${table} t, json_each(t.counts) e WHERE t.scope = target.scope AND t.at = ${at}
      ) GROUP BY key HAVING sum(value) <> 0))
  FROM (${scopes}) AS target WHERE true ${REPLACE}`;

const ADD_TO_DAYS = addTo("daily_count", DAYS, "?4");
const ADD_TO_SUMS = addTo("hourly_count", SUMS, "?2");
const STORE_HOUR = `INSERT INTO hourly_count (scope, at, counts) SELECT 'connection:' || ?1, ?2, ?3 FROM (${OWNER}) WHERE true ${REPLACE}`;
const STORE_STATE = `
  INSERT INTO connection_state (connection_id, connected, waiting_deliveries, noted_at)
  SELECT id, ?2, ?3, ?4 FROM connection WHERE uuid = ?1 AND removed_at IS NULL
  ON CONFLICT (connection_id) DO UPDATE SET connected = excluded.connected, waiting_deliveries = excluded.waiting_deliveries`;

/** Stores a connection's hours, and adds the difference to the days and sums, in one transaction. Idempotent. `now` is in Unix ms. */
export async function pushCounts(
  binding: D1Database,
  uuid: string,
  { hours, connected, waiting }: PushedCounts,
  now: number,
): Promise<void> {
  const [days, sums, own] = [ADD_TO_DAYS, ADD_TO_SUMS, STORE_HOUR].map((text) => binding.prepare(text)) as Statements;
  // The connection's own row comes last, because the other rows are computed as differences from its stored value.
  const ofHour = ({ hour, counts }: PushedCounts["hours"][number]) => {
    const json = JSON.stringify(counts);
    return [days.bind(uuid, hour, json, dayOf(hour)), sums.bind(uuid, hour, json), own.bind(uuid, hour, json)];
  };
  const statements = [...hours.flatMap(ofHour), binding.prepare(STORE_STATE).bind(uuid, Number(connected), waiting, now)];
  await retriedWrite(() => binding.batch(statements));
}

type Statements = [D1PreparedStatement, D1PreparedStatement, D1PreparedStatement];

/** Deletes the oldest rows first, in batches. Also deletes future rows, because a wrong clock wrote them and they would block others. */
export async function purgeCounts(binding: D1Database, now: number): Promise<void> {
  const expired = (table: "hourly_count" | "daily_count", before: number): D1PreparedStatement =>
    binding
      .prepare(`DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE at <= ?3 ORDER BY rowid LIMIT ?1) AND at < ?2`)
      .bind(PURGE_BATCH, before, now);
  const statements = [expired("hourly_count", now - HOURS_RETENTION_MS), expired("daily_count", now - DAYS_RETENTION_MS)];
  // Every active connection adds a row an hour, so a single batch per run would delete fewer rows than are added.
  for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
    const deleted = await binding.batch(statements);
    if (deleted.every(({ meta }) => meta.changes < PURGE_BATCH)) return;
  }
}
