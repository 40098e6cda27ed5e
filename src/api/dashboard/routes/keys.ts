import { invalidField } from "@gateway/domain/failures/field-problems.ts";
import { makeKey } from "@gateway/domain/keys/api-key.ts";
import { settingsOf } from "#root/src/env.ts";
import { isoOfMs, isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { CONNECTION_SCOPES, scopesOfKey, scopesOfRole } from "@gateway/domain/keys/scopes.ts";
import { DEFAULT_ASSISTANT_POLICY } from "@gateway/protocol/assistant.ts";
import { fail } from "@gateway/protocol/failures.ts";
import { action, message, operation } from "../route.ts";
import { changesOf } from "../../keys/view.ts";
import { callAs } from "../call-as.ts";
import { createAccountKey } from "#root/src/services/account-keys/create.ts";
import { type AccountKey, listAccountKeys } from "#root/src/services/account-keys/find.ts";
import { changeAccountKey } from "#root/src/services/account-keys/change.ts";
import { removeAccountKey } from "#root/src/services/account-keys/remove.ts";
import { areVisible } from "#root/src/services/connections/list.ts";
import type { User } from "#root/src/services/users/user-table.ts";

export const keyRoutes = [
  operation("GET /connections/{id}/keys", {
    operation: "keys.list",
    input: () => ({}),
    render: ({ items }) => ({ data: items.map(renderKey) }),
  }),
  /** Only this response contains the key. The object stores just its hash. */
  action(
    "POST /connections/{id}/keys",
    "owner",
    async (c, member, { body }) => {
      const made = makeKey(settingsOf(c.env).KEY_SECRET, member.connection.uuid, crypto.getRandomValues(new Uint8Array(15)));
      const stored = await callAs(c, member, "keys.create", { ...body, prefix: made.prefix, hash: made.hash });
      if (!stored.ok) return stored;
      // In a replay, the stored record belongs to the first request's key, so the new key must not be shown.
      const key = stored.value.prefix === made.prefix ? made.key : null;
      return { ok: true, value: { data: { ...renderKey(stored.value), key } } };
    },
    { created: () => true },
  ),
  operation("PATCH /connections/{id}/keys/{key_id}", {
    operation: "keys.change",
    input: ({ params, body }) => ({ id: params.key_id, ...body }),
    render: (key) => ({ data: renderKey(key) }),
  }),
  operation("DELETE /connections/{id}/keys/{key_id}", {
    operation: "keys.revoke",
    input: ({ params }) => ({ id: params.key_id }),
    render: message("The key is revoked."),
  }),
  operation("GET /connections/{id}/confirmations/{confirmation_id}", {
    operation: "assistant.asked",
    input: ({ params }) => ({ id: params.confirmation_id }),
    render: renderConfirmation,
  }),
  operation("POST /connections/{id}/confirmations/{confirmation_id}", {
    operation: "assistant.decide",
    input: ({ params, body }) => ({ id: params.confirmation_id, accept: body.accept }),
    render: renderConfirmation,
  }),
];

function renderConfirmation(asked: OperationOutput<"assistant.asked">) {
  return { data: asked && { ...asked, expires_at: isoOfMs(asked.expires_at) } };
}

function renderKey(key: OperationOutput<"keys.list">["items"][number]) {
  const { id, name, prefix, allowed_ips = null, refused_ip = null, refused_at = null } = key;
  return {
    id,
    name,
    prefix,
    scopes: CONNECTION_SCOPES.filter((scope) => key.scopes?.includes(scope) ?? true),
    allowed_ips,
    refused_ip,
    refused_at: isoOfMsOrNull(refused_at),
    assistant: key.assistant ?? DEFAULT_ASSISTANT_POLICY,
    created_at: isoOfMs(key.created_at),
    last_used_at: isoOfMsOrNull(key.last_used_at),
  };
}

export const accountKeyRoutes = [
  action("GET /account-keys", "user", async (c, user) => {
    const rows = await listAccountKeys(c.env.DB, user.id, { after: null, limit: LIMITS.accountKeys, within: null });
    return { ok: true, value: { data: rows.map((row) => renderAccountKey(row, user)) } };
  }),
  action(
    "POST /account-keys",
    "user",
    async (c, user, { body }) => {
      const now = Date.now();
      const { scopes = null, instance_ids: instanceIds = null } = body;
      const beyond = scopes?.find((scope) => !scopesOfRole(user.role).includes(scope));
      if (beyond !== undefined) return fail("forbidden", { details: { scope: beyond } });
      if (instanceIds !== null && !(await areVisible(c.env.DB, user.id, instanceIds))) return fail("instance_not_found");
      const expiresAt = body.expires_at === undefined || body.expires_at === null ? null : Date.parse(body.expires_at);
      if (expiresAt !== null && expiresAt <= now) {
        return invalidField("expires_at", "not_future");
      }
      const allowedIps = body.allowed_ips ?? null;
      const made = await createAccountKey(c.env, { userId: user.id, name: body.name, scopes, instanceIds, expiresAt, allowedIps }, now);
      if (!made.ok) return made;
      const { row, key } = made.value;
      return { ok: true, value: { data: { ...renderAccountKey(row, user), key } } };
    },
    { created: () => true },
  ),
  action("PATCH /account-keys/{key_id}", "user", async (c, user, { params, body }) => {
    const beyond = body.scopes?.find((scope) => !scopesOfRole(user.role).includes(scope));
    if (beyond !== undefined) return fail("forbidden", { details: { scope: beyond } });
    const changed = await changeAccountKey(c.env, user.id, params.key_id, changesOf(body));
    return changed === null ? fail("key_not_found") : { ok: true, value: { data: renderAccountKey(changed, user) } };
  }),
  action("DELETE /account-keys/{key_id}", "user", async (c, user, { params }) => {
    const gone = await removeAccountKey(c.env, user.id, params.key_id);
    return gone ? { ok: true, value: { message: "The key is removed." } } : fail("key_not_found");
  }),
];

/** The key's effective scopes, which never exceed the user's. */
function renderAccountKey(row: AccountKey, user: User) {
  const { id, name, prefix } = row;
  return {
    id,
    name,
    prefix,
    scopes: [...scopesOfKey(row.scopes, user.role)],
    instance_ids: row.instanceIds,
    allowed_ips: row.allowedIps,
    refused_ip: row.refusedIp,
    refused_at: isoOfMsOrNull(row.refusedAt),
    expires_at: isoOfMsOrNull(row.expiresAt),
    created_at: isoOfMs(row.createdAt),
    last_used_at: isoOfMsOrNull(row.lastUsedAt),
  };
}
