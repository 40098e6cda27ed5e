// Wakes connections that no pool wakes daily, so that work whose alarm was lost continues (docs/internals/scheduling.md, "Alarms").
import { and, asc, eq, gt, isNull, lte, max, or, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, connectionState, directoryRound } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { mapAtMost } from "../batches.ts";
import { connectionStub } from "../connections/stub.ts";

/** Objects per run, because each call is one of its 1,000 subrequests. */
const MAX_WOKEN = 900;
const CONCURRENCY = 20;
/** Pools wake connections with a bridge, but the entry may be outdated, so they are also woken here. */
const DAYS_WITH_BRIDGE = 7;

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
  // Store the position before waking, so that an aborted run is not repeated forever.
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

export type Round = { day: number; through: number };

export type Slice = { day: number; from: number; to: number };

/** The maximum number of ids per run; later runs catch up on missed ones. */
export const MAX_SLICE = 5_000;

export function sliceDue(round: Round | null, highest: number, now: number): Slice | null {
  const day = Math.floor(now / DAY_MS) * DAY_MS;
  const from = round === null || round.day !== day ? 0 : round.through;
  const due = Math.ceil((highest * (now - day)) / DAY_MS);
  const to = Math.min(due, from + MAX_SLICE);
  return to > from ? { day, from, to } : null;
}
