// What happened in a group, from the raw `w:gp2` notification: the library's own events lack the reason of a join, the time and an
// id to tell a repetition by, and of two changes in one buffer they keep one.
import { getAllBinaryNodeChildren, getBinaryNodeChild, getBinaryNodeChildren, type BinaryNode, type GroupParticipant } from "baileys";
import type { NetworkEvent } from "../../../../src/protocol/events.ts";
import type { ChatId, Person } from "../../../../src/protocol/ids.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { groupsOf, type GroupCache } from "../memory/group-cache.ts";
import { asChatId } from "../addressing/jids.ts";
import { bookOf, type PhoneBook } from "../addressing/phone-book.ts";
import type { SessionContext } from "../session/session-context.ts";
import { textOf } from "./node-text.ts";
import { releasesOf } from "./chat-event-queue.ts";

type GroupUpdated = Extract<NetworkEvent, { type: "group.updated" }>;
type Participants = Extract<NetworkEvent, { type: "group.participants" }>;

type Notice = {
  ctx: SessionContext;
  book: PhoneBook;
  groups: GroupCache;
  group: ChatId;
  id: string;
  actor: BinaryNode["attrs"];
  by: Person | null;
  timestamp: number;
};

export function groupNotice(ctx: SessionContext, node: BinaryNode): void {
  const { attrs } = node;
  const group = asChatId(attrs["from"] ?? "");
  if (group === null || !group.endsWith("@g.us") || ctx.settings.ignore_groups) return;
  const book = bookOf(ctx.link);
  const notice: Notice = {
    ctx,
    book,
    groups: groupsOf(ctx.link),
    group,
    id: attrs["id"] ?? "",
    actor: attrs,
    timestamp: Number(attrs["t"] ?? 0),
    by: book.person(attrs["participant"], attrs["participant_pn"] ?? attrs["participant_lid"]),
  };
  for (const child of getAllBinaryNodeChildren(node)) releasesOf(ctx.link).inTurn(ctx, group, () => NOTICES[child.tag]?.(notice, child));
}

const updated =
  (change: (child: BinaryNode) => GroupUpdated["changed"] | null) =>
  (notice: Notice, child: BinaryNode): void => {
    const changed = change(child);
    if (changed === null) return;
    const { ctx, groups, group, id, by, timestamp } = notice;
    groups.change(group, cachedForm(changed));
    ctx.emit([{ key: DEDUPE.groupNotice(child.tag, group, id), event: { type: "group.updated", chat_id: group, by, changed, timestamp } }]);
  };

const NOTICES: Record<string, (notice: Notice, child: BinaryNode) => void> = {
  create: (notice, child) => created(notice, child),
  add: (notice, child) => {
    const joined = members(notice, child, "join", joinReason(notice, child));
    // Of a group we have just joined nothing is known yet.
    if (joined.some(({ is_me }) => is_me)) notice.ctx.task(async () => void (await notice.groups.reload(notice.ctx, notice.group)));
  },
  remove: (notice, child) => gone(notice, child),
  leave: (notice, child) => gone(notice, child),
  promote: (notice, child) => void members(notice, child, "promote", null),
  demote: (notice, child) => void members(notice, child, "demote", null),
  // Somebody's number changed: both the old and the new one are elsewhere in the metadata.
  modify: ({ ctx, groups, group }) => ctx.task(async () => void (await groups.reload(ctx, group))),
  delete: (notice) => removed(notice),
  subject: updated(({ attrs }) => (attrs["subject"] === undefined ? null : { subject: attrs["subject"] })),
  description: updated((child) => ({ description: textOf(getBinaryNodeChild(child, "body")) || null })),
  announcement: updated(() => ({ messages_admins_only: true })),
  not_announcement: updated(() => ({ messages_admins_only: false })),
  locked: updated(() => ({ info_admins_only: true })),
  unlocked: updated(() => ({ info_admins_only: false })),
  invite: updated(() => ({ invite_link_changed: true })),
  member_add_mode: updated((child) => ({ members_can_add: textOf(child) === "all_member_add" })),
  membership_approval_mode: updated((child) => ({ join_approval: getBinaryNodeChild(child, "group_join")?.attrs["state"] === "on" })),
  ephemeral: updated(({ attrs }) => ({ disappearing_seconds: Number(attrs["expiration"] ?? 0) || 0 })),
  not_ephemeral: updated(() => ({ disappearing_seconds: 0 })),
};

/** `picture` notifications of groups. */
export function groupPicture(ctx: SessionContext, { attrs, content }: BinaryNode): void {
  const group = asChatId(attrs["from"] ?? "");
  if (group === null || !group.endsWith("@g.us") || ctx.settings.ignore_groups) return;
  const [change] = Array.isArray(content) ? content : [];
  const book = bookOf(ctx.link);
  const by = book.person(change?.attrs["author"] ?? attrs["participant"], change?.attrs["author_pn"] ?? attrs["participant_pn"]);
  releasesOf(ctx.link).inTurn(ctx, group, () =>
    ctx.emit([
      {
        key: DEDUPE.groupNotice("picture", group, attrs["id"] ?? ""),
        event: { type: "group.updated", chat_id: group, by, changed: { picture_changed: true }, timestamp: Number(attrs["t"] ?? 0) },
      },
    ]),
  );
}

function members(
  notice: Notice,
  child: BinaryNode,
  action: Participants["action"],
  reason: Participants["reason"],
): Participants["participants"] {
  const { ctx, book, groups, group, id, by, timestamp } = notice;
  const nodes = getBinaryNodeChildren(child, "participant").map(({ attrs }) => participantOf(attrs));
  // Whoever leaves by himself need not be listed.
  const listed =
    nodes.length > 0 ? nodes : [participantOf({ jid: notice.actor["participant"], phone_number: notice.actor["participant_pn"] })];
  const participants = listed.flatMap(({ id: jid, phoneNumber, lid }) => {
    const person = book.person(jid, phoneNumber ?? lid);
    return person ? [{ person, is_me: book.isOwn(jid) }] : [];
  });
  if (action === "join" || action === "leave") groups.changeMembers(group, action === "join" ? "add" : "remove", listed);
  else groups.changeMembers(group, action, listed);
  if (participants.length > 0) {
    ctx.emit([
      {
        key: DEDUPE.groupNotice(child.tag, group, id),
        event: { type: "group.participants", chat_id: group, action, participants, by, reason, timestamp },
      },
    ]);
  }
  return participants;
}

function gone(notice: Notice, child: BinaryNode): void {
  const listed = getBinaryNodeChildren(child, "participant");
  const { book } = notice;
  const [only] = listed;
  const self =
    listed.length === 0 || (listed.length === 1 && samePerson(book.person(only?.attrs["jid"], only?.attrs["phone_number"]), notice.by));
  const left = members(notice, child, "leave", self ? "left" : "removed");
  if (left.some(({ is_me }) => is_me)) removed(notice);
}

function removed({ ctx, groups, group }: Notice): void {
  groups.forget(group);
  ctx.emit([{ key: null, event: { type: "group.removed", group_id: group } }]);
}

// The metadata itself comes as `groups.upsert`.
function created({ ctx, book, group, id, by, timestamp }: Notice, child: BinaryNode): void {
  const own = book.own();
  const byMe = by !== null && (by.phone ?? by.lid) === (own.phone ?? own.lid);
  ctx.emit([
    {
      key: DEDUPE.groupNotice(child.tag, group, id),
      event: {
        type: "group.participants",
        chat_id: group,
        action: "join",
        participants: [{ person: own, is_me: true }],
        by,
        reason: byMe ? "created" : "added",
        timestamp,
      },
    },
  ]);
}

function joinReason({ book, by }: Notice, child: BinaryNode): Participants["reason"] {
  const { reason } = child.attrs;
  if (reason === "invite") return "invite_link";
  if (reason === "linked_group_join") return "request_approved";
  const listed = getBinaryNodeChildren(child, "participant");
  const [only] = listed;
  const self = listed.length === 1 && samePerson(book.person(only?.attrs["jid"], only?.attrs["phone_number"]), by);
  return self ? "invite_link" : "added";
}

function samePerson(one: Person | null, other: Person | null): boolean {
  if (!one || !other) return false;
  return (one.phone !== null && one.phone === other.phone) || (one.lid !== null && one.lid === other.lid);
}

function participantOf({ jid = "", phone_number, lid }: Record<string, string | undefined>): GroupParticipant {
  return { id: jid, ...(phone_number && { phoneNumber: phone_number }), ...(lid && { lid }), admin: null };
}

function cachedForm(changed: GroupUpdated["changed"]): Parameters<GroupCache["change"]>[1] {
  return {
    ...(changed.subject !== undefined && { subject: changed.subject }),
    ...(changed.messages_admins_only !== undefined && { announce: changed.messages_admins_only }),
    ...(changed.info_admins_only !== undefined && { restrict: changed.info_admins_only }),
    ...(changed.disappearing_seconds !== undefined && { ephemeralDuration: changed.disappearing_seconds }),
  };
}
