// Finds the owner of any id, number or address, for administrators (docs/operate/now.md, "Search").
import { and, count, desc, eq, isNull, ne, or } from "drizzle-orm";
import type { FaultyInstance } from "@gateway/domain/fleet/faults.ts";
import { isObjectId, readSearch } from "@gateway/domain/fleet/search.ts";
import { contains, databaseOf } from "../../db/database.ts";
import { accountKey, accountWebhook, auditEntry, connection, connectionState, proxy, user } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { mapAtMost } from "../batches.ts";
import { allBridges } from "../bridges/pools.ts";
import { connectionStub } from "../connections/stub.ts";
import { instanceColumns } from "../health/faults.ts";
import { inTime } from "../object-calls.ts";

type FoundKind = "user" | "instance" | "proxy" | "bridge" | "key" | "webhook" | "audit" | "request" | "message" | "delivery";

/** `at` is in Unix ms. The result never contains message text. */
type SearchHit = {
  kind: FoundKind;
  id: string;
  title: string;
  detail: string | null;
  at: number | null;
  instance: FaultyInstance | null;
};

/** `asked` counts the instances that were asked, most recently active first. `instances` is null if the text cannot be an object's id. */
type SearchResult = { found: SearchHit[]; instances: { asked: number; of: number } | null };

const LISTED = 20;
/** Maximum number of instances to ask, because the search wakes each instance's object. */
const ASKED_INSTANCES = 100;
const CONCURRENCY = 20;
const ANSWER_MS = 5_000;

export async function findAnything(env: Env, text: string): Promise<SearchResult> {
  const { first, among } = readSearch(text);
  const own = among === null ? await inDirectory(env, first) : [];
  if (!isObjectId(first)) return { found: own, instances: null };
  const { found, ...instances } = await inObjects(env, first, among);
  return { found: [...own, ...found], instances };
}

async function inDirectory(env: Env, text: string): Promise<SearchHit[]> {
  const database = databaseOf(env.DB);
  const digits = text.replaceAll(/[\s().+-]/g, "");
  const isPhone = /^\d{6,15}$/.test(digits);
  const [users, instances, proxies, keys, webhooks, audited] = await database.batch([
    database
      .select({ id: user.id, title: user.email, detail: user.name })
      .from(user)
      .where(and(ne(user.status, "removed"), or(eq(user.id, text), contains(user.email, text), contains(user.name, text))))
      .orderBy(desc(user.createdAt))
      .limit(LISTED),
    database
      .select(instanceColumns)
      .from(connection)
      .innerJoin(user, eq(user.id, connection.ownerId))
      .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
      .where(
        and(
          isNull(connection.removedAt),
          or(
            eq(connection.uuid, text.toLowerCase()),
            contains(connection.name, text),
            contains(user.email, text),
            isPhone ? contains(connectionState.phone, digits) : undefined,
            /^\d{1,15}$/.test(text) ? eq(connection.id, Number(text)) : undefined,
          ),
        ),
      )
      .orderBy(desc(connection.id))
      .limit(LISTED),
    database
      .select({ id: proxy.id, title: proxy.label, host: proxy.host, port: proxy.port })
      .from(proxy)
      .where(or(eq(proxy.id, text), contains(proxy.label, text), eq(proxy.host, text)))
      .limit(LISTED),
    database
      .select({ id: accountKey.id, title: accountKey.name, detail: user.email })
      .from(accountKey)
      .innerJoin(user, eq(user.id, accountKey.userId))
      .where(or(eq(accountKey.id, text), eq(accountKey.prefix, text)))
      .limit(LISTED),
    database
      .select({ id: accountWebhook.id, title: accountWebhook.url, detail: user.email })
      .from(accountWebhook)
      .innerJoin(user, eq(user.id, accountWebhook.userId))
      .where(or(eq(accountWebhook.id, text), eq(accountWebhook.url, text)))
      .limit(LISTED),
    database
      .select({ id: auditEntry.target, title: auditEntry.action, at: auditEntry.at })
      .from(auditEntry)
      .where(or(eq(auditEntry.target, text), eq(auditEntry.requestId, text)))
      .orderBy(desc(auditEntry.at))
      .limit(LISTED),
  ]);
  const bridges = (await allBridges(env)).filter(({ id }) => id === text);
  const bare = { detail: null, at: null, instance: null };
  return [
    ...users.map((row): SearchHit => ({ ...bare, kind: "user", ...row })),
    ...instances.map((instance): SearchHit => ({ ...bare, kind: "instance", id: instance.id, title: instance.name, instance })),
    ...proxies.map(({ host, port, ...row }): SearchHit => ({ ...bare, kind: "proxy", ...row, detail: `${host}:${port}` })),
    ...bridges.map(({ id, assigned }): SearchHit => ({ ...bare, kind: "bridge", id, title: id, detail: String(assigned) })),
    ...keys.map((row): SearchHit => ({ ...bare, kind: "key", ...row })),
    ...webhooks.map((row): SearchHit => ({ ...bare, kind: "webhook", ...row })),
    ...audited.map((row): SearchHit => ({ ...bare, kind: "audit", ...row })),
  ];
}

async function inObjects(env: Env, id: string, among: string | null): Promise<{ found: SearchHit[]; asked: number; of: number }> {
  const database = databaseOf(env.DB);
  const narrowed =
    among === null
      ? undefined
      : or(
          eq(connection.uuid, among.toLowerCase()),
          contains(connection.name, among),
          contains(connectionState.phone, among),
          contains(user.email, among),
        );
  const condition = and(isNull(connection.removedAt), narrowed);
  const [instances, [counted]] = await database.batch([
    database
      .select(instanceColumns)
      .from(connection)
      .innerJoin(user, eq(user.id, connection.ownerId))
      .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
      .where(condition)
      .orderBy(desc(connectionState.notedAt), desc(connection.id))
      .limit(ASKED_INSTANCES),
    database
      .select({ total: count() })
      .from(connection)
      .innerJoin(user, eq(user.id, connection.ownerId))
      .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
      .where(condition),
  ]);
  const answers = await mapAtMost(instances, CONCURRENCY, async (instance): Promise<SearchHit[]> => {
    try {
      const located = await inTime(connectionStub(env, instance.id).locate(id), ANSWER_MS);
      return located === null ? [] : [{ ...located, id, instance }];
    } catch (error) {
      log("find.not_asked", { connection: instance.id, ...errorFields(error) });
      return [];
    }
  });
  return { found: answers.flat(), asked: instances.length, of: counted?.total ?? 0 };
}
