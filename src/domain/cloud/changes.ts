// Reads one change of a Meta webhook, with one table by field and another by message type (docs/internals/cloud-webhooks.md, "Receiving").
import type { z } from "zod";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { type ChatId, chatIdOf, type Person } from "@gateway/protocol/ids.ts";
import {
  type ChangeItem,
  CLOUD_STATUSES,
  type CloudStatus,
  each,
  mapped,
  missing,
  type Named,
  type ReadingContext,
  unreadable,
} from "./change-items.ts";
import { keyOf, type CloudIds, messageIdIn } from "./ids.ts";
import { groupItems } from "./group-changes.ts";
import { ChangeValue, GraphCall, GraphGroup, GraphMessage, type GraphProfile, GraphStatus, rowNamed, secondsOf } from "./graph-values.ts";
import { contentOf, receivedMessage } from "./view.ts";

export type { ChangeItem, CloudStatus } from "./change-items.ts";

/** Calls `ids` for every person first, so that all are known before the events are applied. */
export function readChange(field: string, value: unknown, ids: CloudIds, now: number): ChangeItem[] {
  const context: ReadingContext = { ids, field, now };
  const read = rowNamed(FIELDS, field) ?? FAMILIES.find(([prefix]) => field.startsWith(prefix))?.[1];
  if (read === undefined) return [{ kind: "ignored", field, reason: "field" }];
  const parsed = ChangeValue.safeParse(value);
  return parsed.success ? read(parsed.data, context) : [unreadable(context, parsed.error)];
}

type Reader = (value: ChangeValue, context: ReadingContext) => ChangeItem[];

const recheck: Reader = (_, { field }) => [{ kind: "recheck", field }];
const groups: Reader = (value, context) =>
  value.groups.flatMap((item) => each(GraphGroup, item, context, (group) => groupItems(group, context)));

const FIELDS: Readonly<Record<string, Reader>> = {
  messages: (value, context) => [
    ...value.messages.flatMap((item) =>
      each(GraphMessage, item, context, (message) => messageItems(message, value.contacts, context, false)),
    ),
    ...value.statuses.flatMap((item) => each(GraphStatus, item, context, (status) => statusItems(status, value.contacts, context))),
    ...value.errors.map((error): ChangeItem => ({ kind: "error", field: context.field, error })),
  ],
  smb_message_echoes: echoes,
  message_echoes: echoes,
  calls: (value, context) =>
    value.calls.flatMap((item) => each(GraphCall, item, context, (call) => callItems(call, value.contacts, context))),
  group_lifecycle_update: groups,
  group_participants_update: groups,
  group_participant_update: groups,
  group_settings_update: groups,
  group_status_update: groups,
  account_update: recheck,
  account_alerts: recheck,
  account_review_update: recheck,
  phone_number_quality_update: recheck,
  phone_number_name_update: recheck,
  security: recheck,
};

const FAMILIES: readonly (readonly [prefix: string, read: Reader])[] = [["message_template_", recheck]];

function echoes(value: ChangeValue, context: ReadingContext): ChangeItem[] {
  const items = [...value.message_echoes, ...value.messages];
  return items.flatMap((item) => each(GraphMessage, item, context, (message) => messageItems(message, value.contacts, context, true)));
}

type MessageReader = (message: Addressed, context: ReadingContext) => ChangeItem[];

/** `sender` is null for the number itself, when it writes from another device. */
type Addressed = { message: GraphMessage; chatId: ChatId; sender: Person | null; pushName: string | null; timestamp: number };

const CHANGES: Readonly<Record<string, MessageReader>> = {
  reaction: (at, context) => {
    const { message, chatId, sender, timestamp } = at;
    if (!message.reaction) return missing(context, "reaction");
    const target = targetOf(message.reaction.message_id, context.ids);
    const reaction = message.reaction.emoji ?? "";
    return change(at, { type: "message.reaction", chat_id: chatId, ...target, from_me: sender === null, sender, reaction, timestamp });
  },
  edit: (at, context) => {
    const { message, chatId, sender, timestamp } = at;
    if (!message.edit) return missing(context, "edit");
    const target = targetOf(message.edit.original_message_id, context.ids);
    const text = contentOf(message.edit.message).text ?? "";
    return change(at, { type: "message.edited", chat_id: chatId, ...target, from_me: sender === null, sender, text, timestamp });
  },
  revoke: (at, context) => {
    const { message, chatId, sender, timestamp } = at;
    if (!message.revoke) return missing(context, "revoke");
    const target = targetOf(message.revoke.original_message_id, context.ids);
    const who = { from_me: sender === null, author: sender, by: sender };
    return change(at, { type: "message.deleted", chat_id: chatId, ...target, ...who, timestamp });
  },
};

function messageItems(message: GraphMessage, contacts: readonly GraphProfile[], context: ReadingContext, own: boolean): ChangeItem[] {
  if (message.type === "system") return systemItems(message, contacts, context);
  const { ids, now } = context;
  const phone = own ? message.to : message.from;
  const userId = own ? message.to_user_id : message.from_user_id;
  const profile = profileOf(contacts, phone, userId);
  const person = known(profile, { phone, userId }, ids);
  if (person === null && (message.group_id === null || !own)) return missing(context, own ? "to" : "from");
  const chatId = message.group_id === null ? chatIdOf(person ?? { phone: null, lid: null }) : ids.group(message.group_id);
  const timestamp = secondsOf(message.timestamp, now);
  const at: Addressed = {
    message,
    chatId,
    sender: own ? null : person,
    pushName: own ? null : (profile?.profile?.name ?? null),
    timestamp,
  };
  const errors = message.errors.map((error): ChangeItem => ({ kind: "error", field: context.field, error }));
  const read = rowNamed(CHANGES, message.type);
  return [...mapped(person), ...(read ?? upsert)(at, context), ...errors];
}

function upsert({ message, ...at }: Addressed, { ids }: ReadingContext): ChangeItem[] {
  const received = receivedMessage(message, at, ids);
  const fromMe = received.message.from_me;
  const key = keyOf("message", at.chatId, fromMe ? "out" : "in", received.message.message_id);
  const origin = fromMe ? "own_device" : "live";
  return [
    {
      kind: "event",
      chatId: at.chatId,
      event: { key, event: { type: "message.upsert", origin, message: received.message } },
      file: received.file,
    },
  ];
}

function change({ message, chatId }: Addressed, event: NetworkEvent): ChangeItem[] {
  return [{ kind: "event", chatId, event: { key: keyOf("cloud", message.id), event }, file: null }];
}

function targetOf(wamid: string, ids: CloudIds): { message_id: string } {
  return { message_id: ids.own(wamid) ?? wamid };
}

/** Reports only changes to a phone number or `user_id`. */
function systemItems(
  { system, from, from_user_id }: GraphMessage,
  contacts: readonly GraphProfile[],
  context: ReadingContext,
): ChangeItem[] {
  const profile = profileOf(contacts, from, from_user_id);
  const before = { phone: from, userId: from_user_id ?? profile?.user_id ?? null };
  if (system?.type !== "user_changed_number" && system?.type !== "user_changed_user_id") {
    return [{ kind: "ignored", field: context.field, reason: "system" }];
  }
  const to = { phone: system.wa_id ?? (system.type === "user_changed_user_id" ? from : null), userId: system.user_id ?? before.userId };
  if (to.phone === null && to.userId === null) return missing(context, "system");
  return [{ kind: "moved", from: before, to }];
}

function statusItems(status: z.output<typeof GraphStatus>, contacts: readonly GraphProfile[], context: ReadingContext): ChangeItem[] {
  const { ids, now } = context;
  const name = CLOUD_STATUSES.find((one) => one === status.status);
  if (name === undefined) return [{ kind: "ignored", field: context.field, reason: "status" }];
  const groupId = status.group_id ?? (status.recipient_type === "group" ? status.recipient_id : null);
  const toPerson = groupId === null ? { phone: digitsOf(status.recipient_id), userId: status.recipient_user_id } : NOBODY;
  const recipient = known(profileOf(contacts, toPerson.phone, toPerson.userId), toPerson, ids);
  const participant = known(null, { phone: status.recipient_participant_id, userId: status.recipient_participant_user_id }, ids);
  const chatId = groupId === null ? (recipient === null ? null : chatIdOf(recipient)) : ids.group(groupId);
  const read: CloudStatus = {
    wamid: status.id,
    status: name,
    messageId: messageIdIn(status.biz_opaque_callback_data),
    recipient,
    participant,
    chatId,
    errors: status.errors,
    timestamp: secondsOf(status.timestamp, now),
  };
  return [...mapped(recipient), ...mapped(participant), { kind: "status", chatId, status: read }];
}

const NOBODY: Named = { phone: null, userId: null };

const CALL_STATUSES: Readonly<Record<string, "received" | "ended">> = { connect: "received", terminate: "ended" };

function callItems(call: z.output<typeof GraphCall>, contacts: readonly GraphProfile[], context: ReadingContext): ChangeItem[] {
  const status = rowNamed(CALL_STATUSES, call.event);
  if (status === undefined || call.direction === "BUSINESS_INITIATED") return [{ kind: "ignored", field: context.field, reason: "call" }];
  const named = { phone: call.from, userId: call.from_user_id };
  const from = known(profileOf(contacts, named.phone, named.userId), named, context.ids);
  if (from === null) return missing(context, "from");
  const event: NetworkEvent = {
    type: "call",
    call_id: call.id,
    chat_id: chatIdOf(from),
    from,
    is_video: false,
    is_group: false,
    status,
    timestamp: secondsOf(call.timestamp, context.now),
  };
  return [{ kind: "event", chatId: event.chat_id, event: { key: keyOf("cloud", "call", call.id, call.event), event }, file: null }];
}

function profileOf(contacts: readonly GraphProfile[], phone: string | null, userId: string | null): GraphProfile | null {
  const found = contacts.find((one) => (phone !== null && one.wa_id === phone) || (userId !== null && one.user_id === userId));
  return found ?? (phone === null && userId === null && contacts.length === 1 ? (contacts[0] ?? null) : null);
}

function known(profile: GraphProfile | null, { phone, userId }: Named, ids: CloudIds): Person | null {
  const username = profile?.profile?.username ?? null;
  const wa_id = phone ?? profile?.wa_id ?? null;
  const user_id = userId ?? profile?.user_id ?? null;
  if (wa_id === null && user_id === null) return null;
  return ids.person({ wa_id: wa_id ?? undefined, user_id: user_id ?? undefined, username: username ?? undefined });
}

function digitsOf(text: string | null): string | null {
  return text?.replaceAll(/\D/g, "") || null;
}
