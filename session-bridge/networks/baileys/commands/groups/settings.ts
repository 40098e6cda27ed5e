import { type BinaryNode, generateMessageIDV2, getBinaryNodeChild } from "baileys";
import type { CommandInput } from "@gateway/protocol/commands.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { groupIn, queryGroups, setSubject, tag, ANY_GROUP } from "../../queries/network-query.ts";
import { networkCode, asAttempted } from "../../session/network-failures.ts";
import { removePicture, setPicture } from "../profile.ts";
import type { SessionContext } from "../../session/session-context.ts";
import type { CommandHandlers } from "../command-handlers.ts";
import { groupsOf } from "../../memory/group-cache.ts";
import { asChatId } from "../../addressing/jids.ts";
import { lidMappingOf } from "../../addressing/lid-mapping.ts";

const CONFLICT = 409;

type Setting = CommandInput<"groups.setting">["setting"];

export const groupSettings: Pick<
  CommandHandlers<"groups">,
  "groups.subject" | "groups.description" | "groups.picture" | "groups.setting"
> = {
  "groups.subject": async (ctx, { group_id, subject }) => {
    await setSubject(ctx, group_id, subject);
    return { ok: true, value: {} };
  },

  "groups.description": async (ctx, { group_id, description }) => {
    try {
      await describe(ctx, group_id, description);
    } catch (error) {
      if (networkCode(error) !== CONFLICT) throw error;
      await describe(ctx, group_id, description);
    }
    return { ok: true, value: {} };
  },

  "groups.picture": async (ctx, { group_id, picture }) => {
    if (picture !== null) return setPicture(ctx, group_id, picture);
    await removePicture(ctx, group_id);
    return { ok: true, value: {} };
  },

  "groups.setting": async (ctx, { group_id, setting }) => {
    for (const change of changesOf(setting)) await queryGroups(ctx, group_id, "set", change);
    return { ok: true, value: {} };
  },
};

// The network requires the id of the description that the new one replaces.
async function describe(ctx: SessionContext, groupId: string, text: string | null): Promise<void> {
  const { descId } = groupIn(await queryGroups(ctx, groupId, "get", tag("query", { request: "interactive" })));
  const named = text === null ? { delete: "true" } : { id: generateMessageIDV2() };
  const attrs = { ...named, ...(descId === undefined ? {} : { prev: descId }) };
  const body = text === null ? undefined : [tag("body", {}, Buffer.from(text))];
  await queryGroups(ctx, groupId, "set", tag("description", attrs, body));
}

function changesOf(setting: Setting): BinaryNode[] {
  const { messages_admins_only, info_admins_only, members_can_add, join_approval, disappearing_seconds } = setting;
  const changes: BinaryNode[] = [];
  if (messages_admins_only !== undefined) changes.push(tag(messages_admins_only ? "announcement" : "not_announcement"));
  if (info_admins_only !== undefined) changes.push(tag(info_admins_only ? "locked" : "unlocked"));
  if (members_can_add !== undefined) changes.push(tag("member_add_mode", {}, members_can_add ? "all_member_add" : "admin_add"));
  if (join_approval !== undefined) {
    changes.push(tag("membership_approval_mode", {}, [tag("group_join", { state: join_approval ? "on" : "off" })]));
  }
  if (disappearing_seconds !== undefined) {
    changes.push(disappearing_seconds === 0 ? tag("not_ephemeral") : tag("ephemeral", { expiration: String(disappearing_seconds) }));
  }
  return changes;
}

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

async function joined(ctx: SessionContext, reply: BinaryNode): Promise<Outcome<{ group_id: string; pending: boolean }>> {
  const inside = getBinaryNodeChild(reply, "group");
  const groupId = asChatId((inside ?? getBinaryNodeChild(reply, "membership_approval_request"))?.attrs["jid"] ?? "");
  if (groupId === null) return fail("network_error");
  if (inside !== undefined) await groupsOf(ctx.session).reload(ctx, groupId);
  return { ok: true, value: { group_id: groupId, pending: inside === undefined } };
}

function invitationIn(reply: BinaryNode): Outcome<{ code: string; link: string }> {
  const code = getBinaryNodeChild(reply, "invite")?.attrs["code"];
  if (code === undefined) return fail("network_error");
  return { ok: true, value: { code, link: `https://chat.whatsapp.com/${code}` } };
}
