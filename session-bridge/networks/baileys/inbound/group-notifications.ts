// Reads group changes from the raw `w:gp2` notification. The library's events lack reason, time and id, and buffered ones may get lost.
import {
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type BaileysEventMap,
  type BinaryNode,
  type GroupParticipant,
} from "baileys";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { groupsOf, recordGroup, type GroupCache } from "../memory/group-cache.ts";
import { asChatId } from "../addressing/jids.ts";
import { lidMappingOf, type LidMapping } from "../addressing/lid-mapping.ts";
import type { SessionContext } from "../session/session-context.ts";
import { chatEventQueueOf } from "./chat-event-queue.ts";

type GroupUpdated = Extract<NetworkEvent, { type: "group.updated" }>;
type Participants = Extract<NetworkEvent, { type: "group.participants" }>;

type GroupNotification = {
  ctx: SessionContext;
  lids: LidMapping;
  groups: GroupCache;
  group: ChatId;
  id: string;
  actor: BinaryNode["attrs"];
  by: Person | null;
  timestamp: number;
};

export function groupNotification(ctx: SessionContext, node: BinaryNode): void {
  const { attrs } = node;
  const group = asChatId(attrs["from"] ?? "");
  if (group === null || !group.endsWith("@g.us") || ctx.settings.ignore_groups) return;
  const lids = lidMappingOf(ctx.session);
  const notification: GroupNotification = {
    ctx,
    lids,
    groups: groupsOf(ctx.session),
    group,
    id: attrs["id"] ?? "",
    actor: attrs,
    timestamp: Number(attrs["t"] ?? 0),
    by: lids.person(attrs["participant"], attrs["participant_pn"] ?? attrs["participant_lid"]),
  };
  for (const child of getAllBinaryNodeChildren(node))
    chatEventQueueOf(ctx.session).enqueue(ctx, group, () => HANDLERS[child.tag]?.(notification, child));
}

const updated =
  (change: (child: BinaryNode) => GroupUpdated["changed"] | null) =>
  (notification: GroupNotification, child: BinaryNode): void => {
    const changed = change(child);
    if (changed === null) return;
    const { ctx, groups, group, id, by, timestamp } = notification;
    groups.change(group, cachedForm(changed));
    ctx.emit([
      { key: DEDUPE.groupNotification(child.tag, group, id), event: { type: "group.updated", chat_id: group, by, changed, timestamp } },
    ]);
  };

const HANDLERS: Record<string, (notification: GroupNotification, child: BinaryNode) => void> = {
  create: (notification, child) => groupCreated(notification, child),
  add: (notification, child) => {
    const joined = membersChanged(notification, child, "join", joinReason(notification, child));
    // The metadata of a newly joined group is not known yet, so it is loaded.
    if (joined.some(({ is_me }) => is_me))
      notification.ctx.task(async () => void (await notification.groups.reload(notification.ctx, notification.group)));
  },
  remove: (notification, child) => membersLeft(notification, child),
  leave: (notification, child) => membersLeft(notification, child),
  promote: (notification, child) => void membersChanged(notification, child, "promote", null),
  demote: (notification, child) => void membersChanged(notification, child, "demote", null),
  // A member changed their number. The metadata places the old and new number inconsistently, so the group is reloaded.
  modify: ({ ctx, groups, group }) => ctx.task(async () => void (await groups.reload(ctx, group))),
  delete: (notification) => groupRemoved(notification),
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

export function groupPicture(ctx: SessionContext, { attrs, content }: BinaryNode): void {
  const group = asChatId(attrs["from"] ?? "");
  if (group === null || !group.endsWith("@g.us") || ctx.settings.ignore_groups) return;
  const [change] = Array.isArray(content) ? content : [];
  const lids = lidMappingOf(ctx.session);
  const by = lids.person(change?.attrs["author"] ?? attrs["participant"], change?.attrs["author_pn"] ?? attrs["participant_pn"]);
  chatEventQueueOf(ctx.session).enqueue(ctx, group, () =>
    ctx.emit([
      {
        key: DEDUPE.groupNotification("picture", group, attrs["id"] ?? ""),
        event: { type: "group.updated", chat_id: group, by, changed: { picture_changed: true }, timestamp: Number(attrs["t"] ?? 0) },
      },
    ]),
  );
}

function membersChanged(
  notification: GroupNotification,
  child: BinaryNode,
  action: Participants["action"],
  reason: Participants["reason"],
): Participants["participants"] {
  const { ctx, lids, groups, group, id, by, timestamp } = notification;
  const nodes = getBinaryNodeChildren(child, "participant").map(({ attrs }) => participantOf(attrs));
  // The notification may not list a member who leaves. In that case, the actor is the member.
  const listed =
    nodes.length > 0
      ? nodes
      : [participantOf({ jid: notification.actor["participant"], phone_number: notification.actor["participant_pn"] })];
  const participants = listed.flatMap(({ id: jid, phoneNumber, lid }) => {
    const person = lids.person(jid, phoneNumber ?? lid);
    return person ? [{ person, is_me: lids.isOwn(jid) }] : [];
  });
  if (action === "join" || action === "leave") groups.changeMembers(group, action === "join" ? "add" : "remove", listed);
  else groups.changeMembers(group, action, listed);
  if (participants.length > 0) {
    ctx.emit([
      {
        key: DEDUPE.groupNotification(child.tag, group, id),
        event: { type: "group.participants", chat_id: group, action, participants, by, reason, timestamp },
      },
    ]);
  }
  return participants;
}

function membersLeft(notification: GroupNotification, child: BinaryNode): void {
  const listed = getBinaryNodeChildren(child, "participant");
  const { lids } = notification;
  const [only] = listed;
  const self =
    listed.length === 0 ||
    (listed.length === 1 && samePerson(lids.person(only?.attrs["jid"], only?.attrs["phone_number"]), notification.by));
  const left = membersChanged(notification, child, "leave", self ? "left" : "removed");
  if (left.some(({ is_me }) => is_me)) groupRemoved(notification);
}

function groupRemoved({ ctx, groups, group }: GroupNotification): void {
  groups.forget(group);
  ctx.emit([{ key: null, event: { type: "group.removed", group_id: group } }]);
}

// Omits the metadata, which arrives separately as `groups.upsert`.
function groupCreated({ ctx, lids, group, id, by, timestamp }: GroupNotification, child: BinaryNode): void {
  const own = lids.own();
  ctx.emit([
    {
      key: DEDUPE.groupNotification(child.tag, group, id),
      event: {
        type: "group.participants",
        chat_id: group,
        action: "join",
        participants: [{ person: own, is_me: true }],
        by,
        reason: samePerson(own, by) ? "created" : "added",
        timestamp,
      },
    },
  ]);
}

function joinReason({ lids, by }: GroupNotification, child: BinaryNode): Participants["reason"] {
  const { reason } = child.attrs;
  if (reason === "invite") return "invite_link";
  if (reason === "linked_group_join") return "request_approved";
  const listed = getBinaryNodeChildren(child, "participant");
  const [only] = listed;
  const self = listed.length === 1 && samePerson(lids.person(only?.attrs["jid"], only?.attrs["phone_number"]), by);
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

function textOf(node: BinaryNode | undefined): string {
  const content = node?.content;
  if (typeof content === "string") return content;
  return content instanceof Uint8Array ? Buffer.from(content).toString("utf8") : "";
}

export function groupsUpdate(ctx: SessionContext, groups: BaileysEventMap["groups.update"]): void {
  if (ctx.settings.ignore_groups) return;
  for (const group of groups) {
    // Partial updates lack the members and were already reported by `groupNotification`.
    if (group.id && group.participants && group.subject !== undefined) {
      recordGroup(ctx.session, { ...group, id: group.id, owner: group.owner, subject: group.subject, participants: group.participants });
    }
  }
}
