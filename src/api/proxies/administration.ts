import { invalidField } from "@gateway/domain/failures/field-problems.ts";
import { readProxyHost } from "@gateway/domain/egress/proxy-host.ts";
import { successRate } from "@gateway/domain/proxies/health.ts";
import { settingsOf } from "#root/src/env.ts";
import type { ProxyStatus } from "@gateway/protocol/bridge-socket.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { firstAnswer } from "#root/src/services/bridges/pools.ts";
import {
  countProxies,
  findProxy,
  instanceIdsOf,
  instancesOfProxy,
  type ListedProxy,
  listProxies,
  type Proxy,
  type ProxyPlace,
} from "#root/src/services/proxies/find.ts";
import { placeOf } from "#root/src/services/proxies/address.ts";
import { assignProxy, changeProxy, createProxy, removeProxy } from "#root/src/services/proxies/change.ts";
import { isoOfMs, isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import { type Administrator, type Audited, cut } from "../audit/page.ts";

type Page = { after: ProxyPlace | null; limit: number };

export type NewProxyFields = Pick<Proxy, "label" | "protocol" | "host" | "port" | "username" | "country"> & {
  password: string | null;
  max_instances: number;
};
export type ProxyFields = { [K in keyof NewProxyFields]?: NewProxyFields[K] | undefined } & { is_active?: boolean | undefined };

export type ShownProxy = ReturnType<typeof renderProxy>;

export async function pageOfProxies({ c, now }: Administrator, page: Page): Promise<{ data: ShownProxy[]; next: ProxyPlace | null }> {
  const { shown, next } = await pageOf(c.env.DB, null, page);
  return { data: shown.map((row) => renderProxy(row, now)), next };
}

export async function healthOfProxies({ c, now }: Administrator, status: ProxyStatus | null, page: Page) {
  const { DB } = c.env;
  const [counts, { shown, next }] = await Promise.all([countProxies(DB), pageOf(DB, status, page)]);
  const down = shown.filter(({ health }) => health.status === "down").map(({ proxy }) => proxy.id);
  const stranded = await instanceIdsOf(DB, down);
  const items = shown.map(({ proxy, health, assigned }) => ({
    ...renderHealth(health, now),
    proxy_id: proxy.id,
    label: proxy.label,
    assigned,
    down_since: isoOfMsOrNull(health.status === "down" ? health.outageAt : null),
    instance_ids: stranded.get(proxy.id) ?? [],
  }));
  return { data: { ...counts, items }, next };
}

export async function proxyWithInstances(by: Administrator, id: string) {
  const found = await shownProxy(by, id);
  if (!found.ok) return found;
  const instances = (await instancesOfProxy(by.c.env.DB, id)).map(({ uuid, name, ownerId, phone, status }) => ({
    id: uuid,
    name,
    user_id: ownerId,
    phone_number: phone,
    status,
  }));
  return { ok: true as const, value: { ...found.value, instances } };
}

export async function addProxy(by: Administrator, given: NewProxyFields): Promise<Outcome<Audited<ShownProxy>>> {
  const { label, protocol, port, username, password, country, max_instances: maxInstances } = given;
  const host = await allowedHost(by, { protocol, host: given.host, port });
  if (!host.ok) return host;
  if ((username === null) !== (password === null)) return credentialsIncomplete();
  const { env } = by.c;
  const wanted = { label, protocol, host: host.value, port, username, password, country, maxInstances, isActive: true };
  const row = await createProxy(env, wanted, by.now);
  const made = await shownProxy(by, row.id);
  if (!made.ok) return made;
  return { ok: true, value: { value: made.value, audit: { target: row.id, before: null, after: factsOf(row) } } };
}

export async function updateProxy(by: Administrator, id: string, given: ProxyFields): Promise<Outcome<Audited<ShownProxy>>> {
  const before = await findProxy(by.c.env.DB, id);
  if (before === null) return fail("proxy_not_found");
  const read = await readChanges(by, before.proxy, given);
  if (!read.ok) return read;
  const changed = await changeProxy(by.c.env, before.proxy, read.value);
  if (!changed.ok) return changed;
  const shown = await shownProxy(by, id);
  if (!shown.ok) return shown;
  const after = { ...factsOf(changed.value), password_changed: given.password !== undefined };
  return { ok: true, value: { value: shown.value, audit: { target: id, before: factsOf(before.proxy), after } } };
}

/** `reassign` first moves the proxy's instances to other proxies, either all or none. */
export async function deleteProxy({ c, now }: Administrator, id: string, reassign: boolean): Promise<Outcome<Audited<object>>> {
  const before = await findProxy(c.env.DB, id);
  if (before === null) return fail("proxy_not_found");
  const removed = await removeProxy(c.env, before.proxy, reassign, now);
  if (!removed.ok) return removed;
  const facts = { ...factsOf(before.proxy), moved: Object.fromEntries(removed.value.map(({ uuid, to }) => [uuid, to])) };
  return { ok: true, value: { value: {}, audit: { target: id, before: facts, after: null } } };
}

export async function checkProxy({ c, now }: Administrator, id: string): Promise<Outcome<Audited<ReturnType<typeof renderHealth>>>> {
  const before = await findProxy(c.env.DB, id);
  if (before === null) return fail("proxy_not_found");
  if ((await firstAnswer(c.env, async (pool) => (await pool.checkProxy(id)) || null)) === null) return fail("unavailable");
  const after = await findProxy(c.env.DB, id);
  if (after === null) return fail("proxy_not_found");
  const audit = { target: id, before: { status: before.health.status }, after: { status: after.health.status } };
  return { ok: true, value: { value: renderHealth(after.health, Math.max(now, after.health.checkedAt ?? now)), audit } };
}

export async function giveProxy({ c, now }: Administrator, id: string, instances: readonly string[]): Promise<Outcome<Audited<object>>> {
  if ((await findProxy(c.env.DB, id)) === null) return fail("proxy_not_found");
  const assigned = await assignProxy(c.env, id, [...new Set(instances)], now);
  if (!assigned.ok) return assigned;
  const before = Object.fromEntries(assigned.value.map(({ uuid, from }) => [uuid, from]));
  const after = Object.fromEntries(assigned.value.map(({ uuid }) => [uuid, id]));
  return { ok: true, value: { value: {}, audit: { target: id, before, after } } };
}

async function pageOf(
  binding: D1Database,
  status: ProxyStatus | null,
  { after, limit }: Page,
): Promise<{ shown: ListedProxy[]; next: ProxyPlace | null }> {
  const { shown, last } = cut(await listProxies(binding, { status, after, limit: limit + 1 }), limit);
  return { shown, next: last === undefined ? null : { createdAt: last.proxy.createdAt, id: last.proxy.id } };
}

async function shownProxy({ c, now }: Administrator, id: string): Promise<Outcome<ShownProxy>> {
  const found = await findProxy(c.env.DB, id);
  return found === null ? fail("proxy_not_found") : { ok: true, value: renderProxy(found, now) };
}

async function readChanges(by: Administrator, before: Proxy, body: ProxyFields) {
  const { label, protocol, port, username, password, country, max_instances, is_active } = body;
  const moved = protocol !== undefined || body.host !== undefined || port !== undefined;
  const place = { protocol: protocol ?? before.protocol, host: body.host ?? before.host, port: port ?? before.port };
  const host = moved ? await allowedHost(by, place) : null;
  if (host !== null && !host.ok) return host;
  const hasPassword = password === undefined ? before.passwordSealed !== null : password !== null;
  if (((username === undefined ? before.username : username) !== null) !== hasPassword) return credentialsIncomplete();
  const value = {
    ...(label === undefined ? {} : { label }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(host === null ? {} : { host: host.value }),
    ...(port === undefined ? {} : { port }),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(country === undefined ? {} : { country }),
    ...(max_instances === undefined ? {} : { maxInstances: max_instances }),
    ...(is_active === undefined ? {} : { isActive: is_active }),
  };
  return { ok: true as const, value };
}

function credentialsIncomplete() {
  return invalidField("password", "with_username");
}

/** Checks the host's syntax. A bridge checks the resolved address now or, if no bridge responds, on the first connection. */
async function allowedHost({ c }: Administrator, place: Pick<Proxy, "protocol" | "host" | "port">): Promise<Outcome<string>> {
  const { APP_URL, BASE_URL } = settingsOf(c.env);
  const host = readProxyHost(place.host, { own: [APP_URL, BASE_URL], loopback: c.get("allowsLoopback") });
  const judged = host === null ? null : await firstAnswer(c.env, (pool) => pool.judgeProxy(placeOf({ ...place, host })));
  const refused = host === null || (judged !== null && !judged.ok && judged.error === "address_not_allowed");
  if (!refused) return { ok: true, value: host };
  return invalidField("host", "not_a_public_host");
}

function factsOf(row: Proxy) {
  const { label, protocol, host, port, username, country, maxInstances, isActive, passwordSealed } = row;
  const has_password = passwordSealed !== null;
  return { label, protocol, host, port, username, has_password, country, max_instances: maxInstances, is_active: isActive };
}

function renderProxy({ proxy: row, health, assigned }: ListedProxy, now: number) {
  return { id: row.id, ...factsOf(row), assigned, health: renderHealth(health, now), created_at: isoOfMs(row.createdAt) };
}

function renderHealth(health: ListedProxy["health"], now: number) {
  return {
    status: health.status,
    latency_ms: health.latencyMs,
    exit_ip: health.exitIp,
    exit_country: health.exitCountry,
    success_rate_1h: successRate(health.pastChecks, now),
    consecutive_failures: health.consecutiveFailures,
    checked_at: isoOfMsOrNull(health.checkedAt),
    last_error: health.lastError,
  };
}
