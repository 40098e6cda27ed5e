// Links by which whoever holds the phone pairs it without an account (docs/operate/security.md, "Pairing links").
import { z } from "zod";
import { INSTANCE_STATUSES } from "../connection.ts";
import { SESSION_ONLY } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

/** Why a link does not work any more: the number was connected, somebody revoked it, its time is over. */
export const PAIRING_LINK_ENDS = ["used", "revoked", "expired"] as const;

/** `created_by`: the id of a user. Times are Unix ms. */
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
  /** Those that work, and those that have ended in the last days, newest first. */
  "pairing.list": { role: "operator", kinds: SESSION_ONLY, input: nothing, output: z.object({ items: z.array(PairingLink) }) },
  /** The worker makes the token and stores only its hash here. Fails `already_connected`, `pairing_link_limit`. */
  "pairing.create": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ id: z.string(), label: z.string(), hash: z.string(), created_by: z.string(), lifetime_ms: z.number().int() }),
    output: PairingLink,
  },
  /** Fails `pairing_link_not_found` for one that has ended. */
  "pairing.revoke": { role: "operator", kinds: SESSION_ONLY, input: z.object({ id: z.string() }), output: PairingLink },
  /** All of this user's that work: they may no longer pair the number. */
  "pairing.revoke_of": { role: "owner", kinds: SESSION_ONLY, input: z.object({ created_by: z.string() }), output: nothing },
  /** The holder's own link, whose maker may no longer pair the number. */
  "pairing.end": { role: "viewer", kinds: SESSION_ONLY, byLink: "working", input: nothing, output: nothing },
  /** What its holder sees: also of a link that has ended. `connection_id`: for the worker alone. */
  "pairing.show": {
    role: "viewer",
    kinds: SESSION_ONLY,
    byLink: "always",
    input: nothing,
    output: z.object({ link: PairingLink, connection_id: z.number().int(), status: z.enum(INSTANCE_STATUSES), status_reason: z.string() }),
  },
} as const satisfies Record<string, OperationRow>;
