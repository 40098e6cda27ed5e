// Re-encrypts values under the current STATE_SECRET, in batches. Wakes sleeping objects, which re-encrypt their own data.
import { and, count, eq, gt, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { databaseOf } from "../../db/database.ts";
import { accountWebhook, connection, connectionState, proxy } from "../../db/schema.ts";
import { currentSecret, IMPLIED_KID } from "@gateway/domain/keys/secrets.ts";
import { type Env, settingsOf } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { webhookSecret } from "../account-webhooks/secret.ts";
import { mapInBatches } from "../batches.ts";
import { connectionStub } from "../connections/stub.ts";
import { proxyPassword } from "../proxies/address.ts";
import { openColumn, sealColumn, type SealedFor } from "./vault.ts";

const MAX_WOKEN = 400;
const MAX_RESEALED = 200;
const WAKE_CONCURRENCY = 20;

/** The order is random, because in a fixed order, rows that cannot be re-encrypted would block the others. */
const ANY_ORDER = sql`random()`;

type SealedColumn = {
  table: typeof accountWebhook | typeof proxy;
  column: SQLiteColumn;
  owner: SQLiteColumn;
  ownerOf: (owner: string) => SealedFor;
};
const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: accountWebhook, column: accountWebhook.secretSealed, owner: accountWebhook.userId, ownerOf: webhookSecret },
  { table: proxy, column: proxy.passwordSealed, owner: proxy.id, ownerOf: proxyPassword },
];

type SealedRow = { id: string; owner: SealedFor; sealed: string };

export type StillUnderOld = { connections: number; webhooks: number; proxies: number };

export async function resealSlice(env: Env): Promise<StillUnderOld> {
  const { STATE_SECRET } = settingsOf(env);
  if (STATE_SECRET.size === 1) return { connections: 0, webhooks: 0, proxies: 0 };
  const { kid } = currentSecret(STATE_SECRET);
  for (const column of SEALED_COLUMNS) await resealColumn(env, kid, column);
  const before = await countUnderOld(env, kid);
  if (before.connections > 0) await wakeConnections(env, kid);
  // A woken object reports only after it has re-encrypted its data, so the count may include it for another minute.
  const left = before.connections > 0 ? await countUnderOld(env, kid) : before;
  log("secrets.under_old_entry", { setting: "STATE_SECRET", kid, ...left });
  return left;
}

async function countUnderOld(env: Env, kid: number): Promise<StillUnderOld> {
  const database = databaseOf(env.DB);
  const [[connections], [webhooks], [proxies]] = await database.batch([
    database
      .select({ n: count() })
      .from(connectionState)
      .innerJoin(connection, eq(connection.id, connectionState.connectionId))
      .where(and(isUnderOther(kid), isNull(connection.removedAt))),
    database.select({ n: count() }).from(accountWebhook).where(isSealedUnderOther(accountWebhook.secretSealed, kid)),
    database.select({ n: count() }).from(proxy).where(isSealedUnderOther(proxy.passwordSealed, kid)),
  ]);
  return { connections: connections?.n ?? 0, webhooks: webhooks?.n ?? 0, proxies: proxies?.n ?? 0 };
}

async function wakeConnections(env: Env, kid: number): Promise<void> {
  const rows = await databaseOf(env.DB)
    .select({ uuid: connection.uuid })
    .from(connectionState)
    .innerJoin(connection, eq(connection.id, connectionState.connectionId))
    .where(and(isUnderOther(kid), isNull(connection.removedAt)))
    .orderBy(ANY_ORDER)
    .limit(MAX_WOKEN);
  await mapInBatches(rows, WAKE_CONCURRENCY, async ({ uuid }) => {
    await connectionStub(env, uuid)
      .poke()
      .catch((error: unknown) => log("secrets.not_resealed", { connection: uuid, ...errorFields(error) }));
  });
}

async function resealColumn(env: Env, kid: number, { table, column, owner, ownerOf }: SealedColumn): Promise<void> {
  const database = databaseOf(env.DB);
  const rows = await database
    .select({ id: sql<string>`${table.id}`, owner: sql<string>`${owner}`, sealed: sql<string>`${column}` })
    .from(table)
    .where(isSealedUnderOther(column, kid))
    .orderBy(ANY_ORDER)
    .limit(MAX_RESEALED);
  for (const { id, owner: ownedBy, sealed } of rows) {
    const sealedNow = resealed(env, { id, owner: ownerOf(ownedBy), sealed });
    const unchanged = and(eq(table.id, id), eq(column, sealed));
    if (sealedNow !== null) await database.run(sql`UPDATE ${table} SET ${sql.identifier(column.name)} = ${sealedNow} WHERE ${unchanged}`);
  }
}

/** Returns null if the value cannot be decrypted, because its entry was removed too early. */
function resealed(env: Env, { id, owner, sealed }: SealedRow): string | null {
  const { STATE_SECRET } = settingsOf(env);
  try {
    return sealColumn(STATE_SECRET, owner, openColumn(STATE_SECRET, owner, sealed));
  } catch (error) {
    log("secrets.not_resealed", { row: id, ...errorFields(error) });
    return null;
  }
}

/** The condition has this form so that the query can use the index. */
function isUnderOther(kid: number): SQL | undefined {
  return or(lt(connectionState.stateKid, kid), gt(connectionState.stateKid, kid));
}

function isSealedUnderOther(column: SQLiteColumn, kid: number): SQL {
  const stored = sql`CASE WHEN instr(${column}, ':') > 0 THEN CAST(${column} AS INTEGER) ELSE ${IMPLIED_KID} END`;
  return sql`${column} IS NOT NULL AND ${stored} <> ${kid}`;
}
