// Connections: rows of the directory in D1, merged with the state of each object.
import type { AppContext } from "../../http/app-env.ts";
import { isoOfMs } from "../../http/times.ts";
import type { OperationOutput } from "../../protocol/operations.ts";
import { type Access, listAccess } from "../../services/connections/access.ts";
import { changeConnection } from "../../services/connections/change.ts";
import { createConnection } from "../../services/connections/create.ts";
import { removeConnection } from "../../services/connections/remove.ts";
import { action } from "../route.ts";
import { readOperation, type ConnectionMember } from "../run-operation.ts";

export const connectionRoutes = [
  action("GET /connections", "user", async (c, user, { query: { limit, cursor } }) => {
    const found = await listAccess(c.env.DB, user.id, Number(cursor ?? 0), limit + 1);
    const shown = found.slice(0, limit);
    const data = await Promise.all(shown.map((access) => renderLive(c, { ...access, user })));
    const last = found.length > limit ? shown.at(-1) : undefined;
    return { ok: true, value: { data, next_cursor: last === undefined ? null : String(last.connection.id) } };
  }),
  action(
    "POST /connections",
    "user",
    async (c, user, { body }) => {
      const made = await createConnection(c.env, { ownerId: user.id, ...body }, Date.now());
      return made.ok ? { ok: true, value: { data: await renderLive(c, { connection: made.value, role: "owner", user }) } } : made;
    },
    { created: () => true },
  ),
  action("GET /connections/{id}", "member", async (c, member) => ({ ok: true, value: { data: await renderLive(c, member) } })),
  action("PATCH /connections/{id}", "owner", async (c, member, { body }) => {
    const changed = await changeConnection(c.env, member.connection, body, Date.now());
    return changed.ok ? { ok: true, value: { data: await renderLive(c, { ...member, connection: changed.value }) } } : changed;
  }),
  action("DELETE /connections/{id}", "owner", async (c, { connection }) => {
    await removeConnection(c.env, connection.id, connection.uuid, Date.now());
    return { ok: true, value: { message: "The connection is deleted." } };
  }),
];

type LiveState = { phone: string | null; status: OperationOutput<"instance.get">["status"] | null; status_reason: string | null };

async function renderLive(c: AppContext, member: ConnectionMember) {
  return renderConnection(member, await liveStateOf(c, member));
}

/** The object's state; nulls when the object does not answer, so that one of them does not fail the whole list. */
async function liveStateOf(c: AppContext, member: ConnectionMember): Promise<LiveState> {
  const record = await readOperation(c, member, "instance.get", {});
  if (!record.ok) return { phone: null, status: null, status_reason: record.failure.code };
  const { phone, status, status_reason } = record.value;
  return { phone, status, status_reason };
}

function renderConnection({ connection, role }: Access, live: LiveState) {
  const { id, uuid, kind, createdAt } = connection;
  return { id, instance_id: uuid, name: connection.name, kind, ...live, role, created_at: isoOfMs(createdAt) };
}
