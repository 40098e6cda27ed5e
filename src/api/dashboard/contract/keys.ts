// Keys of connections and accounts, and changes by assistants that a person must confirm.
import * as z from "zod";
import { CONNECTION_SCOPES, SCOPES } from "@gateway/domain/keys/scopes.ts";
import { AssistantPolicy } from "@gateway/protocol/assistant.ts";
import { AssistantConfirmation } from "@gateway/protocol/operations/assistant.ts";
import { allowedIps, done, isChange, list, name, EMPTY_CHANGE, one, time, timeOrNull, type ContractRow } from "./common.ts";

const Key = z.strictObject({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.enum(CONNECTION_SCOPES)),
  /** Null means that the key works from any address. */
  allowed_ips: z.array(z.string()).nullable(),
  /** Address of the last call that was refused because of `allowed_ips`. */
  refused_ip: z.string().nullable(),
  refused_at: timeOrNull,
  assistant: AssistantPolicy,
  created_at: time,
  last_used_at: timeOrNull,
});

/** `assistant` is null for the default policy. */
const keyLimits = {
  scopes: z.array(z.enum(CONNECTION_SCOPES)).min(1).nullish(),
  allowed_ips: allowedIps,
  assistant: AssistantPolicy.nullish(),
};

/** Shown only once, and null when an Idempotency-Key is repeated. */
const NewKey = Key.extend({ key: z.string().nullable() });

/** Returns null instead of 404, because a 404 would appear as an error in the browser's console. */
const confirmation = one(z.strictObject({ ...AssistantConfirmation.shape, expires_at: time }).nullable());

const AccountKey = z.strictObject({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  instance_ids: z.array(z.string()).nullable(),
  /** Null means that the key works from any address. */
  allowed_ips: z.array(z.string()).nullable(),
  /** Address of the last call that was refused because of `allowed_ips`. */
  refused_ip: z.string().nullable(),
  refused_at: timeOrNull,
  expires_at: timeOrNull,
  created_at: time,
  last_used_at: timeOrNull,
});

export const KEY_CONTRACT = {
  "GET /connections/{id}/keys": { response: list(Key) },
  "POST /connections/{id}/keys": { body: z.strictObject({ name, ...keyLimits }), response: one(NewKey) },
  "PATCH /connections/{id}/keys/{key_id}": {
    body: z.strictObject({ name: name.optional(), ...keyLimits }).refine(isChange, EMPTY_CHANGE),
    response: one(Key),
  },
  "DELETE /connections/{id}/keys/{key_id}": { response: done },
  "GET /connections/{id}/confirmations/{confirmation_id}": { response: confirmation },
  /** Returns the first decision, even if another person made it. */
  "POST /connections/{id}/confirmations/{confirmation_id}": { body: z.strictObject({ accept: z.boolean() }), response: confirmation },
  "GET /account-keys": { response: list(AccountKey) },
  /** Without `scopes`, the key gets all of the user's scopes except `admin`. */
  "POST /account-keys": {
    body: z.strictObject({
      name,
      scopes: z.array(z.enum(SCOPES)).min(1).nullish(),
      instance_ids: z.array(z.uuid()).min(1).max(100).nullish(),
      expires_at: z.iso.datetime({ offset: true }).nullish(),
      allowed_ips: allowedIps,
    }),
    response: one(AccountKey.extend({ key: z.string() })),
  },
  "PATCH /account-keys/{key_id}": {
    body: z
      .strictObject({ name: name.optional(), scopes: z.array(z.enum(SCOPES)).min(1).nullish(), allowed_ips: allowedIps })
      .refine(isChange, EMPTY_CHANGE),
    response: one(AccountKey),
  },
  "DELETE /account-keys/{key_id}": { response: done },
} as const satisfies Record<string, ContractRow>;
