import * as z from "zod";
import { CLOUD_CREDENTIALS } from "@gateway/protocol/cloud.ts";
import { INSTANCE_STATUSES } from "@gateway/protocol/connection.ts";
import { NewChatQuota as StoredQuota } from "@gateway/protocol/events.ts";
import { HEALTH_LEVELS } from "@gateway/protocol/health.ts";
import { Phone } from "@gateway/protocol/ids.ts";
import { InstanceSettings, InstanceSettingsChange } from "@gateway/protocol/instance-settings.ts";
import { done, name, one, page, time, timeOrNull, type ContractRow } from "./common.ts";
import { Tick } from "./logs.ts";

export const Role = z.enum(["owner", "operator", "viewer"]);
const ConnectionKind = z.enum(["session", "cloud_api"]);

/** `status` is null if the object does not respond. In that case, `status_reason` is the failure code. */
export const Connection = z.strictObject({
  id: z.number().int(),
  instance_id: z.string(),
  name: z.string(),
  kind: ConnectionKind,
  phone: z.string().nullable(),
  /** The phone that was paired last. Null if there was none or the object does not respond. */
  last_phone: z.string().nullable(),
  status: z.enum(INSTANCE_STATUSES).nullable(),
  status_reason: z.string().nullable(),
  status_changed_at: timeOrNull,
  role: Role,
  created_at: time,
});

const MAX_LISTED = 25;
const ListedIds = z
  .string()
  .regex(/^[1-9]\d{0,15}(,[1-9]\d{0,15})*$/, "must be ids of connections, separated by commas")
  .transform((text) => [...new Set(text.split(",").map(Number))])
  .refine((ids) => ids.length <= MAX_LISTED, `must be at most ${MAX_LISTED} ids`);

/** Connections that need their owner's attention, whether they are on the requested page or not. */
const NeedyConnection = Connection.pick({ id: true, name: true, role: true }).extend({
  status: z.enum(INSTANCE_STATUSES),
  status_reason: z.string(),
  status_changed_at: timeOrNull,
});

const count = z.number().int();

const Restriction = z.strictObject({
  type: z.literal("new_chats_blocked"),
  enforcement: z.string(),
  ends_at: timeOrNull,
  detected_at: time,
});
const Ban = z.strictObject({ code: count.nullable(), ends_at: timeOrNull });
const NewChatQuota = z.strictObject({ ...StoredQuota.shape, cycle_ends_at: timeOrNull });

/** Features that some kinds of connection lack. `check` looks up whether a number is on the network. */
export const FEATURES = [
  "pairing",
  "logout",
  "history",
  "check",
  "edit",
  "delete",
  "poll",
  "forward",
  "star",
  "always_online",
  "sync_history",
  "device_name",
  "ignore_channels",
  "ignore_status",
] as const;
export type Feature = (typeof FEATURES)[number];

const CloudCredentials = z.strictObject(CLOUD_CREDENTIALS);

/** Fields that only the object knows are null if it does not respond. */
const WholeConnection = Connection.extend({
  profile_name: z.string().nullable(),
  restriction: Restriction.nullable(),
  ban: Ban.nullable(),
  new_chat_quota: NewChatQuota.nullable(),
  reconnect: z.strictObject({ attempt: count, next_at: time }).nullable(),
  last_connected_at: timeOrNull,
  last_inbound_at: timeOrNull,
  subscription: z.strictObject({ status: z.string(), current_period_end: timeOrNull }).nullable(),
  settings: z.strictObject(InstanceSettings.shape),
  cloud_api: z.strictObject({ phone_number_id: z.string(), waba_id: z.string(), access_token_last4: z.string() }).nullable(),
  lacks: z.array(z.enum(FEATURES)),
});

const rate = z.number().nullable();

/** `code463_24h` contains refusals with code 463, counted separately for new and established chats. */
const Health = z.strictObject({
  score: count,
  level: z.enum(HEALTH_LEVELS),
  restriction: Restriction.nullable(),
  new_chat_quota: NewChatQuota.nullable(),
  quality_rating: z.enum(["GREEN", "YELLOW", "RED"]).nullable(),
  sends_24h: count,
  failed_24h: count,
  code463_24h: z.strictObject({ cold: count, warm: count }),
  delivered_rate_24h: rate,
  read_rate_24h: rate,
  reconnects_24h: count,
  last_inbound_at: timeOrNull,
  connected_since: timeOrNull,
  checked_at: timeOrNull,
});

const Capabilities = z.strictObject({
  kind: ConnectionKind,
  is_business: z.boolean().nullable(),
  limits: z.record(z.string(), z.number()),
});

const History = z.strictObject({
  state: z.enum(["idle", "running", "paused", "complete"]),
  progress: z.number().nullable(),
  chats: count,
  messages: count,
});

const Qr = z.strictObject({ qr: z.string(), raw: z.string(), expires_at: time });
export const PairingCode = z.strictObject({ code: z.string(), phone_number: z.string(), expires_at: time });

export const CONNECTION_CONTRACT = {
  "GET /connections": {
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: z
        .string()
        .regex(/^\d{1,16}$/)
        .optional(),
      q: z.string().trim().max(200).optional(),
      status: z.enum(INSTANCE_STATUSES).optional(),
      of: z.enum(["owner", "shared"]).optional(),
      /** Includes this many hours of activity for each connection whose object responds. */
      activity: z.coerce.number().int().min(1).max(168).optional(),
    }),
    /** `attention` lists all connections that need attention, whatever the query. `plan` is null if the user may not create connections. */
    response: page(Connection.extend({ activity: z.array(Tick).optional() })).extend({
      attention: z.array(NeedyConnection),
      attention_total: z.number().int(),
      plan: z.strictObject({ instances: z.number().int(), max_instances: z.number().int() }).nullable(),
    }),
  },
  /** For Cloud API numbers, checks the credentials and connects the number before responding. */
  "POST /connections": {
    body: z
      .strictObject({ name, kind: ConnectionKind.default("session"), cloud_api: CloudCredentials.optional() })
      .refine(({ kind, cloud_api }) => kind === "session" || cloud_api !== undefined, {
        path: ["cloud_api"],
        params: { problem: "cloud_credentials_missing" },
      })
      .refine(({ kind, cloud_api }) => kind === "cloud_api" || cloud_api === undefined, {
        path: ["cloud_api"],
        params: { problem: "cloud_credentials_alone" },
      }),
    response: one(Connection),
  },
  "GET /connections/{id}": { response: one(WholeConnection) },
  "PATCH /connections/{id}": {
    body: z
      .strictObject({ name, settings: InstanceSettingsChange, cloud_api: CloudCredentials })
      .partial()
      .refine((changes) => Object.values(changes).some((value) => value !== undefined), { params: { problem: "empty_change" } }),
    response: one(WholeConnection),
  },
  "DELETE /connections/{id}": { response: done },
  /** `last_event_id` replaces the `Last-Event-ID` header, which a page cannot set when it opens a stream. */
  "GET /connections/{id}/stream": { query: z.object({ last_event_id: z.string().optional() }), response: "events" },
  /** The statuses of these connections. A connection that the user may not see is reported as `gone`. */
  "GET /stream": { query: z.object({ ids: ListedIds }), response: "events" },
  "GET /connections/{id}/health": { response: one(Health) },
  "GET /connections/{id}/capabilities": { response: one(Capabilities) },
  "GET /connections/{id}/history": { response: one(History) },
  "POST /connections/{id}/connect": { body: z.strictObject({ force_new_pairing: z.boolean().default(false) }), response: done },
  "POST /connections/{id}/disconnect": { response: done },
  "POST /connections/{id}/restart": { response: done },
  "POST /connections/{id}/logout": { response: done },
  "GET /connections/{id}/qr": { response: one(Qr) },
  "POST /connections/{id}/pairing-code": {
    body: z.strictObject({
      phone_number: Phone,
      code: z
        .string()
        .regex(/^[A-Z1-9]{8}$/)
        .nullish(),
    }),
    response: one(PairingCode),
  },
} as const satisfies Record<string, ContractRow>;
