// The shares of a connection, managed by its owner; a guest may leave.
import { isoOfMs, isoOfMsOrNull } from "../../http/times.ts";
import { fail } from "../../protocol/failures.ts";
import { countMail } from "../../services/identity/address-guards.ts";
import { sendInvitation } from "../../services/shares/invite.ts";
import { addShare, changeShare, leaveShare, listShares, removeShare, type Share } from "../../services/shares/shares.ts";
import { tooManyFailure } from "../identity.ts";
import { action } from "../route.ts";

export const shareRoutes = [
  action("GET /connections/{id}/shares", "owner", async (c, { connection }) => ({
    ok: true,
    value: { data: (await listShares(c.env.DB, connection.id)).map(renderShare) },
  })),
  action(
    "POST /connections/{id}/shares",
    "owner",
    async (c, { connection, user }, { body }) => {
      const verdict = await countMail(c.env, user.email, "invitationsSent");
      if (verdict.blocked) return fail(tooManyFailure(verdict, "rate_limited"));
      const shared = await addShare(c.env, connection, body.email, body.role, Date.now());
      if (!shared.ok) return shared;
      const { share, isNew } = shared.value;
      if (isNew) c.executionCtx.waitUntil(sendInvitation(c.env, share.email, user.email));
      return { ok: true, value: { data: renderShare(share) } };
    },
    { created: () => true },
  ),
  action("PATCH /connections/{id}/shares/{share_id}", "owner", async (c, { connection }, { params, body }) => {
    const changed = await changeShare(c.env, connection, params.share_id, body.role);
    return changed === null ? fail("user_not_found") : { ok: true, value: { data: renderShare(changed) } };
  }),
  action("DELETE /connections/{id}/shares/mine", "member", async (c, { connection, role, user }) => {
    // An owner deletes the connection instead.
    if (role === "owner") return fail("forbidden");
    await leaveShare(c.env, connection, user);
    return { ok: true, value: { message: "You no longer have access to the connection." } };
  }),
  action("DELETE /connections/{id}/shares/{share_id}", "owner", async (c, { connection }, { params }) => {
    const gone = await removeShare(c.env, connection, params.share_id);
    return gone ? { ok: true, value: { message: "The connection is no longer shared with this address." } } : fail("user_not_found");
  }),
];

/** Nothing of the user who may have the address: before they open the connection the owner does not learn whether there is one. */
function renderShare({ id, email, role, createdAt, openedAt }: Share) {
  return { id, email, role, created_at: isoOfMs(createdAt), opened_at: isoOfMsOrNull(openedAt) };
}
