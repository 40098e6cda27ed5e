// Tells owners and administrators of proxies that went down or came back: each person once for each outage, in one mail for all proxies.
import { and, asc, eq, inArray, isNull, lte, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, proxy, proxyNotice, user } from "../../db/schema.ts";
import { type ProxyNotice, proxyMail } from "../../domain/proxies/notices.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { MINUTE_MS } from "../../protocol/units.ts";
import { sendNotice } from "../mail/send.ts";
import { assignedTo } from "./room.ts";

/** Until a mail that could not go out is tried again; after the last it is left out. */
const RETRY_AFTER_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS] as const;

/** Sends what is due, to at most so many people. Answers whether more is due. */
export async function sendProxyNotices(env: Env, now: number, people: number): Promise<boolean> {
  const rows = await databaseOf(env.DB)
    .selectDistinct({ userId: proxyNotice.userId })
    .from(proxyNotice)
    .where(lte(proxyNotice.dueAt, now))
    .orderBy(asc(proxyNotice.userId))
    .limit(people);
  for (const { userId } of rows) await notify(env, userId, now);
  return rows.length === people;
}

async function notify(env: Env, userId: string, now: number): Promise<void> {
  const database = databaseOf(env.DB);
  const due = and(eq(proxyNotice.userId, userId), lte(proxyNotice.dueAt, now));
  const rows = await database
    .select({ notice: proxyNotice, email: user.email, role: user.role, label: proxy.label, assigned: assignedTo(sql`${proxy.id}`) })
    .from(proxyNotice)
    .innerJoin(proxy, eq(proxy.id, proxyNotice.proxyId))
    .innerJoin(user, eq(user.id, proxyNotice.userId))
    .where(due);
  const [first] = rows;
  if (first === undefined) return;
  const owned = await ownedOn(
    env.DB,
    userId,
    rows.map(({ notice }) => notice.proxyId),
  );
  const notices = rows.flatMap(({ notice, role, label, assigned }): ProxyNotice[] => {
    const connections = owned.get(notice.proxyId) ?? [];
    // They have moved theirs in the meantime.
    if (role !== "admin" && connections.length === 0) return [];
    return [{ news: notice.news, label: role === "admin" ? label : null, assigned, connections }];
  });
  const sent = notices.length === 0 || (await mail(env, first.email, notices));
  const wait = RETRY_AFTER_MS[first.notice.tries];
  if (sent || wait === undefined) await database.delete(proxyNotice).where(due);
  else
    await database
      .update(proxyNotice)
      .set({ tries: sql`${proxyNotice.tries} + 1`, dueAt: now + wait })
      .where(due);
}

async function mail(env: Env, to: string, notices: readonly ProxyNotice[]): Promise<boolean> {
  try {
    await sendNotice(env, { kind: "proxy", to, ...proxyMail(notices) });
    return true;
  } catch (error) {
    log("proxy.mail_failed", errorFields(error));
    return false;
  }
}

/** The names of the person's connections on each of the proxies. */
async function ownedOn(binding: D1Database, ownerId: string, proxyIds: readonly string[]): Promise<Map<string, string[]>> {
  const ids = sql`(SELECT value FROM json_each(${JSON.stringify(proxyIds)}))`;
  const rows = await databaseOf(binding)
    .select({ proxyId: connection.proxyId, name: connection.name })
    .from(connection)
    .where(and(eq(connection.ownerId, ownerId), isNull(connection.removedAt), inArray(connection.proxyId, ids)))
    .orderBy(asc(connection.id));
  const names = new Map<string, string[]>();
  for (const { proxyId, name } of rows) {
    if (proxyId !== null) names.set(proxyId, [...(names.get(proxyId) ?? []), name]);
  }
  return names;
}
