// All fail `group_not_found`, `not_group_admin` (when the network refused the whole command) and `network_rate_limited`.
import { z } from "zod";
import { MediaRef } from "../content.ts";
import { GroupPreview, GroupRequested, GroupSettings, GroupSnapshot, JoinRequest } from "../groups.ts";
import { ChatId, Person } from "../ids.ts";
import { type CommandRow, nothing } from "./row.ts";

const group = { group_id: ChatId };
const invitation = z.object({ code: z.string(), link: z.string() });

/** In request order. `code` is the network's: 200 for success, null when it gave none for this person. */
const answers = z.array(z.object({ person: Person, code: z.number().int().nullable() }));

export const GROUP_COMMANDS = {
  /** Each group is emitted as `group.snapshot` before the answer. */
  "groups.refresh": { effect: "read", input: nothing, output: z.object({ group_ids: z.array(ChatId) }) },
  "groups.get": { effect: "read", input: z.object(group), output: GroupSnapshot },
  /**
   * `participants` holds the result for each invited person. On a session, description and approval are set in later requests. The Cloud
   * API takes them at once and answers a request id; the group is emitted when it exists.
   */
  "groups.create": {
    effect: "create",
    input: z.object({
      subject: z.string(),
      participants: z.array(Person),
      description: z.string().nullable().optional(),
      join_approval: z.boolean().nullable().optional(),
    }),
    output: z.union([z.object({ group: GroupSnapshot, participants: answers }), GroupRequested]),
  },
  "groups.subject": { effect: "change", input: z.object({ ...group, subject: z.string() }), output: nothing },
  "groups.description": { effect: "change", input: z.object({ ...group, description: z.string().nullable() }), output: nothing },
  /** null removes the picture. Also fails `media_invalid`, `media_expired`. */
  "groups.picture": { effect: "change", input: z.object({ ...group, picture: MediaRef.nullable() }), output: nothing },
  /** One setting at a time, so that the caller knows which ones were applied when one is refused. */
  "groups.setting": { effect: "change", input: z.object({ ...group, setting: GroupSettings.partial() }), output: nothing },
  "groups.participants": {
    effect: "change",
    input: z.object({ ...group, action: z.enum(["add", "remove", "promote", "demote"]), participants: z.array(Person) }),
    output: z.object({ participants: answers }),
  },
  "groups.invite": { effect: "read", input: z.object(group), output: invitation },
  "groups.revoke_invite": { effect: "create", input: z.object(group), output: invitation },
  /** Fails `group_not_found` for an unknown or revoked code. */
  "groups.preview": { effect: "read", input: z.object({ code: z.string() }), output: GroupPreview },
  /** `pending`: an admin has to approve. Fails `invite_invalid` for an unknown code. */
  "groups.join": { effect: "change", input: z.object({ code: z.string() }), output: z.object({ ...group, pending: z.boolean() }) },
  "groups.leave": { effect: "change", input: z.object(group), output: nothing },
  "groups.requests": { effect: "read", input: z.object(group), output: z.object({ requests: z.array(JoinRequest) }) },
  "groups.decide": {
    effect: "change",
    input: z.object({ ...group, verdict: z.enum(["approve", "reject"]), participants: z.array(Person) }),
    output: z.object({ participants: answers }),
  },
} as const satisfies Record<string, CommandRow>;
