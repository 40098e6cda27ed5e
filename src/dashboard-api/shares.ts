// The shares of a connection, managed by its owner.
import { z } from "zod";
import type { AppContext } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { isoOfMs } from "../http/times.ts";
import { listShares, type Share, addShare, removeShare } from "../services/shares/shares.ts";
import type { ConnectionMember } from "./run-operation.ts";
import { readFields } from "./fields.ts";

export async function showShares(c: AppContext, { connection }: ConnectionMember): Promise<Response> {
  return c.json({ data: (await listShares(c.env.DB, connection.id)).map(renderShare) });
}

const NewShare = z.strictObject({ email: z.email().max(254), role: z.enum(["operator", "viewer"]) });

export async function shareConnection(c: AppContext, { connection }: ConnectionMember): Promise<Response> {
  const fields = await readFields(c, NewShare);
  if (!fields.ok) return englishFailure(c, fields.failure);
  const shared = await addShare(c.env.DB, connection, fields.value.email, fields.value.role, Date.now());
  return shared.ok ? c.json({ data: renderShare(shared.value) }, 201) : englishFailure(c, shared.failure);
}

export async function unshareConnection(c: AppContext, { connection }: ConnectionMember): Promise<Response> {
  const gone = await removeShare(c.env.DB, connection.id, c.req.param("user_id") ?? "");
  return gone ? c.json({ message: "The connection is no longer shared with this user." }) : englishFailure(c, "user_not_found");
}

function renderShare({ userId, email, name, role, createdAt }: Share) {
  return { user_id: userId, email, name, role, created_at: isoOfMs(createdAt) };
}
