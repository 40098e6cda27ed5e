// Connections: rows of the directory in D1, merged with the state of each object.
import { z } from "zod";
import type { AppContext } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { isoOfMs } from "../http/times.ts";
import { type Access, listAccess } from "../services/connections/access.ts";
import { changeConnection as change } from "../services/connections/change.ts";
import { createConnection } from "../services/connections/create.ts";
import { removeConnection } from "../services/connections/remove.ts";
import type { User } from "../services/users/user-table.ts";
import { readOperation, type ConnectionMember } from "./run-operation.ts";
import { name, readFields } from "./fields.ts";

const Page = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z
    .string()
    .regex(/^\d{1,16}$/)
    .optional(),
});

export async function listConnections(c: AppContext, user: User): Promise<Response> {
  const page = Page.safeParse(c.req.query());
  if (!page.success) return englishFailure(c, "validation_error");
  const { limit, cursor } = page.data;
  const found = await listAccess(c.env.DB, user.id, Number(cursor ?? 0), limit + 1);
  const shown = found.slice(0, limit);
  const data = await Promise.all(shown.map(async (access) => renderConnection(access, await liveStateOf(c, { ...access, user }))));
  const last = found.length > limit ? shown.at(-1) : undefined;
  return c.json({ data, next_cursor: last === undefined ? null : String(last.connection.id) });
}

const NewConnection = z.strictObject({ name, kind: z.enum(["session", "cloud_api"]).default("session") });

export async function addConnection(c: AppContext, user: User): Promise<Response> {
  const fields = await readFields(c, NewConnection);
  if (!fields.ok) return englishFailure(c, fields.failure);
  const made = await createConnection(c.env, { ownerId: user.id, ...fields.value }, Date.now());
  if (!made.ok) return englishFailure(c, made.failure);
  const access: Access = { connection: made.value, role: "owner" };
  return c.json({ data: renderConnection(access, await liveStateOf(c, { ...access, user })) }, 201);
}

export async function showConnection(c: AppContext, member: ConnectionMember): Promise<Response> {
  return c.json({ data: renderConnection(member, await liveStateOf(c, member)) });
}

const Changes = z.strictObject({ name });

export async function changeConnection(c: AppContext, member: ConnectionMember): Promise<Response> {
  const fields = await readFields(c, Changes);
  if (!fields.ok) return englishFailure(c, fields.failure);
  const changed = await change(c.env, member.connection, fields.value, Date.now());
  if (!changed.ok) return englishFailure(c, changed.failure);
  return c.json({ data: renderConnection({ connection: changed.value, role: member.role }, await liveStateOf(c, member)) });
}

export async function deleteConnection(c: AppContext, member: ConnectionMember): Promise<Response> {
  await removeConnection(c.env, member.connection.id, member.connection.uuid, Date.now());
  return c.json({ message: "The connection is deleted." });
}

type LiveState = { phone: string | null; status: string | null; status_reason: string | null };

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
