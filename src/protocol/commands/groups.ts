// Commands about groups. All fail `group_not_found`, `not_group_admin` (the network refused all of it) and
// `network_rate_limited`.
import { z } from "zod";
import { MediaRef } from "../content.ts";
import { GroupPreview, GroupRequested, GroupSettings, GroupSnapshot, JoinRequest } from "../groups.ts";
import { ChatId, Person } from "../ids.ts";
import { type CommandRow, nothing } from "./row.ts";

const group = { group_id: ChatId };
const invitation = z.object({ code: z.string(), link: z.string() });

/** In the order of the request; `code` is the network's: 200 done, null when it gave none for this person. */
const answers = z.array(z.object({ person: Person, code: z.number().int().nullable() }));

export const GROUP_COMMANDS = {
  /** Reads all groups from the network; each is reported as `group.snapshot` before this is answered. */
  "groups.refresh": { effect: "read", input: nothing, output: z.object({ group_ids: z.array(ChatId) }) },
  /** The whole group, read from the network. */
  "groups.get": { effect: "read", input: z.object(group), output: GroupSnapshot },
  /**
   * Creates a group; `participants` holds the result for each invited person. A session's network is told the description and the approval of
   * requests afterwards; the cloud takes them along, and answers a request: the group is reported when it has been made.
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
  /** Changes the name. */
  "groups.subject": { effect: "change", input: z.object({ ...group, subject: z.string() }), output: nothing },
  /** Changes the description; null removes it. */
  "groups.description": { effect: "change", input: z.object({ ...group, description: z.string().nullable() }), output: nothing },
  /** Changes the picture; null removes it. Also fails `media_invalid`, `media_expired`. */
  "groups.picture": { effect: "change", input: z.object({ ...group, picture: MediaRef.nullable() }), output: nothing },
  /** Changes one setting at a time, so that it is known which were applied when one is refused. */
  "groups.setting": { effect: "change", input: z.object({ ...group, setting: GroupSettings.partial() }), output: nothing },
  /** Adds, removes, promotes or demotes participants, with a result for each. */
  "groups.participants": {
    effect: "change",
    input: z.object({ ...group, action: z.enum(["add", "remove", "promote", "demote"]), participants: z.array(Person) }),
    output: z.object({ participants: answers }),
  },
  /** Reads the current invite code. */
  "groups.invite": { effect: "read", input: z.object(group), output: invitation },
  /** Replaces the code; the one before stops working. */
  "groups.revoke_invite": { effect: "create", input: z.object(group), output: invitation },
  /** The group of an invite code. `group_not_found` for an unknown or revoked code. */
  "groups.preview": { effect: "read", input: z.object({ code: z.string() }), output: GroupPreview },
  /** Joins by an invite code. `pending`: an admin has to approve. `invite_invalid` for an unknown code. */
  "groups.join": { effect: "change", input: z.object({ code: z.string() }), output: z.object({ ...group, pending: z.boolean() }) },
  /** Leaves the group. */
  "groups.leave": { effect: "change", input: z.object(group), output: nothing },
  /** Reads the pending requests to join. */
  "groups.requests": { effect: "read", input: z.object(group), output: z.object({ requests: z.array(JoinRequest) }) },
  /** Approves or rejects requests to join, with a result for each. */
  "groups.decide": {
    effect: "change",
    input: z.object({ ...group, verdict: z.enum(["approve", "reject"]), participants: z.array(Person) }),
    output: z.object({ participants: answers }),
  },
} as const satisfies Record<string, CommandRow>;
