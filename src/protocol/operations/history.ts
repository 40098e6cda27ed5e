// The connection's history for its owner, with changes made by people and keys.
import * as z from "zod";
import { BOTH_KINDS, nothing, type OperationRow } from "./row.ts";
import { RefusalGroup, RequestRecord } from "../records.ts";

export const ACTION_NAMES = [
  "connect",
  "disconnect",
  "restart",
  "logout",
  "pairing_forced",
  "number_changed",
  "pairing_code",
  "pairing_link_made",
  "pairing_link_revoked",
  "key_created",
  "key_changed",
  "key_revoked",
  "webhook_set",
  "webhook_deleted",
  "webhook_rotated",
  "webhook_reactivated",
  "renamed",
  "settings_changed",
  "cloud_credentials_changed",
  "shared",
  "role_changed",
  "unshared",
  "left",
] as const;
export const ActionName = z.enum(ACTION_NAMES);
export type ActionName = z.infer<typeof ActionName>;

export const GATEWAY_ACTOR = "gateway";

export const ActionRecord = z.object({
  id: z.number().int(),
  /** In Unix ms. */
  at: z.number().int(),
  /** The id of a user, `GATEWAY_ACTOR`, `key:<id>` for an account key, or `link:<id>` for a pairing link; null for a connection key. */
  actor: z.string().nullable(),
  /** The connection key's name, or the pairing link's label. */
  key: z.string().nullable(),
  act: ActionName,
  /** A name, an email address or a host, if there is one. */
  subject: z.string().nullable(),
});
export type ActionRecord = z.infer<typeof ActionRecord>;

export const ACTION_OPERATIONS = {
  "actions.list": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ limit: z.number().int().min(1).max(100), before: z.number().int().nullable() }),
    output: z.object({ items: z.array(ActionRecord), more: z.boolean() }),
  },
  /** Records a change that the worker made for the caller. No route calls it. */
  "actions.enter": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({ act: ActionName, subject: z.string().max(320).nullable() }),
    output: nothing,
  },
} as const satisfies Record<string, OperationRow>;

export const REQUEST_OPERATIONS = {
  /** Newest first. `before` is a record's `place` (exclusive). */
  "requests.list": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({
      status: z.object({ from: z.number().int(), to: z.number().int() }).nullable(),
      code: z.string().nullable(),
      route: z.string().nullable(),
      caller: z.string().nullable(),
      limit: z.number().int().min(1).max(100),
      before: z.number().int().nullable(),
    }),
    output: z.object({ items: z.array(RequestRecord.extend({ place: z.number().int() })), more: z.boolean() }),
  },
  "requests.summary": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({}),
    output: z.object({
      total: z.number().int(),
      refusals: z.array(RefusalGroup),
      routes: z.array(z.string()),
      callers: z.array(RequestRecord.shape.caller),
    }),
  },
  "requests.get": { role: "viewer", kinds: BOTH_KINDS, input: z.object({ id: z.string() }), output: RequestRecord },
} as const satisfies Record<string, OperationRow>;
