import { type BinaryNode, generateMessageIDV2 } from "baileys";
import type { CommandInput } from "@gateway/protocol/commands.ts";
import { groupIn, queryGroups, tag } from "../../queries/group-query.ts";
import { networkCode } from "../../session/network-failures.ts";
import { removePicture, setPicture } from "../pictures.ts";
import type { SessionContext } from "../../session/session-context.ts";
import type { CommandHandlers } from "../command-handlers.ts";

const CONFLICT = 409;

type Setting = CommandInput<"groups.setting">["setting"];

export const groupSettings: Pick<
  CommandHandlers<"groups">,
  "groups.subject" | "groups.description" | "groups.picture" | "groups.setting"
> = {
  "groups.subject": async (ctx, { group_id, subject }) => {
    await queryGroups(ctx, group_id, "set", tag("subject", {}, Buffer.from(subject)));
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

// The network requires the id of the description being replaced.
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
