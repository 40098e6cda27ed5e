// Wakes connections that no pool wakes daily, so that work whose alarm was lost continues (docs/internals/scheduling.md, "Alarms").
import { and, asc, eq, gt, isNull, lte, max, or, sql } from "drizzle-orm";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { databaseOf } from "../../db/database.ts";
import { connection, connectionState, directoryRound } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { mapAtMost } from "../batches.ts";
import { connectionStub } from "../connections/stub.ts";

/** Maximum objects per run. Each call counts toward the run's limit of 1,000 subrequests. */
const MAX_WOKEN = 900;
const CONCURRENCY = 20;
/** Connections that have a bridge are woken by their pool. The entry may be outdated, so this wakes them too, but less often. */
const DAYS_WITH_BRIDGE = 7;
/** A round ends half an hour before its day does, because the last runs of the day may be late or skipped. */
const ROUND_MS = DAY_MS - HOUR_MS / 2;
/** Maximum number of ids per run. Later runs continue with the rest. */
const MAX_SLICE = 5_000;

type Round = { day: number; through: number };
type Slice = { day: number; from: number; to: number };

export async function wakeSlice(env: Env, now: number): Promise<void> {
  const database = databaseOf(env.DB);
  const [[round], [known]] = await database.batch([
    database.select().from(directoryRound),
    database.select({ highest: max(connection.id) }).from(connection),
  ]);
  const slice = sliceDue(round ?? null, known?.highest ?? 0, now);
  if (slice === null) return;
  const isDueToday = sql`(${connection.id} + ${slice.day / DAY_MS}) % ${DAYS_WITH_BRIDGE} = 0`;
  const rows = await database
    .select({ id: connection.id, uuid: connection.uuid })
    .from(connection)
    .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
    .where(
      and(
        gt(connection.id, slice.from),
        lte(connection.id, slice.to),
        isNull(connection.removedAt),
        or(isNull(connectionState.bridgeId), isDueToday),
      ),
    )
    .orderBy(asc(connection.id))
    .limit(MAX_WOKEN);
  const through = rows.length === MAX_WOKEN ? (rows.at(-1)?.id ?? slice.to) : slice.to;
  const reached = { day: slice.day, through };
  // Stores the position before waking the objects, so that a run that is always aborted does not repeat the same ones forever.
  await database
    .insert(directoryRound)
    .values({ one: 1, ...reached })
    .onConflictDoUpdate({ target: directoryRound.one, set: reached });
  await mapAtMost(rows, CONCURRENCY, async ({ uuid }) => {
    try {
      await connectionStub(env, uuid).poke();
    } catch (error) {
      log("watchdog.not_woken", { connection: uuid, ...errorFields(error) });
    }
  });
}

function sliceDue(round: Round | null, highest: number, now: number): Slice | null {
  const day = Math.floor(now / DAY_MS) * DAY_MS;
  const from = round === null || round.day !== day ? 0 : round.through;
  const due = Math.ceil((highest * (now - day)) / ROUND_MS);
  const to = Math.min(due, highest, from + MAX_SLICE);
  return to > from ? { day, from, to } : null;
}
