import { makeKey } from "@gateway/domain/keys/api-key.ts";
import { settingsOf } from "#root/src/env.ts";
import { isoOfMs, isoOfMsOrNull } from "#root/src/http/times.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import { action, message, operation } from "../route.ts";
import { callAs } from "../call-as.ts";

export const keyRoutes = [
  operation("GET /connections/{id}/keys", {
    operation: "keys.list",
    input: () => ({}),
    render: ({ items }) => ({ data: items.map(renderKey) }),
  }),
  /** Only this response contains the key: the object stores just its hash. */
  action(
    "POST /connections/{id}/keys",
    "owner",
    async (c, member, { body }) => {
      const made = makeKey(settingsOf(c.env).KEY_SECRET, member.connection.uuid, crypto.getRandomValues(new Uint8Array(15)));
      const stored = await callAs(c, member, "keys.create", { name: body.name, prefix: made.prefix, hash: made.hash });
      if (!stored.ok) return stored;
      const { id, name, prefix, created_at } = stored.value;
      // A replay returns the first key's record, so the key made by this request must not be shown.
      const key = prefix === made.prefix ? made.key : null;
      return { ok: true, value: { data: { id, name, prefix, key, created_at: isoOfMs(created_at) } } };
    },
    { created: () => true },
  ),
  operation("DELETE /connections/{id}/keys/{key_id}", {
    operation: "keys.revoke",
    input: ({ params }) => ({ id: params.key_id }),
    render: message("The key is revoked."),
  }),
];

function renderKey(key: OperationOutput<"keys.list">["items"][number]) {
  const { id, name, prefix } = key;
  return { id, name, prefix, created_at: isoOfMs(key.created_at), last_used_at: isoOfMsOrNull(key.last_used_at) };
}
