import { isoOfMs, isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import { fail } from "@gateway/protocol/failures.ts";
import { type ActionRecord, GATEWAY_ACTOR } from "@gateway/protocol/operations/history.ts";
import { type ActorName, namesOfActors } from "#root/src/services/connections/action-log.ts";
import { countMail } from "#root/src/services/identity/address-guards.ts";
import { addShare, changeShare, leaveShare, listShares, removeShare, type Share } from "#root/src/services/shares/shares.ts";
import { sendInvitation } from "#root/src/services/shares/invitation.ts";
import { tooManyFailure } from "../auth-routes.ts";
import { action } from "../route.ts";
import { recordAction, readAs } from "../call-as.ts";

export const shareRoutes = [
  action("GET /connections/{id}/shares", "owner", async (c, { connection }) => ({
    ok: true,
    value: { data: (await listShares(c.env.DB, connection.id)).map(renderShare) },
  })),
  action(
    "POST /connections/{id}/shares",
    "owner",
    async (c, member, { body }) => {
      const { connection, user } = member;
      const verdict = await countMail(c.env, user.email, "invitationsSent");
      if (verdict.blocked) return fail(tooManyFailure(verdict, "rate_limited"));
      const shared = await addShare(c.env, connection, body.email, body.role, Date.now());
      if (!shared.ok) return shared;
      const { share, isNew } = shared.value;
      recordAction(c, member, isNew ? "shared" : "role_changed", share.email);
      const sending = isNew ? sendInvitation(c.env, { ownerId: user.id, invitation: share.id, to: share.email }) : null;
      // The email is sent even if the browser disconnects before the response.
      c.executionCtx.waitUntil(Promise.resolve(sending));
      return { ok: true, value: { data: { ...renderShare(share), invitation: await sending } } };
    },
    { created: () => true },
  ),
  action("PATCH /connections/{id}/shares/{share_id}", "owner", async (c, member, { params, body }) => {
    const changed = await changeShare(c.env, member.connection, params.share_id, body.role);
    if (changed === null) return fail("user_not_found");
    recordAction(c, member, "role_changed", changed.email);
    return { ok: true, value: { data: renderShare(changed) } };
  }),
  action("DELETE /connections/{id}/shares/mine", "member", async (c, member) => {
    const { connection, role, user } = member;
    // An owner cannot leave the connection, only delete it.
    if (role === "owner") return fail("forbidden");
    await leaveShare(c.env, connection, user);
    recordAction(c, member, "left", null);
    return { ok: true, value: { message: "You no longer have access to the connection." } };
  }),
  action("DELETE /connections/{id}/shares/{share_id}", "owner", async (c, member, { params }) => {
    const gone = await removeShare(c.env, member.connection, params.share_id);
    if (gone === null) return fail("user_not_found");
    recordAction(c, member, "unshared", gone);
    return { ok: true, value: { message: "The connection is no longer shared with this address." } };
  }),
];

export const auditRoutes = [
  action("GET /connections/{id}/audit", "owner", async (c, member, { query: { limit, cursor } }) => {
    const found = await readAs(c, member, "actions.list", { limit, before: cursor === undefined ? null : Number(cursor) });
    if (!found.ok) return found;
    const { items, more } = found.value;
    const names = await namesOfActors(c.env.DB, [...new Set(items.flatMap(({ actor }) => (actor === null ? [] : [actor])))]);
    const data = items.map(({ id, at, act, subject, ...by }) => ({ id, at: isoOfMs(at), by: actorOf(by, names), act, subject }));
    return { ok: true, value: { data, next_cursor: more ? String(items.at(-1)?.id) : null } };
  }),
];

function actorOf({ actor, key }: Pick<ActionRecord, "actor" | "key">, names: ReadonlyMap<string, ActorName>) {
  if (actor === null) return { kind: "connection_key" as const, email: null, key };
  if (actor === GATEWAY_ACTOR) return { kind: "gateway" as const, email: null, key: null };
  if (actor.startsWith("link:")) return { kind: "pairing_link" as const, email: null, key };
  const { email = null, key: named = null } = names.get(actor) ?? {};
  return { kind: actor.startsWith("key:") ? ("account_key" as const) : ("user" as const), email, key: named };
}

/** Shows nothing about the user with this address, because the owner must not learn whether one exists. */
function renderShare({ id, email, role, createdAt, openedAt }: Share) {
  return { id, email, role, created_at: isoOfMs(createdAt), opened_at: isoOfMsOrNull(openedAt) };
}
