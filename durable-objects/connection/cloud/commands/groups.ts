// The number's groups: reads, and changes to a whole group (docs/use/cloud-api.md, "Groups").
import * as z from "zod";
import type { RequestOutcome } from "@gateway/domain/cloud/change-items.ts";
import { readInviteCode } from "@gateway/domain/chats/chat-id.ts";
import type { NetworkCommand } from "@gateway/protocol/commands.ts";
import { fail, type Failed, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { GroupSnapshot } from "@gateway/protocol/groups.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import type { GraphCall } from "../graph.ts";
import { graphPerson, Listed, maybeText, Paging, readAll, someText } from "./responses.ts";
import { ask, askNumber, type CloudContext, DONE, type GraphCommands, PRODUCT, refused, report, unanswered } from "./asking.ts";

const MAX_GROUP_PAGES = 100;
const READ_TOGETHER = 4;
const REQUEST_TIMEOUT_MS = 10_000;

const APPROVAL = "approval_required";
const INFO_FIELDS = "id,subject,description,join_approval_mode,suspended,creation_timestamp,participants,total_participant_count";
const GroupInfo = z.looseObject({
  subject: maybeText,
  description: maybeText,
  join_approval_mode: maybeText,
  creation_timestamp: z.coerce.number().int().nullish().catch(null),
  participants: z.array(Listed).nullish().catch([]),
  total_participant_count: z.coerce.number().int().nonnegative().nullish().catch(null),
});
const GroupsPage = z.looseObject({
  data: z.looseObject({ groups: z.array(z.looseObject({ id: someText, subject: maybeText })).catch([]) }),
  paging: Paging,
});
const ChangeResponse = z.looseObject({ request_id: maybeText });
const CreateResponse = z.looseObject({ request_id: someText });
const Invitation = z.looseObject({ invite_link: z.string().min(1) });

type Empty = Outcome<Record<string, never>>;
type GroupCommand =
  | "groups.refresh"
  | "groups.get"
  | "groups.create"
  | "groups.subject"
  | "groups.description"
  | "groups.picture"
  | "groups.leave"
  | "groups.invite"
  | "groups.revoke_invite";

export const groupCommands: GraphCommands<GroupCommand> = {
  "groups.refresh": (_, context) => refresh(context),

  "groups.get": ({ group_id }, context) => inGroup(context, group_id, (groupId) => readGroup(context, "groups.get", groupId)),

  // Rejects participants, because people join by link. The group is reported once the network has created it.
  "groups.create": async ({ subject, participants, description, join_approval: approval }, context) => {
    if (participants.length > 0) return fail("limit_of_kind", { details: { kind: "cloud_api", field: "participants" } });
    const mode = approval === undefined || approval === null ? {} : { join_approval_mode: approval ? APPROVAL : "auto_approve" };
    const json = { ...PRODUCT, subject, ...(description ? { description } : {}), ...mode };
    const asked = await askNumber(context, { command: "groups.create" }, { method: "POST", path: "/groups", json }, CreateResponse);
    return asked.ok ? succeed({ request_id: asked.value.request_id }) : asked;
  },

  "groups.subject": ({ group_id, subject }, context) => change(context, "groups.subject", group_id, { subject }),

  "groups.description": ({ group_id, description }, context) =>
    change(context, "groups.description", group_id, { description: description ?? "" }),

  "groups.picture": ({ group_id, picture }, context) =>
    inGroup(context, group_id, async (groupId) => {
      if (picture === null) return fail("not_supported", { details: { kind: "cloud_api", field: "picture" } });
      if (picture.mimetype !== "image/jpeg") return fail("media_invalid");
      const posted = await context.files.post(`/${groupId}`, PRODUCT, picture);
      return posted.ok ? done(await outcomeOf(context, "groups.picture", ChangeResponse.parse(posted.value))) : posted;
    }),

  // The number owns the group, so leaving means deleting it.
  "groups.leave": ({ group_id }, context) =>
    inGroup(context, group_id, async (groupId) => {
      const ended = await changeGroup(context, "groups.leave", { method: "DELETE", path: `/${groupId}` });
      return !ended.ok && ended.failure.code === "not_group_admin" ? fail({ ...ended.failure, code: "forbidden" }) : done(ended);
    }),

  "groups.invite": ({ group_id }, context) => readInvitation(context, "groups.invite", group_id, { method: "GET" }),

  "groups.revoke_invite": ({ group_id }, context) =>
    readInvitation(context, "groups.revoke_invite", group_id, { method: "POST", json: PRODUCT }),
};

export function inGroup<T>(context: CloudContext, chatId: ChatId, work: (groupId: string) => Promise<Outcome<T>>): Promise<Outcome<T>> {
  const groupId = context.ids.groupIdOf(chatId);
  return groupId === null ? Promise.resolve(fail("group_not_found")) : work(encodeURIComponent(groupId));
}

type Changed = Outcome<{ failed: RequestOutcome["failed"] }>;

function done(changed: Changed): Empty {
  return changed.ok ? DONE : changed;
}

function change(context: CloudContext, command: GroupCommand, chatId: ChatId, changed: object): Promise<Empty> {
  const json = { ...PRODUCT, ...changed };
  return inGroup(context, chatId, async (groupId) =>
    done(await changeGroup(context, command, { method: "POST", path: `/${groupId}`, json })),
  );
}

export async function changeGroup(context: CloudContext, command: NetworkCommand, call: GraphCall): Promise<Changed> {
  const result = await ask(context, { command, of: "group" }, call, ChangeResponse);
  return result.ok ? outcomeOf(context, command, result.value) : result;
}

/** Waits for the webhook with the result of an asynchronous change. Fails with `network_timeout` if the webhook is late. */
async function outcomeOf(
  context: CloudContext,
  command: NetworkCommand,
  { request_id }: z.output<typeof ChangeResponse>,
): Promise<Changed> {
  if (request_id === undefined || request_id === null) return succeed({ failed: [] });
  const outcome = await context.groupRequests.wait(request_id, REQUEST_TIMEOUT_MS);
  if (outcome === null) return unanswered(command);
  const [error] = outcome.errors;
  if (error !== undefined && outcome.failed.length === 0) return refused(context, { command, of: "group" }, error);
  return succeed({ failed: outcome.failed });
}

function readInvitation(context: CloudContext, command: GroupCommand, chatId: ChatId, call: Pick<GraphCall, "method" | "json">) {
  return inGroup(context, chatId, async (groupId) => {
    const use = { command, of: "group" } as const;
    const result = await ask(context, use, { ...call, path: `/${groupId}/invite_link` }, Invitation);
    if (!result.ok) return result;
    const link = result.value.invite_link;
    const code = readInviteCode(link);
    return code === null ? unanswered(command) : succeed({ code, link });
  });
}
/** Reads the list of groups. Its items have few fields, so new and renamed groups are also read one by one. */
async function refresh(context: CloudContext): Promise<Outcome<{ group_ids: ChatId[] }>> {
  const use = { command: "groups.refresh" } as const;
  const listed = await readAll(MAX_GROUP_PAGES, async (query) => {
    const page = await askNumber(context, use, { method: "GET", path: "/groups", query }, GroupsPage);
    return page.ok ? succeed({ items: page.value.data.groups, paging: page.value.paging }) : page;
  });
  if (!listed.ok) return listed;
  const groups = listed.value.map(({ id, subject }) => ({ id, subject, chatId: context.ids.group(id) }));
  const isNew = ({ chatId, subject }: { chatId: ChatId; subject?: string | null | undefined }) =>
    context.stores.groups.snapshotAt(chatId) === null || (subject && context.stores.groups.get(chatId)?.subject !== subject);
  const unread = groups.filter(isNew);
  for (let at = 0; at < unread.length; at += READ_TOGETHER) {
    const read = await Promise.all(
      unread.slice(at, at + READ_TOGETHER).map(({ id }) => readGroup(context, use.command, encodeURIComponent(id))),
    );
    const failed = read.find((one): one is Failed => !one.ok && one.failure.code !== "group_not_found");
    if (failed !== undefined) return failed;
    for (const one of read) if (one.ok) report(context, { type: "group.snapshot", group: one.value });
  }
  return succeed({ group_ids: groups.map(({ chatId }) => chatId) });
}

async function readGroup(context: CloudContext, command: NetworkCommand, groupId: string): Promise<Outcome<GroupSnapshot>> {
  const call = { method: "GET", path: `/${groupId}`, query: { fields: INFO_FIELDS } } as const;
  const result = await ask(context, { command, of: "group" }, call, GroupInfo);
  return result.ok ? succeed(snapshotOf(context, decodeURIComponent(groupId), result.value)) : result;
}

/** Only the business that created a group can change it, and the network does not list that business as a member. */
function snapshotOf({ ids, stores }: CloudContext, groupId: string, info: z.output<typeof GroupInfo>): GroupSnapshot {
  const me = stores.groups.me();
  const others = (info.participants ?? []).flatMap((one) => graphPerson(ids, one) ?? []).filter((person) => !stores.groups.isMe(person));
  const own = me === null ? [] : [{ person: me, role: "superadmin" as const }];
  const listed = [...own, ...others.map((person) => ({ person, role: "member" as const }))];
  const size = (info.total_participant_count ?? others.length) + own.length;
  return {
    group_id: ids.group(groupId),
    subject: info.subject ?? "",
    description: info.description ?? null,
    owner: me,
    created_at: info.creation_timestamp ?? null,
    community_id: null,
    is_announcement_group: false,
    settings: {
      messages_admins_only: false,
      info_admins_only: true,
      members_can_add: false,
      join_approval: info.join_approval_mode === APPROVAL,
      disappearing_seconds: 0,
    },
    participants: listed,
    ...(size > listed.length && { size }),
  };
}
