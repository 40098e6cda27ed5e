// Reads group webhooks. A requested change is complete when the item with its request id arrives.
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import type { ChangeItem, ReadingContext, RequestOutcome } from "./change-items.ts";
import { keyOf } from "./ids.ts";
import { type GraphGroup, type GraphParticipant, rowNamed, secondsOf } from "./graph-values.ts";

type At = { group: GraphGroup; chatId: ChatId; me: Person; timestamp: number; context: ReadingContext };

export function groupItems(group: GraphGroup, context: ReadingContext): ChangeItem[] {
  const { ids, now, field } = context;
  const chatId = group.group_id === null || group.group_id === undefined ? null : ids.group(group.group_id);
  const settled: ChangeItem[] =
    group.request_id === null ? [] : [{ kind: "request", requestId: group.request_id, chatId, outcome: outcomeOf(group) }];
  if (chatId === null) return settled.length > 0 ? settled : [{ kind: "unreadable", field, reason: "group_id: missing" }];
  if (group.errors.length > 0 && group.removed_participants.length === 0) return settled;
  const at: At = { group, chatId, me: { phone: ids.me, lid: null }, timestamp: secondsOf(group.timestamp, now), context };
  const told = rowNamed(READERS, group.type)?.(at) ?? [];
  const events = told.map((event, place): ChangeItem => ({ kind: "event", chatId, event: { key: keyFor(at, place), event }, file: null }));
  // Settled requests come last, so that their waiting callers read the group after the change.
  const items = [...events, ...settled];
  return items.length > 0 ? items : [{ kind: "ignored", field, reason: group.type }];
}

type Reader = (at: At) => NetworkEvent[];

const READERS: Readonly<Record<string, Reader>> = {
  group_create: created,
  group_delete: ({ chatId }) => [{ type: "group.removed", group_id: chatId }],
  group_participants_add: (at) => moved(at, "join", at.group.added_participants),
  group_participants_remove: (at) => moved(at, "leave", at.group.removed_participants),
  // Meta's OpenAPI file uses these names for the two changes above.
  group_add_participants: (at) => moved(at, "join", at.group.added_participants),
  group_remove_participants: (at) => moved(at, "leave", at.group.removed_participants),
  group_settings_update: updated,
};

/** The number itself is a new group's only member until someone joins by the link. */
function created({ group, chatId, me, timestamp, context }: At): NetworkEvent[] {
  const others = group.added_participants.flatMap((one) => personOf(one, context) ?? []);
  const join: NetworkEvent = {
    type: "group.participants",
    chat_id: chatId,
    action: "join",
    participants: [{ person: me, is_me: true }],
    by: me,
    reason: "created",
    timestamp,
  };
  const snapshot: NetworkEvent = {
    type: "group.snapshot",
    group: {
      group_id: chatId,
      subject: group.subject ?? "",
      description: group.description,
      owner: me,
      created_at: timestamp,
      community_id: null,
      is_announcement_group: false,
      settings: { ...SETTINGS, join_approval: group.join_approval_mode === "approval_required" },
      participants: [{ person: me, role: "superadmin" as const }, ...others.map((person) => ({ person, role: "member" as const }))],
    },
  };
  return [join, snapshot];
}

/** Cloud API groups have no other settings: everybody can write, and only the business can change the rest. */
const SETTINGS = { messages_admins_only: false, info_admins_only: true, members_can_add: false, disappearing_seconds: 0 };

function moved(
  { group, chatId, me, timestamp, context }: At,
  action: "join" | "leave",
  people: readonly GraphParticipant[],
): NetworkEvent[] {
  const participants = people.flatMap((one) => {
    const person = personOf(one, context);
    return person === null ? [] : [{ person, is_me: person.phone !== null && person.phone === context.ids.me }];
  });
  if (participants.length === 0) return [];
  const byBusiness =
    action === "leave" && (group.initiated_by === "business" || (group.initiated_by === null && group.request_id !== null));
  const reason =
    action === "join" ? (group.reason === "join_request" ? "request_approved" : "invite_link") : byBusiness ? "removed" : "left";
  const told: NetworkEvent = {
    type: "group.participants",
    chat_id: chatId,
    action,
    participants,
    by: byBusiness ? me : null,
    reason,
    timestamp,
  };
  const gone = action === "leave" && participants.some(({ is_me }) => is_me);
  return gone ? [told, { type: "group.removed", group_id: chatId }] : [told];
}

type GroupChange = Extract<NetworkEvent, { type: "group.updated" }>["changed"];

function updated({ group, chatId, me, timestamp }: At): NetworkEvent[] {
  const { group_subject: subject, group_description: description, profile_picture: picture } = group;
  const changed: GroupChange = {
    ...(group.subject !== null && { subject: group.subject }),
    ...(group.description !== null && { description: group.description }),
    ...(applied(subject) && { subject: subject.text ?? "" }),
    ...(applied(description) && { description: description.text }),
    ...(applied(picture) && { picture_changed: true as const }),
    ...(group.join_approval_mode !== null && { join_approval: group.join_approval_mode === "approval_required" }),
  };
  return Object.keys(changed).length === 0 ? [] : [{ type: "group.updated", chat_id: chatId, by: me, changed, timestamp }];
}

type Setting = GraphGroup["group_subject"];

function applied(setting: Setting): setting is NonNullable<Setting> {
  return setting !== null && setting !== undefined && setting.update_successful !== false;
}

/** A change that failed for some people also has a general error, which contains no further information and is ignored. */
function outcomeOf(group: GraphGroup): RequestOutcome {
  const failed = group.failed_participants.flatMap(({ input, errors }) =>
    input === null ? [] : [{ input, code: errors[0]?.code ?? null }],
  );
  const errors = group.removed_participants.length > 0 ? [] : [...group.errors, ...failedSettings(group)];
  return { errors, failed };
}

function failedSettings({ group_subject, group_description, profile_picture }: GraphGroup) {
  return [group_subject, group_description, profile_picture].flatMap((setting) => setting?.errors ?? []);
}

function personOf({ wa_id, input, user_id }: GraphParticipant, { ids }: ReadingContext): Person | null {
  return ids.person({ wa_id: wa_id ?? input ?? undefined, user_id: user_id ?? undefined });
}

/** Two people may join in the same second, so the key covers the whole item. `place` is the event's index within its item. */
function keyFor({ group, context }: At, place: number): string {
  return keyOf("cloud", "group", group.type, group.group_id ?? "", String(place), context.field, JSON.stringify(group));
}
