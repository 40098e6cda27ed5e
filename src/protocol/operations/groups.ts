import * as z from "zod";
import { MediaRef } from "../content.ts";
import { GroupPreview, GroupRecord, GroupRequested, GroupSettings, JoinRequest, ParticipantResult } from "../groups.ts";
import { ChatId } from "../ids.ts";
import { BOTH_KINDS, isSet, SESSION_ONLY, nextCursor, nothing, type OperationRow, page } from "./row.ts";

const group = { group_id: ChatId };
const persons = z.array(ChatId).max(256);
const invitation = z.object({ code: z.string(), link: z.string() });
const results = z.object({ items: z.array(ParticipantResult) });

export const GROUP_OPERATIONS = {
  /** With `refresh`, reads from the network, at most once every ten minutes. Otherwise, returns the stored groups without participants. */
  "groups.list": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({ ...page, q: z.string().nullable(), refresh: z.boolean() }),
    output: z.object({ items: z.array(GroupRecord), next_cursor: nextCursor }),
  },
  "groups.get": { role: "viewer", kinds: BOTH_KINDS, input: z.object(group), output: GroupRecord },
  /** Returns the group without any settings that the network refused, or a request id if the group is created later. */
  "groups.create": {
    role: "operator",
    kinds: BOTH_KINDS,
    // On the Cloud API, people join by the group's link.
    fields: { participants: { kinds: SESSION_ONLY, isUsed: isSet, code: "limit_of_kind" } },
    input: z.object({
      subject: z.string(),
      participants: persons,
      description: z.string().nullable(),
      join_approval: z.boolean().nullable(),
    }),
    output: z.union([z.object({ group: GroupRecord, participants: z.array(ParticipantResult) }), GroupRequested]),
  },
  "groups.subject": { role: "operator", kinds: BOTH_KINDS, input: z.object({ ...group, subject: z.string() }), output: nothing },
  "groups.description": {
    role: "operator",
    kinds: BOTH_KINDS,
    input: z.object({ ...group, description: z.string().nullable() }),
    output: nothing,
  },
  "groups.picture": { role: "operator", kinds: BOTH_KINDS, input: z.object({ ...group, picture: MediaRef }), output: nothing },
  "groups.remove_picture": { role: "operator", kinds: SESSION_ONLY, input: z.object(group), output: nothing },
  "groups.settings": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ ...group, settings: GroupSettings.partial() }),
    output: GroupSettings,
  },
  "groups.participants": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ ...group, action: z.enum(["add", "promote", "demote"]), participants: persons.min(1) }),
    output: results,
  },
  "groups.remove_participants": {
    role: "operator",
    kinds: BOTH_KINDS,
    input: z.object({ ...group, participants: persons.min(1) }),
    output: results,
  },
  "groups.invite": { role: "operator", kinds: BOTH_KINDS, asksNetwork: true, input: z.object(group), output: invitation },
  "groups.revoke_invite": { role: "operator", kinds: BOTH_KINDS, input: z.object(group), output: invitation },
  "groups.preview": { role: "viewer", kinds: SESSION_ONLY, asksNetwork: true, input: z.object({ code: z.string() }), output: GroupPreview },
  "groups.join": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ code: z.string() }),
    output: z.object({ ...group, pending: z.boolean() }),
  },
  "groups.leave": { role: "operator", kinds: SESSION_ONLY, input: z.object(group), output: nothing },
  /** Leaves the group and deletes its chat. If the number has already left the group, only deletes the chat. */
  "groups.delete": { role: "operator", kinds: BOTH_KINDS, input: z.object(group), output: nothing },
  "groups.requests": {
    role: "viewer",
    kinds: BOTH_KINDS,
    asksNetwork: true,
    input: z.object(group),
    output: z.object({ items: z.array(JoinRequest) }),
  },
  "groups.decide": {
    role: "operator",
    kinds: BOTH_KINDS,
    input: z.object({ ...group, verdict: z.enum(["approve", "reject"]), participants: persons.min(1).max(50) }),
    output: results,
  },
} as const satisfies Record<string, OperationRow>;
