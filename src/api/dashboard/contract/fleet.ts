// Bridges, builds and proxies, managed by administrators. Each change requires a reason, which is stored only in the audit log.
import * as z from "zod";
import { nameUpTo } from "@gateway/domain/people/names-and-emails.ts";
import { AnnouncedVersion, ClientVersionSetting, PROXY_ERRORS, PROXY_PROTOCOLS, PROXY_STATUSES } from "@gateway/protocol/bridge-socket.ts";
import { count, done, givenReason, list, one, page, paging, time, timeOrNull, type ContractRow } from "./common.ts";

const Bridge = z.strictObject({
  id: z.string(),
  region: z.string().nullable(),
  network: z.enum(["real", "local"]),
  sessions: count,
  capacity: count,
  build: z.string().nullable(),
  version: z.string().nullable(),
  rss_mb: z.number(),
  cpu: z.number(),
  client_version: z.strictObject(AnnouncedVersion.shape).nullable(),
  served_version: z.string().nullable(),
  started_at: timeOrNull,
  draining: z.boolean(),
  connected: z.boolean(),
  container: z.boolean(),
  last_seen_at: time,
});

const ClientVersion = z.strictObject(ClientVersionSetting.shape);

const buildShare = {
  build: z.string().trim().min(1).max(64),
  percent: z.number().min(0).max(100),
  instance_ids: z.array(z.uuid()).max(100),
};

/** `routine` problems also occur in a healthy fleet. `sessions` counts those affected in the last ten minutes or at an alarm's peak. */
const Fleet = z.strictObject({
  sessions: count,
  away: count,
  troubles: z.array(z.strictObject({ kind: z.string(), code: z.string(), total: count, sessions: count, routine: z.boolean() })),
  alarms: z.array(z.strictObject({ kind: z.string(), code: z.string(), sessions: count, raised_at: time })),
  rollout: z
    .strictObject({ ...buildShare, instance_ids: z.array(z.string()), changed_at: time, rejected_for: z.string().nullable() })
    .nullable(),
});

const Health = z.strictObject({
  status: z.enum(PROXY_STATUSES),
  latency_ms: count.nullable(),
  exit_ip: z.string().nullable(),
  exit_country: z.string().nullable(),
  success_rate_1h: z.number().nullable(),
  consecutive_failures: count,
  checked_at: timeOrNull,
  last_error: z.enum(PROXY_ERRORS).nullable(),
});

const Proxy = z.strictObject({
  id: z.string(),
  label: z.string(),
  protocol: z.enum(PROXY_PROTOCOLS),
  host: z.string(),
  port: count,
  username: z.string().nullable(),
  has_password: z.boolean(),
  country: z.string().nullable(),
  max_instances: count,
  assigned: count,
  is_active: z.boolean(),
  health: Health,
  created_at: time,
});

const ProxyWithInstances = Proxy.extend({
  instances: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      user_id: z.string(),
      phone_number: z.string().nullable(),
      status: z.string().nullable(),
    }),
  ),
});

/** `instance_ids` are the instances whose proxy is down. */
const FleetHealth = z.strictObject({
  total: count,
  healthy: count,
  degraded: count,
  down: count,
  unknown: count,
  items: z.array(
    Health.extend({ proxy_id: z.string(), label: z.string(), assigned: count, down_since: timeOrNull, instance_ids: z.array(z.string()) }),
  ),
});

const MAX_INSTANCES = 1_000;

const proxyFields = {
  label: nameUpTo(60),
  protocol: z.enum(PROXY_PROTOCOLS),
  host: z.string().min(1).max(253),
  port: count.min(1).max(65_535),
  username: z
    .string()
    .regex(/^[\x21-\x39\x3b-\x7e]{1,255}$/)
    .nullable(),
  /** The password is stored encrypted and never shown again. */
  password: z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .nullable(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .nullable(),
  max_instances: count.min(1).max(MAX_INSTANCES),
};

export const FLEET_CONTRACT = {
  "GET /admin/bridges": { response: list(Bridge) },
  "POST /admin/bridges/{bridge_id}/drain": { body: z.strictObject({ ...givenReason, force: z.boolean().default(false) }), response: done },
  "POST /admin/bridges/{bridge_id}/restart": { body: z.strictObject(givenReason), response: done },
  "GET /admin/fleet": { response: one(Fleet) },
  /** A rollout can be set up before any bridge runs the build. */
  "PUT /admin/fleet/rollout": {
    body: z.strictObject({ ...givenReason, ...buildShare, instance_ids: buildShare.instance_ids.default([]) }),
    response: done,
  },
  "DELETE /admin/fleet/rollout": { body: z.strictObject(givenReason), response: done },
  "GET /admin/client-version": { response: one(ClientVersion) },
  "PUT /admin/client-version": { body: z.strictObject({ ...givenReason, ...ClientVersionSetting.shape }), response: one(ClientVersion) },
  "GET /admin/proxies": { query: z.object(paging), response: page(Proxy) },
  "POST /admin/proxies": {
    body: z.strictObject({
      ...givenReason,
      ...proxyFields,
      username: proxyFields.username.default(null),
      password: proxyFields.password.default(null),
      country: proxyFields.country.default(null),
      max_instances: proxyFields.max_instances.default(10),
    }),
    response: one(Proxy),
  },
  "GET /admin/proxies/health": {
    query: z.object({ ...paging, status: z.enum(PROXY_STATUSES).optional() }),
    response: one(FleetHealth).extend({ next_cursor: z.string().nullable() }),
  },
  /** Sends `changed` after every round of proxy checks. */
  "GET /admin/proxies/stream": { response: "events" },
  "GET /admin/proxies/{proxy_id}": { response: one(ProxyWithInstances) },
  "PATCH /admin/proxies/{proxy_id}": {
    body: z.strictObject(proxyFields).extend({ is_active: z.boolean() }).partial().extend(givenReason),
    response: one(Proxy),
  },
  /** `reassign` first moves the proxy's instances to other proxies. Either all of them are moved or none. */
  "DELETE /admin/proxies/{proxy_id}": { body: z.strictObject({ ...givenReason, reassign: z.boolean().default(false) }), response: done },
  "POST /admin/proxies/{proxy_id}/check": { body: z.strictObject(givenReason), response: one(Health) },
  "POST /admin/proxies/{proxy_id}/assign": {
    body: z.strictObject({ ...givenReason, instance_ids: z.array(z.uuid()).min(1).max(MAX_INSTANCES) }),
    response: done,
  },
} as const satisfies Record<string, ContractRow>;
