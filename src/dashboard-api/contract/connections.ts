// The list of connections, one of them, and its life on the network.
import { z } from "zod";
import { INSTANCE_STATUSES } from "../../protocol/connection.ts";
import { Phone } from "../../protocol/ids.ts";
import { done, list, name, one, page, time, timeOrNull } from "./common.ts";
import { Tick } from "./logs.ts";
import type { ContractRow } from "./row.ts";

export const Role = z.enum(["owner", "operator", "viewer"]);
const Kind = z.enum(["session", "cloud_api"]);

/** `status` null: its object does not answer now; `status_reason` is then the code of that failure. */
export const Connection = z.strictObject({
  id: z.number().int(),
  instance_id: z.string(),
  name: z.string(),
  kind: Kind,
  phone: z.string().nullable(),
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

/** One that needs its owner, on whatever page of the list it is. */
const NeedyConnection = Connection.pick({ id: true, name: true, role: true }).extend({
  status: z.enum(INSTANCE_STATUSES),
  status_reason: z.string(),
  status_changed_at: timeOrNull,
});

const Qr = z.strictObject({ qr: z.string(), raw: z.string(), expires_at: time });
const PairingCode = z.strictObject({ code: z.string(), phone_number: z.string(), expires_at: time });

export const CONNECTION_CONTRACT = {
  "GET /connections": {
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: z
        .string()
        .regex(/^\d{1,16}$/)
        .optional(),
      /** Part of the name or of the phone. */
      q: z.string().trim().max(200).optional(),
      status: z.enum(INSTANCE_STATUSES).optional(),
      of: z.enum(["owner", "shared"]).optional(),
      /** With the last hours of each, where its object answers. */
      activity: z.coerce.number().int().min(1).max(168).optional(),
    }),
    /** `attention`: of all connections of the user, whatever the query asks for; `attention_total` of them in all. */
    response: page(Connection.extend({ activity: z.array(Tick).optional() })).extend({
      attention: z.array(NeedyConnection),
      attention_total: z.number().int(),
    }),
  },
  "POST /connections": { body: z.strictObject({ name, kind: Kind.default("session") }), response: one(Connection) },
  "GET /connections/{id}": { response: one(Connection) },
  "PATCH /connections/{id}": { body: z.strictObject({ name }), response: one(Connection) },
  "DELETE /connections/{id}": { response: done },
  /** `last_event_id`: as the header `Last-Event-ID`, which a page cannot set when it opens a stream anew. */
  "GET /connections/{id}/stream": { query: z.object({ last_event_id: z.string().optional() }), response: "events" },
  /** The statuses of these connections; `gone` for those that the user may not see. */
  "GET /stream": { query: z.object({ ids: ListedIds }), response: "events" },
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

const Share = z.strictObject({ id: z.string(), email: z.string(), role: z.enum(["operator", "viewer"]), created_at: time });

export const SHARE_CONTRACT = {
  "GET /connections/{id}/shares": { response: list(Share) },
  "POST /connections/{id}/shares": {
    body: z.strictObject({ email: z.email().max(254), role: z.enum(["operator", "viewer"]) }),
    response: one(Share),
  },
  "DELETE /connections/{id}/shares/{share_id}": { response: done },
} as const satisfies Record<string, ContractRow>;
