import * as z from "zod";
import { emailAddress } from "@gateway/domain/people/given-words.ts";
import { Act } from "@gateway/protocol/operations/history.ts";
import { done, list, one, page, time, timeOrNull } from "./common.ts";
import type { ContractRow } from "./row.ts";

const SharedRole = z.enum(["operator", "viewer"]);

const Share = z.strictObject({ id: z.string(), email: z.string(), role: SharedRole, created_at: time, opened_at: timeOrNull });

export const SHARE_CONTRACT = {
  "GET /connections/{id}/shares": { response: list(Share) },
  "POST /connections/{id}/shares": { body: z.strictObject({ email: emailAddress, role: SharedRole }), response: one(Share) },
  "PATCH /connections/{id}/shares/{share_id}": { body: z.strictObject({ role: SharedRole }), response: one(Share) },
  "DELETE /connections/{id}/shares/{share_id}": { response: done },
  "DELETE /connections/{id}/shares/mine": { response: done },
} as const satisfies Record<string, ContractRow>;

/** `key`: name of a key, or label of a link. `email` and `key` null: deleted in the meantime. `subject`: a name, an address or a host. */
const Done = z.strictObject({
  id: z.number().int(),
  at: time,
  by: z.strictObject({
    kind: z.enum(["user", "account_key", "connection_key", "pairing_link", "gateway"]),
    email: z.string().nullable(),
    key: z.string().nullable(),
  }),
  act: Act,
  subject: z.string().nullable(),
});

export const AUDIT_CONTRACT = {
  "GET /connections/{id}/audit": {
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(20),
      cursor: z
        .string()
        .regex(/^\d{1,16}$/)
        .optional(),
    }),
    response: page(Done),
  },
} as const satisfies Record<string, ContractRow>;
