// Administration. Each change has a reason, which is stored only in the audit log.
import * as z from "zod";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import { emailAddress, nameUpTo } from "@gateway/domain/people/given-words.ts";
import { AnnouncedVersion, ClientVersionSetting, PROXY_ERRORS, PROXY_PROTOCOLS, PROXY_STATUSES } from "@gateway/protocol/bridge-socket.ts";
import { INSTANCE_STATUSES } from "@gateway/protocol/connection.ts";
import { InstanceSettings } from "@gateway/protocol/instance-settings.ts";
import { done, list, one, page, time, timeOrNull, type ContractRow } from "./common.ts";

const count = z.number().int();
const byName = z.record(z.string(), count);
const paging = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().min(1).max(512).optional(),
};
const q = z.string().trim().max(254).optional();
const givenTime = z.iso.datetime({ offset: true }).optional();

const words = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .refine((text) => hasAtMostCharacters(text, most), { params: { problem: "too_long", most } });
const why = { reason: words(500) };
const justified = z.strictObject(why);

/** The fields are defined in docs/use/statistics.md, "What is counted". */
const Statistics = z.strictObject({
  from: time,
  to: time,
  interval: z.enum(["hour", "day"]),
  /** All reachable instances have reported everything before this time. */
  complete_until: time,
  users: z.strictObject({ total: count, active: count, suspended: count, subscribed: count }),
  instances: z.strictObject({ total: count, by_status: byName, by_kind: byName }),
  messages: z.strictObject({
    sent: count,
    received: count,
    failed: count,
    by_type: z.record(z.string(), z.strictObject({ sent: count, received: count, failed: count })),
  }),
  webhooks: z.strictObject({
    deliveries: count,
    attempts: count,
    delivered: count,
    failed: count,
    pending: count,
    p50_ms: count.nullable(),
    p95_ms: count.nullable(),
    disabled: count,
  }),
  errors: z.strictObject({ by_code: byName }),
  connected_minutes: count,
  bridges: z.strictObject({ count, sessions: count, rss_mb: z.number() }),
  proxies: z.strictObject({ total: count, healthy: count, degraded: count, down: count, unknown: count }),
  series: z.array(
    z.strictObject({
      at: time,
      sent: count,
      received: count,
      failed: count,
      deliveries: count,
      delivered: count,
      errors: count,
      connected_minutes: count,
      complete: z.boolean(),
    }),
  ),
});

const SUBSCRIPTION_STATUSES = ["active", "trialing", "past_due", "canceled"] as const;
const Role = z.enum(["user", "admin"]);

/** `removal_at` null: no removal is scheduled. */
const User = z.strictObject({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: Role,
  status: z.enum(["active", "suspended"]),
  instances_count: count,
  created_at: time,
  subscription: z
    .strictObject({ plan: z.string(), status: z.enum(SUBSCRIPTION_STATUSES), max_instances: count, current_period_end: timeOrNull })
    .nullable(),
  last_seen_at: timeOrNull,
  is_confirmed: z.boolean(),
  removal_at: timeOrNull,
});

const terms = {
  plan: nameUpTo(60),
  status: z.enum(SUBSCRIPTION_STATUSES),
  max_instances: count.min(0).max(10_000),
  current_period_end: z.iso.datetime({ offset: true }).nullable(),
};

/** An instance as stored in D1. */
const Instance = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  name: z.string(),
  kind: z.enum(["session", "cloud_api"]),
  status: z.enum(INSTANCE_STATUSES),
  status_reason: z.string().nullable(),
  status_changed_at: timeOrNull,
  phone_number: z.string().nullable(),
  settings: z.strictObject(InstanceSettings.shape),
  metadata: z.record(z.string(), z.string()),
  proxy_id: z.string().nullable(),
  created_at: time,
  updated_at: time,
  owner: z.strictObject({ id: z.string(), email: z.string(), name: z.string() }),
  bridge_id: z.string().nullable(),
  rss_mb: z.number().nullable(),
});

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

const share = {
  build: z.string().trim().min(1).max(64),
  percent: z.number().min(0).max(100),
  instance_ids: z.array(z.uuid()).max(100),
};

/** `sessions`: of a trouble in the last ten minutes, of an alarm the peak. `rejected_for`: why the rollout was reverted. */
const Fleet = z.strictObject({
  sessions: count,
  away: count,
  troubles: z.array(z.strictObject({ kind: z.string(), code: z.string(), total: count, sessions: count })),
  alarms: z.array(z.strictObject({ kind: z.string(), code: z.string(), sessions: count, raised_at: time })),
  rollout: z
    .strictObject({ ...share, instance_ids: z.array(z.string()), changed_at: time, rejected_for: z.string().nullable() })
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

/** `instance_ids`: instances whose proxy is down. */
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
  /** Stored encrypted and never shown again. */
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

const facts = z.record(z.string(), z.unknown()).nullable();

/** `outcome` "unknown": the action failed midway and may have taken effect. */
const AuditEntry = z.strictObject({
  id: z.string(),
  at: time,
  actor: z.strictObject({ id: z.string(), email: z.string().nullable(), key_id: z.string().nullable() }),
  action: z.string(),
  target: z.string(),
  reason: z.string().nullable(),
  before: facts,
  after: facts,
  outcome: z.enum(["done", "refused", "unknown"]),
  failure: z.string().nullable(),
  request_id: z.string().nullable(),
});

export const ADMIN_CONTRACT = {
  /** Default: the last 30 days, or the last 24 hours. `user_id` and `instance_id` exclude each other. */
  "GET /admin/statistics": {
    query: z.object({
      interval: z.enum(["hour", "day"]).default("day"),
      from: givenTime,
      to: givenTime,
      user_id: z.string().max(64).optional(),
      instance_id: z.uuid().optional(),
    }),
    response: one(Statistics),
  },
  "GET /admin/users": {
    query: z.object({ ...paging, q, status: z.enum(["active", "suspended"]).optional() }),
    response: page(User),
  },
  "POST /admin/users": {
    body: z.strictObject({
      ...why,
      email: emailAddress,
      name: nameUpTo(100),
      role: Role.default("user"),
      subscription: z.strictObject(terms).optional(),
    }),
    response: one(User),
  },
  "GET /admin/users/{user_id}": { response: one(User) },
  "PATCH /admin/users/{user_id}": {
    body: z.strictObject({ ...why, name: nameUpTo(100).optional(), role: Role.optional() }),
    response: one(User),
  },
  "POST /admin/users/{user_id}/suspend": { body: justified, response: one(User) },
  "POST /admin/users/{user_id}/activate": { body: justified, response: one(User) },
  "PUT /admin/users/{user_id}/subscription": { body: z.strictObject({ ...why, ...terms }), response: one(User) },
  "DELETE /admin/users/{user_id}": { body: justified, response: one(User) },
  /** `q`: part of the name, the phone number, or the owner's e-mail address. */
  "GET /admin/instances": {
    query: z.object({
      ...paging,
      q,
      user_id: z.string().max(64).optional(),
      status: z.enum(INSTANCE_STATUSES).optional(),
      bridge_id: z.string().max(64).optional(),
    }),
    response: page(Instance),
  },
  /** `bridge_id` absent: moves to the least loaded other bridge. */
  "POST /admin/instances/{instance_id}/move": {
    body: z.strictObject({ ...why, bridge_id: z.string().min(1).max(64).optional() }),
    response: done,
  },
  "GET /admin/bridges": { response: list(Bridge) },
  "POST /admin/bridges/{bridge_id}/drain": { body: z.strictObject({ ...why, force: z.boolean().default(false) }), response: done },
  /** Only bridges in containers. */
  "POST /admin/bridges/{bridge_id}/restart": { body: justified, response: done },
  "GET /admin/fleet": { response: one(Fleet) },
  /** A rollout can be set even before any bridge runs the build. */
  "PUT /admin/fleet/rollout": { body: z.strictObject({ ...why, ...share, instance_ids: share.instance_ids.default([]) }), response: done },
  "DELETE /admin/fleet/rollout": { body: justified, response: done },
  "GET /admin/client-version": { response: one(ClientVersion) },
  "PUT /admin/client-version": { body: z.strictObject({ ...why, ...ClientVersionSetting.shape }), response: one(ClientVersion) },
  "GET /admin/proxies": { query: z.object(paging), response: page(Proxy) },
  "POST /admin/proxies": {
    body: z.strictObject({
      ...why,
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
  /** Sends `changed` after every check of proxies. */
  "GET /admin/proxies/stream": { response: "events" },
  "GET /admin/proxies/{proxy_id}": { response: one(ProxyWithInstances) },
  "PATCH /admin/proxies/{proxy_id}": {
    body: z.strictObject(proxyFields).extend({ is_active: z.boolean() }).partial().extend(why),
    response: one(Proxy),
  },
  /** `reassign`: first moves its instances to other proxies, either all or none. */
  "DELETE /admin/proxies/{proxy_id}": { body: z.strictObject({ ...why, reassign: z.boolean().default(false) }), response: done },
  "POST /admin/proxies/{proxy_id}/check": { body: justified, response: one(Health) },
  "POST /admin/proxies/{proxy_id}/assign": {
    body: z.strictObject({ ...why, instance_ids: z.array(z.uuid()).min(1).max(MAX_INSTANCES) }),
    response: done,
  },
  /** `actor`: id or e-mail address; `action`: the public name of the route. */
  "GET /admin/audit": {
    query: z.object({
      ...paging,
      actor: z.string().max(254).optional(),
      action: z.string().max(64).optional(),
      target: z.string().max(128).optional(),
      from: givenTime,
      to: givenTime,
    }),
    response: page(AuditEntry),
  },
} as const satisfies Record<string, ContractRow>;
