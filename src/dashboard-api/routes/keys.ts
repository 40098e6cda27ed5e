// The keys of a connection: only its owner sees, makes and revokes them (docs/connection-api.md, "Authentication").
import { makeKey } from "../../domain/keys/api-key.ts";
import { z } from "zod";
import { settingsOf } from "../../env.ts";
import type { AppContext } from "../../http/app-env.ts";
import { englishFailure } from "../../http/english-failure.ts";
import { isoOfMs, isoOfMsOrNull } from "../../http/times.ts";
import type { OperationOutput } from "../../protocol/operations.ts";
import { runOperation, type ConnectionMember } from "../run-operation.ts";
import { name, readFields } from "../fields.ts";
import { message, route } from "../route.ts";

export const keyRoutes = [
  route({
    method: "get",
    path: "/keys",
    operation: "keys.list",
    input: () => ({}),
    render: ({ items }) => ({ body: { data: items.map(renderKey) } }),
  }),
  route({
    method: "delete",
    path: "/keys/{key_id}",
    operation: "keys.revoke",
    input: ({ params }) => ({ id: params["key_id"] ?? "" }),
    render: message("The key is revoked."),
  }),
];

const NewKey = z.strictObject({ name });

/** Only this answer holds the key: the object gets its hash. */
export async function createKey(c: AppContext, member: ConnectionMember): Promise<Response> {
  const fields = await readFields(c, NewKey);
  if (!fields.ok) return englishFailure(c, fields.failure);
  const made = makeKey(settingsOf(c.env).KEY_SECRET, member.connection.uuid, crypto.getRandomValues(new Uint8Array(15)));
  const stored = await runOperation(c, member, "keys.create", { name: fields.value.name, prefix: made.prefix, hash: made.hash });
  if (!stored.ok) return englishFailure(c, stored.failure);
  const { id, prefix, created_at } = stored.value;
  // A replay is about the first key, which is not shown again.
  const key = prefix === made.prefix ? made.key : null;
  c.header("Cache-Control", "no-store");
  return c.json({ data: { id, name: stored.value.name, prefix, key, created_at: isoOfMs(created_at) } }, 201);
}

function renderKey(key: OperationOutput<"keys.list">["items"][number]) {
  const { id, name, prefix } = key;
  return { id, name, prefix, created_at: isoOfMs(key.created_at), last_used_at: isoOfMsOrNull(key.last_used_at) };
}
