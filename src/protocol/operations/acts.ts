// What people and keys changed about a connection itself, as its owner reads it.
import { z } from "zod";
import { BOTH_KINDS } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

export const ACTS = [
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
export const Act = z.enum(ACTS);
export type Act = z.infer<typeof Act>;

/** The actor of what nobody did through the APIs: the network told the gateway. */
export const GATEWAY_ACTOR = "gateway";

/**
 * `actor`: the id of a user, `GATEWAY_ACTOR`, `key:<id>` of an account's key, or `link:<id>` of a pairing link, whose label is `key`; null: a key of the
 * connection, whose name is `key`. `subject`: what it was about, as a name, an address or a host; null: nothing more to say. Times in Unix ms.
 */
export const ActRecord = z.object({
  id: z.number().int(),
  at: z.number().int(),
  actor: z.string().nullable(),
  key: z.string().nullable(),
  act: Act,
  subject: z.string().nullable(),
});
export type ActRecord = z.infer<typeof ActRecord>;

export const ACT_OPERATIONS = {
  /** Newest first. `before`: the id of the last one seen. */
  "acts.list": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ limit: z.number().int().min(1).max(100), before: z.number().int().nullable() }),
    output: z.object({ items: z.array(ActRecord), more: z.boolean() }),
  },
  /** Of what the worker itself has changed for the caller. No route leads here. */
  "acts.enter": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({ act: Act, subject: z.string().max(320).nullable() }),
    output: nothing,
  },
} as const satisfies Record<string, OperationRow>;
