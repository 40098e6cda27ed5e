// Wakes each connection of the directory that no pool wakes once a day: work of an object whose alarm was lost goes on then
// (docs/internals/scheduling.md, "Alarms").
import { and, asc, eq, gt, isNull, lte, max, or, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, connectionState, directoryRound } from "../../db/schema.ts";
import { sliceDue } from "@gateway/domain/fleet/directory-round.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { mapAtMost } from "../batches.ts";
import { connectionStub } from "../connections/stub.ts";

/** Objects that one run wakes: each call is one of its 1,000 subrequests. The next run goes on behind them. */
const MAX_WOKEN = 900;
/** Objects called at once. */
const CONCURRENCY = 20;
/**
 * One that has a bridge is woken by its pool. That the directory says so may be old, and no pool know of it: each has its turn here all the
 * same, after so many days.
 */
const DAYS_WITH_BRIDGE = 7;

/** One slice of the day's round. What fails is logged, and has its turn again tomorrow. */
export async function wakeSlice(env: Env, now: number): Promise<void> {
  const database = databaseOf(env.DB);
  const [[round], [known]] = await database.batch([
    database.select().from(directoryRound),
    database.select({ highest: max(connection.id) }).from(connection),
  ]);
  const slice = sliceDue(round ?? null, known?.highest ?? 0, now);
  if (slice === null) return;
  const hasTurn = sql`(${connection.id} + ${slice.day / DAY_MS}) % ${DAYS_WITH_BRIDGE} = 0`;
  const rows = await database
    .select({ id: connection.id, uuid: connection.uuid })
    .from(connection)
    .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
    .where(
      and(
        gt(connection.id, slice.from),
        lte(connection.id, slice.to),
        isNull(connection.removedAt),
        or(isNull(connectionState.bridgeId), hasTurn),
      ),
    )
    .orderBy(asc(connection.id))
    .limit(MAX_WOKEN);
  const through = rows.length === MAX_WOKEN ? (rows.at(-1)?.id ?? slice.to) : slice.to;
  const reached = { day: slice.day, through };
  // Before they are woken: a run that is broken off is not repeated for ever.
  await database
    .insert(directoryRound)
    .values({ one: 1, ...reached })
    .onConflictDoUpdate({ target: directoryRound.one, set: reached });
  await mapAtMost(CONCURRENCY, rows, async ({ uuid }) => {
    try {
      await connectionStub(env, uuid).poke();
    } catch (error) {
      log("watchdog.not_woken", { connection: uuid, ...errorFields(error) });
    }
  });
}
