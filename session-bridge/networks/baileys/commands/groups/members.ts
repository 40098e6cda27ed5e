import { getBinaryNodeChild } from "baileys";
import { groupsOf, recordGroup } from "../../memory/group-cache.ts";
import type { SessionContext } from "../../session/session-context.ts";
import type { CommandHandlers } from "../command-handlers.ts";
import {
  participantResults,
  type RequestedParticipant,
  resolveMembers,
  participantTags,
  resolveParticipants,
} from "./requested-participants.ts";
import { ANY_GROUP, groupIn, queryGroups, tag } from "../../queries/group-query.ts";
import { snapshotOf } from "./reads.ts";

const OK = 200;

export const groupMembers: Pick<CommandHandlers<"groups">, "groups.create" | "groups.participants" | "groups.decide" | "groups.leave"> = {
  "groups.create": async (ctx, { subject, participants }) => {
    const requested = await resolveParticipants(ctx, participants);
    if (!requested.ok) return requested;
    const create = tag("create", { subject }, participantTags(requested.value));
    const answer = await queryGroups(ctx, ANY_GROUP, "set", create);
    const group = groupIn(answer);
    recordGroup(ctx.session, group);
    const snapshot = snapshotOf(ctx, group);
    if (!snapshot.ok) return snapshot;
    return {
      ok: true,
      value: { group: snapshot.value, participants: await participantResults(ctx, requested.value, getBinaryNodeChild(answer, "group")) },
    };
  },

  "groups.participants": async (ctx, { group_id, action, participants }) => {
    const requested = action === "add" ? await resolveParticipants(ctx, participants) : await resolveMembers(ctx, group_id, participants);
    if (!requested.ok) return requested;
    const tags = participantTags(requested.value);
    const answer = tags.length === 0 ? undefined : await queryGroups(ctx, group_id, "set", tag(action, {}, tags));
    const answered = await participantResults(ctx, requested.value, answer && getBinaryNodeChild(answer, action));
    updateCachedMembers(
      ctx,
      group_id,
      action,
      requested.value.filter((_, at) => answered[at]?.code === OK),
    );
    return { ok: true, value: { participants: answered } };
  },

  "groups.decide": async (ctx, { group_id, verdict, participants }) => {
    const requested = await resolveParticipants(ctx, participants);
    if (!requested.ok) return requested;
    const tags = participantTags(requested.value);
    if (tags.length === 0) return { ok: true, value: { participants: await participantResults(ctx, requested.value, undefined) } };
    const answer = await queryGroups(ctx, group_id, "set", tag("membership_requests_action", {}, [tag(verdict, {}, tags)]));
    if (verdict === "approve") groupsOf(ctx.session).forget(group_id);
    const decided = getBinaryNodeChild(getBinaryNodeChild(answer, "membership_requests_action"), verdict);
    return { ok: true, value: { participants: await participantResults(ctx, requested.value, decided) } };
  },

  "groups.leave": async (ctx, { group_id }) => {
    const answer = await queryGroups(ctx, ANY_GROUP, "set", tag("leave", {}, [tag("group", { id: group_id })]));
    // The query succeeds as a whole, so the result for this group is read from the response.
    const refused = getBinaryNodeChild(getBinaryNodeChild(answer, "leave"), "group")?.attrs["error"];
    if (refused !== undefined) throw Object.assign(new Error("not left"), { data: Number(refused) });
    groupsOf(ctx.session).forget(group_id);
    return { ok: true, value: {} };
  },
};

/** A removed member must leave the cache before the next send. Added ones may be unknown here, so the group is reloaded. */
function updateCachedMembers(
  ctx: SessionContext,
  groupId: string,
  action: "add" | "remove" | "promote" | "demote",
  done: readonly RequestedParticipant[],
): void {
  if (done.length === 0) return;
  const groups = groupsOf(ctx.session);
  if (action === "add") groups.forget(groupId);
  else
    groups.changeMembers(
      groupId,
      action,
      done.flatMap(({ jid }) => (jid === null ? [] : [{ id: jid, admin: null }])),
    );
}
