// Emails about proxies that went down or came back. Each person gets one email per outage for all proxies.
import { and, asc, eq, gt, inArray, isNull, lte, or, sql } from "drizzle-orm";
import { databaseOf, rowsOf } from "../../db/database.ts";
import { connection, proxy, proxyNotice, user } from "../../db/schema.ts";
import { type ProxyNotice, proxyMail } from "@gateway/domain/proxies/mails.ts";
import { SET_BACK_MS } from "@gateway/domain/clock-set-back.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { sendNotice } from "../mail/send.ts";
import { assignedTo } from "./find.ts";

/** Lease on an email while it is being sent, by the number of earlier attempts. After the last one, the email is dropped. */
const LEASE_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, HOUR_MS] as const;

/** Due times further ahead than any lease were stored before the clock was set back (`notAhead`). */
const AHEAD_MS = Math.max(...LEASE_MS) + SET_BACK_MS;

/** Sends emails to up to `people` people, with up to six subrequests each. Returns true if more remain. */
export async function sendProxyNotices(env: Env, now: number, people: number): Promise<boolean> {
  const rows = await databaseOf(env.DB)
    .selectDistinct({ userId: proxyNotice.userId })
    .from(proxyNotice)
    .where(or(lte(proxyNotice.dueAt, now), gt(proxyNotice.dueAt, now + AHEAD_MS)))
    .orderBy(asc(proxyNotice.userId))
    .limit(people);
  for (const { userId } of rows) await notify(env, userId, now);
  return rows.length === people;
}

/** The lease is taken before the email is sent. Otherwise, a crash in between would send the email again in every round. */
const LEASE = `UPDATE proxy_notice SET tries = tries + 1, due_at = ?2 + COALESCE((SELECT value FROM json_each(?3) WHERE key = tries), 0)
  WHERE user_id = ?1 AND (due_at <= ?2 OR due_at > ?2 + ?4) RETURNING proxy_id AS proxyId, news, tries`;

const DELETE = `DELETE FROM proxy_notice WHERE user_id = ?1
  AND (proxy_id, tries) IN (SELECT value ->> 'proxyId', value ->> 'tries' FROM json_each(?2))`;

type Leased = Pick<typeof proxyNotice.$inferSelect, "proxyId" | "news" | "tries">;

async function notify(env: Env, userId: string, now: number): Promise<void> {
  const { results } = await env.DB.prepare(LEASE).bind(userId, now, JSON.stringify(LEASE_MS), AHEAD_MS).all<Leased>();
  const leased = results.filter(({ tries }) => tries <= LEASE_MS.length);
  const sent = leased.length === 0 || (await mailNews(env, userId, leased));
  const over = sent ? results : results.filter(({ tries }) => tries >= LEASE_MS.length);
  if (over.length > 0) await env.DB.prepare(DELETE).bind(userId, JSON.stringify(over)).run();
}

async function mailNews(env: Env, userId: string, leased: readonly Leased[]): Promise<boolean> {
  const news = new Map(leased.map((notice) => [notice.proxyId, notice.news]));
  const ids = [...news.keys()];
  const rows = await databaseOf(env.DB)
    .select({ id: proxy.id, email: user.email, role: user.role, label: proxy.label, assigned: assignedTo(sql`${proxy.id}`) })
    .from(proxy)
    .innerJoin(user, eq(user.id, userId))
    .where(inArray(proxy.id, rowsOf(ids)));
  const owned = await ownedOn(env.DB, userId, ids);
  const notices = rows.flatMap(({ id, role, label, assigned }): ProxyNotice[] => {
    const [connections, what] = [owned.get(id) ?? [], news.get(id)];
    if (what === undefined || (role !== "admin" && connections.length === 0)) return [];
    return [{ news: what, label: role === "admin" ? label : null, assigned, connections }];
  });
  const [first] = rows;
  return first === undefined || notices.length === 0 || mail(env, first.email, notices);
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

async function ownedOn(binding: D1Database, ownerId: string, proxyIds: readonly string[]): Promise<Map<string, string[]>> {
  const ids = rowsOf(proxyIds);
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
