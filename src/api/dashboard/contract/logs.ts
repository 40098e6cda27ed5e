import * as z from "zod";
import { INSTANCE_STATUSES, CALLER_KINDS } from "@gateway/protocol/connection.ts";
import { list, one, page, time, type ContractRow } from "./common.ts";

/** `minutes` contains the time in each status. The sum is less than 60 if the status was unknown for a while. */
const Hour = z.strictObject({
  at: time,
  minutes: z.record(z.enum(INSTANCE_STATUSES), z.number()),
  sent: z.number().int(),
  received: z.number().int(),
  failed: z.number().int(),
  delivered: z.number().int(),
});

/** The worst status that lasted at least a minute, or null if the status is unknown. */
export const Tick = z.strictObject({ at: time, messages: z.number().int(), status: z.enum(INSTANCE_STATUSES).nullable() });

/** `name` is null if the caller is not a key or the key is unknown. */
const Caller = z.strictObject({ kind: z.enum(CALLER_KINDS), key_id: z.string().nullable(), name: z.string().nullable() });

/** `ms` is the time until the object responded. */
const LoggedRequest = z.strictObject({
  id: z.string(),
  at: time,
  method: z.string(),
  route: z.string(),
  status: z.number().int(),
  code: z.string().nullable(),
  caller: Caller,
  ms: z.number().int(),
  replayed: z.boolean(),
});

const RefusalGroup = LoggedRequest.pick({ method: true, route: true, status: true, code: true }).extend({
  count: z.number().int(),
  last_at: time,
  last: z.string(),
});

export const LOG_CONTRACT = {
  "GET /connections/{id}/activity": {
    query: z.object({ hours: z.coerce.number().int().min(1).max(168).default(24) }),
    response: list(Hour),
  },
  /** `status` is a number or a class such as `4xx`. `key` is a key's id, a kind of caller, or `programs` (all but the dashboard). */
  "GET /connections/{id}/logs": {
    query: z.object({
      status: z
        .string()
        .regex(/^[1-5](xx|\d\d)$/)
        .optional(),
      code: z.string().max(64).optional(),
      route: z.string().max(256).optional(),
      key: z.string().max(64).optional(),
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: z
        .string()
        .regex(/^\d{1,16}$/)
        .optional(),
    }),
    response: page(LoggedRequest),
  },
  /** The available filters, and the refusals by kind, most frequent first. */
  "GET /connections/{id}/logs/summary": {
    response: one(
      z.strictObject({
        total: z.number().int(),
        refusals: z.array(RefusalGroup),
        routes: z.array(z.string()),
        callers: z.array(Caller),
      }),
    ),
  },
  "GET /connections/{id}/logs/{request_id}": { response: one(LoggedRequest) },
} as const satisfies Record<string, ContractRow>;
