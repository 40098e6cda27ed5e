// Shares of a connection, and the log of actions by the people who have access to it.
import * as z from "zod";
import { emailAddress } from "@gateway/domain/people/names-and-emails.ts";
import { ActionName } from "@gateway/protocol/operations/history.ts";
import { done, list, one, page, time, timeOrNull, type ContractRow } from "./common.ts";

const SharedRole = z.enum(["operator", "viewer"]);

const Share = z.strictObject({ id: z.string(), email: z.string(), role: SharedRole, created_at: time, opened_at: timeOrNull });

/** Null means that the address already had access, so it gets no email. */
const NewShare = Share.extend({ invitation: z.enum(["sent", "later", "not_sent"]).nullable() });

/** `key` is a key's name or a link's label. `email` and `key` are null after a deletion. `subject` is a name, an address or a host. */
const Done = z.strictObject({
  id: z.number().int(),
  at: time,
  by: z.strictObject({
    kind: z.enum(["user", "account_key", "connection_key", "pairing_link", "gateway"]),
    email: z.string().nullable(),
    key: z.string().nullable(),
  }),
  act: ActionName,
  subject: z.string().nullable(),
});

export const SHARE_CONTRACT = {
  "GET /connections/{id}/shares": { response: list(Share) },
  "POST /connections/{id}/shares": { body: z.strictObject({ email: emailAddress, role: SharedRole }), response: one(NewShare) },
  "PATCH /connections/{id}/shares/{share_id}": { body: z.strictObject({ role: SharedRole }), response: one(Share) },
  "DELETE /connections/{id}/shares/{share_id}": { response: done },
  "DELETE /connections/{id}/shares/mine": { response: done },
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
