// The shares of a connection, managed by its owner.
import { z } from "zod";
import type { AppContext } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { isoOfMs } from "../http/times.ts";
import { listShares, type Share, addShare, removeShare } from "../services/shares/shares.ts";
import { countMail } from "../services/identity/address-guards.ts";
import { sendInvitation } from "../services/shares/invite.ts";
import { tooMany } from "./identity.ts";
import type { ConnectionMember } from "./run-operation.ts";
import { readFields } from "./fields.ts";

export async function showShares(c: AppContext, { connection }: ConnectionMember): Promise<Response> {
  return c.json({ data: (await listShares(c.env.DB, connection.id)).map(renderShare) });
}

const NewShare = z.strictObject({ email: z.email().max(254), role: z.enum(["operator", "viewer"]) });

export async function shareConnection(c: AppContext, { connection, user }: ConnectionMember): Promise<Response> {
  const fields = await readFields(c, NewShare);
  if (!fields.ok) return englishFailure(c, fields.failure);
  const verdict = await countMail(c.env, user.email, "invitationsSent");
  if (verdict.blocked) return tooMany(c, verdict, "rate_limited");
  const shared = await addShare(c.env, connection, fields.value.email, fields.value.role, Date.now());
  if (!shared.ok) return englishFailure(c, shared.failure);
  const { share, isNew } = shared.value;
  if (isNew) c.executionCtx.waitUntil(sendInvitation(c.env, share.email, user.email));
  return c.json({ data: renderShare(share) }, 201);
}

export async function unshareConnection(c: AppContext, { connection }: ConnectionMember): Promise<Response> {
  const gone = await removeShare(c.env, connection, c.req.param("share_id") ?? "");
  return gone ? c.json({ message: "The connection is no longer shared with this address." }) : englishFailure(c, "user_not_found");
}

/** Nothing of the user who may have the address: the owner does not learn whether there is one. */
function renderShare({ id, email, role, createdAt }: Share) {
  return { id, email, role, created_at: isoOfMs(createdAt) };
}
