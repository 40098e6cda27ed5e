// Administration. Each change requires a reason, which is stored only in the audit log.
import * as z from "zod";
import { emailAddress, nameUpTo } from "@gateway/domain/people/names-and-emails.ts";
import { INSTANCE_STATUSES } from "@gateway/protocol/connection.ts";
import { InstanceSettings } from "@gateway/protocol/instance-settings.ts";
import { count, done, givenReason, one, page, paging, time, timeOrNull, type ContractRow } from "./common.ts";

const byName = z.record(z.string(), count);
const q = z.string().trim().max(254).optional();
const givenTime = z.iso.datetime({ offset: true }).optional();

/** The fields are defined in docs/use/statistics.md, "What is counted". */
const Statistics = z.strictObject({
  from: time,
  to: time,
  interval: z.enum(["hour", "day"]),
  /** All reachable instances have reported their counts up to this time. */
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
      p50_ms: count.nullable(),
      p95_ms: count.nullable(),
      errors: count,
      errors_by_code: byName,
      connected_minutes: count,
      complete: z.boolean(),
    }),
  ),
});

const SUBSCRIPTION_STATUSES = ["active", "trialing", "past_due", "canceled"] as const;
const Role = z.enum(["user", "admin"]);

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

const facts = z.record(z.string(), z.unknown()).nullable();

/** The `outcome` "unknown" means that the action was interrupted and may have taken effect. */
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
  /** The default is the last 30 days, or the last 24 hours if grouped by hour. `user_id` and `instance_id` cannot be combined. */
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
      ...givenReason,
      email: emailAddress,
      name: nameUpTo(100),
      role: Role.default("user"),
      subscription: z.strictObject(terms).optional(),
    }),
    response: one(User),
  },
  "GET /admin/users/{user_id}": { response: one(User) },
  "PATCH /admin/users/{user_id}": {
    body: z.strictObject({ ...givenReason, name: nameUpTo(100).optional(), role: Role.optional() }),
    response: one(User),
  },
  "POST /admin/users/{user_id}/suspend": { body: z.strictObject(givenReason), response: one(User) },
  "POST /admin/users/{user_id}/activate": { body: z.strictObject(givenReason), response: one(User) },
  "PUT /admin/users/{user_id}/subscription": { body: z.strictObject({ ...givenReason, ...terms }), response: one(User) },
  "DELETE /admin/users/{user_id}": { body: z.strictObject(givenReason), response: one(User) },
  /** `q` is part of the name, the phone number or the owner's email address, or the instance's id. */
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
  /** Without `bridge_id`, the instance moves to the least loaded other bridge. */
  "POST /admin/instances/{instance_id}/move": {
    body: z.strictObject({ ...givenReason, bridge_id: z.string().min(1).max(64).optional() }),
    response: done,
  },
  /** `actor` is an id or email address, and `action` is the public name of the route. */
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
