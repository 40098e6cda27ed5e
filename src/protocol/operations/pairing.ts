// Pairing links let anyone who holds the phone pair it without an account (docs/operate/security.md, "Pairing links").
import * as z from "zod";
import { INSTANCE_STATUSES } from "../connection.ts";
import { SESSION_ONLY } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

/** Why a link stopped working. `used`: the number was connected. */
export const PAIRING_LINK_ENDS = ["used", "revoked", "expired"] as const;

/** `created_by`: the id of a user. Times in Unix ms. */
const PairingLink = z.object({
  id: z.string(),
  label: z.string(),
  created_by: z.string(),
  created_at: z.number().int(),
  expires_at: z.number().int(),
  opened_at: z.number().int().nullable(),
  ended: z.enum(PAIRING_LINK_ENDS).nullable(),
});
export type PairingLink = z.infer<typeof PairingLink>;

export const PAIRING_OPERATIONS = {
  "pairing.list": { role: "operator", kinds: SESSION_ONLY, input: nothing, output: z.object({ items: z.array(PairingLink) }) },
  /** The worker creates the token; the object stores only its hash. Fails with `already_connected` or `pairing_link_limit`. */
  "pairing.create": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ id: z.string(), label: z.string(), hash: z.string(), created_by: z.string(), lifetime_ms: z.number().int() }),
    output: PairingLink,
  },
  "pairing.revoke": { role: "operator", kinds: SESSION_ONLY, input: z.object({ id: z.string() }), output: PairingLink },
  /** Revokes all working links of a user who may no longer pair the number. */
  "pairing.revoke_of": { role: "owner", kinds: SESSION_ONLY, input: z.object({ created_by: z.string() }), output: nothing },
  /** Revokes the link that the caller holds, because its creator may no longer pair the number. */
  "pairing.end": { role: "viewer", kinds: SESSION_ONLY, byLink: "working", input: nothing, output: nothing },
  /** The data that the holder sees, even after the link has ended. `connection_id` is only for the worker. */
  "pairing.show": {
    role: "viewer",
    kinds: SESSION_ONLY,
    byLink: "always",
    input: nothing,
    output: z.object({ link: PairingLink, connection_id: z.number().int(), status: z.enum(INSTANCE_STATUSES), status_reason: z.string() }),
  },
} as const satisfies Record<string, OperationRow>;
