// Proxies of the deployment, for administrators (docs/operations.md, "Proxies").
import { z } from "@hono/zod-openapi";
import { readProxyHost } from "../../domain/egress/proxy-host.ts";
import { successRate } from "../../domain/proxies/health.ts";
import { settingsOf } from "../../env.ts";
import { isoOfMs, isoOfMsOrNull } from "../../http/times.ts";
import { fail, type Outcome } from "../../protocol/failures.ts";
import { bridgePoolStub } from "../../services/bridges/pool-stub.ts";
import { placeOf } from "../../services/proxies/address.ts";
import { assignProxy } from "../../services/proxies/assign.ts";
import { changeProxy } from "../../services/proxies/change.ts";
import { createProxy } from "../../services/proxies/create.ts";
import {
  countProxies,
  findProxy,
  instanceIdsOf,
  instancesOfProxy,
  type ListedProxy,
  listProxies,
  type Proxy as ProxyRow,
} from "../../services/proxies/find.ts";
import { removeProxy } from "../../services/proxies/remove.ts";
import { cursorCodec, cursorField } from "../cursors.ts";
import { limitUpTo, messageResult, nextCursor, queryBoolean } from "../fields.ts";
import type { RequestContext } from "../request-context.ts";
import { action } from "../route.ts";
import { adminAction } from "./admin-action.ts";
import {
  assignment,
  newProxy,
  Proxy,
  proxyChanges,
  ProxyHealth,
  ProxyHealthSummary,
  proxyId,
  proxyStatus,
  ProxyWithInstances,
} from "./proxy-schemas.ts";

const cursors = cursorCodec(z.object({ createdAt: z.number(), id: z.string() }));
const params = z.object({ proxyId });
const page = { limit: limitUpTo(200), cursor: cursorField(cursors) };
const one = { response: z.object({ data: Proxy }), render: (data: z.input<typeof Proxy>) => ({ data }) };

export const adminProxyRoutes = [
  action({
    name: "listProxies",
    effect: "read",
    method: "get",
    path: "/admin/proxies",
    scope: "admin",
    summary: "All proxies, oldest first",
    query: z.object(page),
    run: async ({ c, now }, { query }) => {
      const { shown, next_cursor } = await pageOf(c.env.DB, null, query);
      return { ok: true, value: { data: shown.map((row) => renderProxy(row, now)), next_cursor } };
    },
    response: z.object({ data: z.array(Proxy), next_cursor: nextCursor }),
    render: (found) => found,
  }),
  adminAction({
    ...one,
    name: "createProxy",
    effect: "change",
    method: "post",
    path: "/admin/proxies",
    status: 201,
    summary: "Adds a proxy",
    description:
      "It must be at a public address. A bridge checks it within a minute, and every minute from then on. Name and password go together.",
    example: {
      body: {
        label: "São Paulo 1",
        protocol: "http",
        host: "proxy.example.com",
        port: 3128,
        username: "gateway",
        password: "correct-horse",
      },
    },
    body: newProxy,
    run: async (context, { body }) => {
      const { label, protocol, port, username, password, country, max_instances: maxInstances } = body;
      const host = await allowedHost(context, { protocol, host: body.host, port });
      if (!host.ok) return host;
      if ((username === null) !== (password === null)) return credentialsIncomplete();
      const { env } = context.c;
      const wanted = { label, protocol, host: host.value, port, username, password, country, maxInstances, isActive: true };
      const row = await createProxy(env, wanted, context.now);
      const made = await shownProxy(context, row.id);
      if (!made.ok) return made;
      return { ok: true, value: { value: made.value, audit: { target: row.id, before: null, after: factsOf(row) } } };
    },
  }),
  action({
    name: "getProxyHealth",
    effect: "read",
    method: "get",
    path: "/admin/proxies/health",
    scope: "admin",
    summary: "How the proxies are doing, and which instances the dead ones carry",
    query: z.object({ status: proxyStatus.optional().openapi({ description: "Only proxies of this status" }), ...page }),
    run: async ({ c, now }, { query }) => {
      const { DB } = c.env;
      const [counts, { shown, next_cursor }] = await Promise.all([countProxies(DB), pageOf(DB, query.status ?? null, query)]);
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
      return { ok: true, value: { data: { ...counts, items }, next_cursor } };
    },
    response: z.object({ data: ProxyHealthSummary, next_cursor: nextCursor }),
    render: (found) => found,
  }),
  action({
    name: "getProxy",
    effect: "read",
    method: "get",
    path: "/admin/proxies/{proxyId}",
    scope: "admin",
    summary: "One proxy, with the instances on it",
    failures: ["proxy_not_found"],
    params,
    run: async (context, { params: { proxyId: id } }) => {
      const found = await shownProxy(context, id);
      if (!found.ok) return found;
      const instances = (await instancesOfProxy(context.c.env.DB, id)).map(({ uuid, name, ownerId, phone, status }) => ({
        id: uuid,
        name,
        user_id: ownerId,
        phone_number: phone,
        status,
      }));
      return { ok: true, value: { ...found.value, instances } };
    },
    response: z.object({ data: ProxyWithInstances }),
    render: (data) => ({ data }),
  }),
  adminAction({
    ...one,
    name: "updateProxy",
    effect: "change",
    method: "patch",
    path: "/admin/proxies/{proxyId}",
    summary: "Changes a proxy",
    description: "With another address or other credentials the instances on it reconnect.",
    failures: ["proxy_not_found", "proxy_full"],
    example: { body: { max_instances: 20 } },
    params,
    someField: true,
    body: proxyChanges,
    run: async (context, { params: { proxyId: id }, body }) => {
      const before = await findProxy(context.c.env.DB, id);
      if (before === null) return fail("proxy_not_found");
      const read = await readChanges(context, before.proxy, body);
      if (!read.ok) return read;
      const changed = await changeProxy(context.c.env, before.proxy, read.value);
      if (!changed.ok) return changed;
      const shown = await shownProxy(context, id);
      if (!shown.ok) return shown;
      const after = { ...factsOf(changed.value), password_changed: body.password !== undefined };
      return { ok: true, value: { value: shown.value, audit: { target: id, before: factsOf(before.proxy), after } } };
    },
  }),
  adminAction({
    name: "deleteProxy",
    effect: "destructive",
    method: "delete",
    path: "/admin/proxies/{proxyId}",
    summary: "Removes a proxy that carries no instance",
    description:
      "With `reassign=true` the instances on it move first to healthy proxies that have room, of the same country before others: all, or none and 409 `proxy_in_use`.",
    failures: ["proxy_not_found", "proxy_in_use"],
    params,
    query: z.object({ reassign: queryBoolean.optional().openapi({ description: "Moves the instances on it first" }) }),
    run: async ({ c, now }, { params: { proxyId: id }, query }) => {
      const before = await findProxy(c.env.DB, id);
      if (before === null) return fail("proxy_not_found");
      const removed = await removeProxy(c.env, before.proxy, query.reassign ?? false, now);
      if (!removed.ok) return removed;
      const facts = { ...factsOf(before.proxy), moved: Object.fromEntries(removed.value.map(({ uuid, to }) => [uuid, to])) };
      return { ok: true, value: { value: {}, audit: { target: id, before: facts, after: null } } };
    },
    ...messageResult("The proxy is removed."),
  }),
  adminAction({
    name: "checkProxy",
    effect: "change",
    method: "post",
    path: "/admin/proxies/{proxyId}/check",
    summary: "Has a bridge check a proxy now",
    description: "The check counts like those of every minute. 503 when no bridge has answered; that says nothing about the proxy.",
    failures: ["proxy_not_found", "unavailable"],
    params,
    run: async ({ c, now }, { params: { proxyId: id } }) => {
      const before = await findProxy(c.env.DB, id);
      if (before === null) return fail("proxy_not_found");
      if (!(await bridgePoolStub(c.env).checkProxy(id))) return fail("unavailable");
      const after = await findProxy(c.env.DB, id);
      if (after === null) return fail("proxy_not_found");
      const audit = { target: id, before: { status: before.health.status }, after: { status: after.health.status } };
      return { ok: true, value: { value: renderHealth(after.health, Math.max(now, after.health.checkedAt ?? now)), audit } };
    },
    response: z.object({ data: ProxyHealth }),
    render: (data) => ({ data }),
  }),
  adminAction({
    name: "assignProxy",
    effect: "change",
    method: "post",
    path: "/admin/proxies/{proxyId}/assign",
    summary: "Gives a proxy to instances",
    description:
      "All of them or none: 409 `proxy_full` says how many it may carry and carries. They reconnect through it, also those that another proxy had stopped; nothing is paired again.",
    failures: ["proxy_not_found", "instance_not_found", "proxy_full"],
    example: { body: { instance_ids: ["0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b"] } },
    params,
    body: assignment,
    run: async ({ c, now }, { params: { proxyId: id }, body }) => {
      if ((await findProxy(c.env.DB, id)) === null) return fail("proxy_not_found");
      const assigned = await assignProxy(c.env, id, [...new Set(body.instance_ids)], now);
      if (!assigned.ok) return assigned;
      const before = Object.fromEntries(assigned.value.map(({ uuid, from }) => [uuid, from]));
      const after = Object.fromEntries(assigned.value.map(({ uuid }) => [uuid, id]));
      return { ok: true, value: { value: {}, audit: { target: id, before, after } } };
    },
    ...messageResult("The instances use the proxy."),
  }),
];

type Place = { createdAt: number; id: string };

async function pageOf(
  binding: D1Database,
  status: z.output<typeof proxyStatus> | null,
  { limit, cursor = null }: { limit: number; cursor?: Place | null | undefined },
): Promise<{ shown: ListedProxy[]; next_cursor: string | null }> {
  const rows = await listProxies(binding, { status, after: cursor, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)?.proxy : undefined;
  return { shown, next_cursor: last === undefined ? null : cursors.write({ createdAt: last.createdAt, id: last.id }) };
}

async function shownProxy({ c, now }: RequestContext, id: string): Promise<Outcome<z.input<typeof Proxy>>> {
  const found = await findProxy(c.env.DB, id);
  return found === null ? fail("proxy_not_found") : { ok: true, value: renderProxy(found, now) };
}

async function readChanges(context: RequestContext, before: ProxyRow, body: z.output<typeof proxyChanges>) {
  const { label, protocol, port, username, password, country, max_instances, is_active } = body;
  const moved = protocol !== undefined || body.host !== undefined || port !== undefined;
  const place = { protocol: protocol ?? before.protocol, host: body.host ?? before.host, port: port ?? before.port };
  const host = moved ? await allowedHost(context, place) : null;
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
  return fail("validation_error", { issues: [{ field: "password", issue: "goes together with username" }] });
}

/**
 * The host as it is stored. Its text is judged here, what its name leads to by a bridge; when none answers, the address is judged with the
 * first connection alone.
 */
async function allowedHost({ c }: RequestContext, place: Pick<ProxyRow, "protocol" | "host" | "port">): Promise<Outcome<string>> {
  const { APP_URL, BASE_URL } = settingsOf(c.env);
  const host = readProxyHost(place.host, { own: [APP_URL, BASE_URL], loopback: c.var.loopbackFiles });
  const judged = host === null ? null : await bridgePoolStub(c.env).judgeProxy(placeOf({ ...place, host }));
  const refused = host === null || (judged !== null && !judged.ok && judged.error === "address_not_allowed");
  if (!refused) return { ok: true, value: host };
  return fail("validation_error", { issues: [{ field: "host", issue: "must be a public address or name, without scheme and port" }] });
}

/** For the audit log: nothing secret. */
function factsOf(row: ProxyRow) {
  const { label, protocol, host, port, username, country, maxInstances, isActive, passwordSealed } = row;
  const has_password = passwordSealed !== null;
  return { label, protocol, host, port, username, has_password, country, max_instances: maxInstances, is_active: isActive };
}

function renderProxy({ proxy: row, health, assigned }: ListedProxy, now: number): z.input<typeof Proxy> {
  return { id: row.id, ...factsOf(row), assigned, health: renderHealth(health, now), created_at: isoOfMs(row.createdAt) };
}

function renderHealth(health: ListedProxy["health"], now: number): z.input<typeof ProxyHealth> {
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
