// Groups, as the bridge carries them out. All fail `group_not_found`, `not_group_admin` (the network
// refused the whole of it) and `network_rate_limited`.
import { z } from "zod";
import { MediaRef } from "../content.ts";
import { GroupPreview, GroupSettings, GroupSnapshot, JoinRequest } from "../groups.ts";
import { ChatId, Person } from "../ids.ts";
import { type CommandRow, nothing } from "./row.ts";

const group = { group_id: ChatId };
const invitation = z.object({ code: z.string(), link: z.string() });

/** In the order in which they were asked for; `code` is the network's: 200 done, null when it said nothing of this person. */
const answers = z.array(z.object({ person: Person, code: z.number().int().nullable() }));

export const GROUP_COMMANDS = {
  /** Reads all groups anew; each is reported as `group.snapshot` before this is answered. */
  "groups.refresh": { effect: "read", input: nothing, output: z.object({ group_ids: z.array(ChatId) }) },
  /** The whole group, asked of the network. */
  "groups.get": { effect: "read", input: z.object(group), output: GroupSnapshot },
  "groups.create": {
    effect: "create",
    input: z.object({ subject: z.string(), participants: z.array(Person) }),
    output: z.object({ group: GroupSnapshot, participants: answers }),
  },
  "groups.subject": { effect: "change", input: z.object({ ...group, subject: z.string() }), output: nothing },
  /** null removes it. */
  "groups.description": { effect: "change", input: z.object({ ...group, description: z.string().nullable() }), output: nothing },
  /** null removes it. Also fails as a file does: `media_invalid`, `media_expired`. */
  "groups.picture": { effect: "change", input: z.object({ ...group, picture: MediaRef.nullable() }), output: nothing },
  /** One setting at a time: so it is known which of several were taken when one is refused. */
  "groups.setting": { effect: "change", input: z.object({ ...group, setting: GroupSettings.partial() }), output: nothing },
  "groups.participants": {
    effect: "change",
    input: z.object({ ...group, action: z.enum(["add", "remove", "promote", "demote"]), participants: z.array(Person) }),
    output: z.object({ participants: answers }),
  },
  "groups.invite": { effect: "read", input: z.object(group), output: invitation },
  /** Each time the code before it stops working. */
  "groups.revoke_invite": { effect: "create", input: z.object(group), output: invitation },
  /** What a code leads to. `group_not_found` for a code nobody gave out, or a revoked one. */
  "groups.preview": { effect: "read", input: z.object({ code: z.string() }), output: GroupPreview },
  /** `pending`: an admin has to let us in. `invite_invalid` for a code that leads nowhere. */
  "groups.join": { effect: "change", input: z.object({ code: z.string() }), output: z.object({ ...group, pending: z.boolean() }) },
  "groups.leave": { effect: "change", input: z.object(group), output: nothing },
  "groups.requests": { effect: "read", input: z.object(group), output: z.object({ requests: z.array(JoinRequest) }) },
  "groups.decide": {
    effect: "change",
    input: z.object({ ...group, verdict: z.enum(["approve", "reject"]), participants: z.array(Person) }),
    output: z.object({ participants: answers }),
  },
} as const satisfies Record<string, CommandRow>;
