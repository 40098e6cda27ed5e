import { type BinaryNode, getBinaryNodeChild } from "baileys";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { groupsOf } from "../../memory/group-cache.ts";
import { ANY_GROUP, groupIn, queryGroups, tag } from "../../queries/group-query.ts";
import { asChatId } from "../../addressing/jids.ts";
import { lidMappingOf } from "../../addressing/lid-mapping.ts";
import { asAttempted, networkCode } from "../../session/network-failures.ts";
import type { SessionContext } from "../../session/session-context.ts";
import type { CommandHandlers } from "../command-handlers.ts";

const ALREADY_IN = 409;
const NO_SUCH_CODE = new Set<number | null>([400, 404, 406, 410]);

type Invitations = "groups.invite" | "groups.revoke_invite" | "groups.preview" | "groups.join";

export const groupInvitations: Pick<CommandHandlers<"groups">, Invitations> = {
  "groups.invite": async (ctx, { group_id }) => invitationIn(await queryGroups(ctx, group_id, "get", tag("invite"))),

  "groups.revoke_invite": async (ctx, { group_id }) => invitationIn(await queryGroups(ctx, group_id, "set", tag("invite"))),

  "groups.preview": async (ctx, { code }) => {
    try {
      const group = groupIn(await queryGroups(ctx, ANY_GROUP, "get", tag("invite", { code })));
      const { id, subject, desc, owner, ownerPn, creation, size, joinApprovalMode, linkedParent, isCommunityAnnounce } = group;
      return {
        ok: true,
        value: {
          group_id: id,
          subject,
          description: desc || null,
          owner: lidMappingOf(ctx.session).person(owner, ownerPn),
          created_at: creation === undefined || Number.isNaN(creation) ? null : creation * 1000,
          size: size ?? 0,
          join_approval: joinApprovalMode === true,
          community_id: linkedParent ?? null,
          is_announcement_group: isCommunityAnnounce === true,
        },
      };
    } catch (error) {
      if (!NO_SUCH_CODE.has(networkCode(error))) throw error;
      return fail("group_not_found");
    }
  },

  "groups.join": async (ctx, { code }) => {
    try {
      return await joined(ctx, await queryGroups(ctx, ANY_GROUP, "set", tag("invite", { code })));
    } catch (error) {
      if (NO_SUCH_CODE.has(networkCode(error))) return fail(asAttempted({ code: "invite_invalid" }));
      if (networkCode(error) !== ALREADY_IN) throw error;
      const { id } = groupIn(await queryGroups(ctx, ANY_GROUP, "get", tag("invite", { code })));
      return { ok: true, value: { group_id: id, pending: false } };
    }
  },
};

async function joined(ctx: SessionContext, answer: BinaryNode): Promise<Outcome<{ group_id: string; pending: boolean }>> {
  const inside = getBinaryNodeChild(answer, "group");
  const groupId = asChatId((inside ?? getBinaryNodeChild(answer, "membership_approval_request"))?.attrs["jid"] ?? "");
  if (groupId === null) return fail("network_error");
  if (inside !== undefined) await groupsOf(ctx.session).reload(ctx, groupId);
  return { ok: true, value: { group_id: groupId, pending: inside === undefined } };
}

function invitationIn(answer: BinaryNode): Outcome<{ code: string; link: string }> {
  const code = getBinaryNodeChild(answer, "invite")?.attrs["code"];
  if (code === undefined) return fail("network_error");
  return { ok: true, value: { code, link: `https://chat.whatsapp.com/${code}` } };
}
