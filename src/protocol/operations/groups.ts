// Groups. Chat ids of persons are resolved by the network; a viewer sees, an operator acts.
import { z } from "zod";
import { MediaRef } from "../content.ts";
import { GroupPreview, GroupRecord, GroupSettings, JoinRequest, ParticipantResult } from "../groups.ts";
import { ChatId } from "../ids.ts";
import { nextCursor, nothing, ofSessions, type OperationRow, page } from "./row.ts";

const group = { group_id: ChatId };
const persons = z.array(ChatId).max(256);
const invitation = z.object({ code: z.string(), link: z.string() });
const results = z.object({ items: z.array(ParticipantResult) });

export const GROUP_OPERATIONS = ofSessions({
  /** `refresh` reads from the network, at most once in ten minutes; otherwise from the store. Without participants. */
  "groups.list": {
    role: "viewer",
    input: z.object({ ...page, q: z.string().nullable(), refresh: z.boolean() }),
    output: z.object({ items: z.array(GroupRecord), next_cursor: nextCursor }),
  },
  "groups.get": { role: "viewer", input: z.object(group), output: GroupRecord },
  /** The created group; without a description or approval setting that the network refused. */
  "groups.create": {
    role: "operator",
    input: z.object({
      subject: z.string(),
      participants: persons,
      description: z.string().nullable(),
      join_approval: z.boolean().nullable(),
    }),
    output: z.object({ group: GroupRecord, participants: z.array(ParticipantResult) }),
  },
  "groups.subject": { role: "operator", input: z.object({ ...group, subject: z.string() }), output: nothing },
  /** null removes it. */
  "groups.description": { role: "operator", input: z.object({ ...group, description: z.string().nullable() }), output: nothing },
  "groups.picture": { role: "operator", input: z.object({ ...group, picture: MediaRef.nullable() }), output: nothing },
  /** Settings are applied one by one: those before a failure stay. */
  "groups.settings": { role: "operator", input: z.object({ ...group, settings: GroupSettings.partial() }), output: GroupSettings },
  "groups.participants": {
    role: "operator",
    input: z.object({ ...group, action: z.enum(["add", "remove", "promote", "demote"]), participants: persons.min(1) }),
    output: results,
  },
  "groups.invite": { role: "operator", asksNetwork: true, input: z.object(group), output: invitation },
  "groups.revoke_invite": { role: "operator", input: z.object(group), output: invitation },
  "groups.preview": { role: "viewer", asksNetwork: true, input: z.object({ code: z.string() }), output: GroupPreview },
  "groups.join": { role: "operator", input: z.object({ code: z.string() }), output: z.object({ ...group, pending: z.boolean() }) },
  "groups.leave": { role: "operator", input: z.object(group), output: nothing },
  /** Leaves the group and deletes its chat; only the chat when it was left before. */
  "groups.delete": { role: "operator", input: z.object(group), output: nothing },
  "groups.requests": { role: "viewer", asksNetwork: true, input: z.object(group), output: z.object({ items: z.array(JoinRequest) }) },
  "groups.decide": {
    role: "operator",
    input: z.object({ ...group, verdict: z.enum(["approve", "reject"]), participants: persons.min(1).max(50) }),
    output: results,
  },
} as const satisfies Record<string, OperationRow>);
