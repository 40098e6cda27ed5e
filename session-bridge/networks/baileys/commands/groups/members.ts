// Who is in a group: making one, and changing its participants.
import { generateMessageIDV2, getBinaryNodeChild } from "baileys";
import { groupsOf, takeInGroup } from "../../memory/group-cache.ts";
import type { SessionContext } from "../../session/session-context.ts";
import type { Runners } from "../runners.ts";
import { answersFor, type Asked, members, participantTags, strangers } from "./people.ts";
import { ANY_GROUP, groupIn, queryGroups, tag } from "../../queries/group-query.ts";
import { snapshotOf } from "./reads.ts";

const DONE = 200;

export const groupMembers: Pick<Runners<"groups">, "groups.create" | "groups.participants" | "groups.decide" | "groups.leave"> = {
  "groups.create": async (ctx, { subject, participants }) => {
    const asked = await strangers(ctx, participants);
    if (!asked.ok) return asked;
    const create = tag("create", { subject, key: generateMessageIDV2() }, participantTags(asked.value));
    const answer = await queryGroups(ctx, ANY_GROUP, "set", create);
    const group = groupIn(answer);
    takeInGroup(ctx.link, group);
    const snapshot = snapshotOf(ctx, group);
    if (!snapshot.ok) return snapshot;
    return {
      ok: true,
      value: { group: snapshot.value, participants: await answersFor(ctx, asked.value, getBinaryNodeChild(answer, "group")) },
    };
  },

  "groups.participants": async (ctx, { group_id, action, participants }) => {
    const asked = action === "add" ? await strangers(ctx, participants) : await members(ctx, group_id, participants);
    if (!asked.ok) return asked;
    const wanted = participantTags(asked.value);
    const answer = wanted.length === 0 ? undefined : await queryGroups(ctx, group_id, "set", tag(action, {}, wanted));
    const answered = await answersFor(ctx, asked.value, answer && getBinaryNodeChild(answer, action));
    keepCacheTrue(
      ctx,
      group_id,
      action,
      asked.value.filter((_, at) => answered[at]?.code === DONE),
    );
    return { ok: true, value: { participants: answered } };
  },

  "groups.decide": async (ctx, { group_id, verdict, participants }) => {
    const asked = await strangers(ctx, participants);
    if (!asked.ok) return asked;
    const wanted = participantTags(asked.value);
    if (wanted.length === 0) return { ok: true, value: { participants: await answersFor(ctx, asked.value, undefined) } };
    const answer = await queryGroups(ctx, group_id, "set", tag("membership_requests_action", {}, [tag(verdict, {}, wanted)]));
    if (verdict === "approve") groupsOf(ctx.link).forget(group_id);
    const decided = getBinaryNodeChild(getBinaryNodeChild(answer, "membership_requests_action"), verdict);
    return { ok: true, value: { participants: await answersFor(ctx, asked.value, decided) } };
  },

  "groups.leave": async (ctx, { group_id }) => {
    const answer = await queryGroups(ctx, ANY_GROUP, "set", tag("leave", {}, [tag("group", { id: group_id })]));
    // The query as a whole succeeds; what became of the one group is said inside.
    const refused = getBinaryNodeChild(getBinaryNodeChild(answer, "leave"), "group")?.attrs["error"];
    if (refused !== undefined) throw Object.assign(new Error("not left"), { data: Number(refused) });
    groupsOf(ctx.link).forget(group_id);
    return { ok: true, value: {} };
  },
};

/**
 * Sends go to those whom the cache names, so a removed member must be gone from it before the next one, notification or not. For
 * people who came in it does not know the form of address of this group: it is read anew.
 */
function keepCacheTrue(
  ctx: SessionContext,
  groupId: string,
  action: "add" | "remove" | "promote" | "demote",
  done: readonly Asked[],
): void {
  if (done.length === 0) return;
  const groups = groupsOf(ctx.link);
  if (action === "add") groups.forget(groupId);
  else
    groups.changeMembers(
      groupId,
      action,
      done.flatMap(({ jid }) => (jid === null ? [] : [{ id: jid, admin: null }])),
    );
}
