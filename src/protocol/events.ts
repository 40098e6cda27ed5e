// Facts that a number's network reports to the number's object. An event must never ask for anything: commands do (`commands.ts`).
import * as z from "zod";
import { Failure } from "./failures.ts";
import { GroupSnapshot } from "./groups.ts";
import { ChatId, MessageId, Person } from "./ids.ts";
import { PasskeyOptions } from "./passkey.ts";
import { ReportedStatus, NetworkMessage, StoredMedia } from "./message.ts";

const timestamp = z.number().int(); // Unix seconds at which it happened

/** How a message arrived. History is never sent to a webhook (docs/internals/sessions.md, "History"). */
export const MessageOrigin = z.enum(["live", "offline", "own_device", "history"]);
export type MessageOrigin = z.infer<typeof MessageOrigin>;

export const Restriction = z.object({
  type: z.literal("new_chats_blocked"),
  enforcement: z.string(),
  ends_at: timestamp.nullable(),
  detected_at: timestamp,
});
export type Restriction = z.infer<typeof Restriction>;

/** How many new chats the network allows per cycle. `cycle_ends_at` is in Unix seconds. */
export const NewChatQuota = z.object({
  total: z.number().int().nonnegative().nullable(),
  used: z.number().int().nonnegative().nullable(),
  cycle_ends_at: z.number().int().nullable(),
  status: z.enum(["none", "first_warning", "second_warning", "capped"]),
});
export type NewChatQuota = z.infer<typeof NewChatQuota>;

/** `code` is the network's reason code for the temporary ban. */
export const Ban = z.object({ code: z.number().int().nullable(), ends_at: timestamp.nullable() });
export type Ban = z.infer<typeof Ban>;

/** `code` is explained in docs/internals/statuses.md, "How network sockets close". It is 0 for a proxy error, or if there is no code. */
const closed = z.object({
  type: z.literal("session.closed"),
  code: z.number().int(),
  /** Code 408 has three meanings: the QR codes ran out (`qr_timeout`), the passkey was not used in time, or the socket was lost. */
  reason: z.enum([
    "lost",
    "qr_timeout",
    "passkey_timeout",
    "logged_out",
    "replaced",
    "banned",
    "temporarily_banned",
    "client_outdated",
    "multidevice_mismatch",
    "bad_session",
    "restart_required",
    "proxy_error",
    "passkey_unsupported",
  ]),
  /** Only for `client_outdated`. The bridge keeps the session and reconnects once it has another client version. */
  waits: z.literal(true).optional(),
  ban: Ban.optional(),
  timestamp,
});

/** These events have no dedupe key, because the object's state machine decides which of them change something. */
export const SessionEvent = z.discriminatedUnion("type", [
  /** `code` is the pairing code issued earlier, which is no longer valid. */
  z.object({
    type: z.literal("session.qr"),
    raw: z.string(),
    expires_at: timestamp,
    attempt: z.number().int().positive(),
    code: z.literal("refused").optional(),
    timestamp,
  }),
  /** The account requires a passkey before a device can be linked. Sent only when the session's settings allow passkeys. */
  z.object({ type: z.literal("session.passkey"), options: PasskeyOptions, expires_at: timestamp, timestamp }),
  z.object({ type: z.literal("session.paired"), phone: z.string(), platform: z.string().nullable(), is_business: z.boolean(), timestamp }),
  z.object({
    type: z.literal("session.open"),
    phone: z.string(),
    lid: z.string().nullable(),
    profile_name: z.string().nullable(),
    is_business: z.boolean(),
    platform: z.string().nullable(),
    timestamp,
  }),
  closed,
  z.object({ type: z.literal("session.reconnecting"), attempt: z.number().int().positive(), next_at: timestamp, timestamp }),
  z.object({
    type: z.literal("session.gave_up"),
    reason: z.enum(["reconnect_exhausted", "bad_session", "proxy_error", "internal"]),
    timestamp,
  }),
  z.object({ type: z.literal("session.restriction"), restriction: Restriction.nullable(), timestamp }),
  /** When the number's own phone was last seen. Reported once the phone has been absent for too long. Null when it is back. */
  z.object({ type: z.literal("session.phone"), unseen_since: timestamp.nullable(), timestamp }),
  z.object({
    type: z.literal("session.history"),
    state: z.enum(["running", "paused", "complete"]),
    progress: z.number().nullable(),
    timestamp,
  }),
]);
export type SessionEvent = z.infer<typeof SessionEvent>;

/** The outcome of a send. As an event, it is as durable as all other events (docs/internals/sends.md, "Outcomes"). */
export const SendSettled = z.object({
  type: z.literal("send.settled"),
  message_id: MessageId,
  outcome: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("acknowledged"), timestamp, to_resolved: z.string().nullable(), message: NetworkMessage }),
    /** The network, or a check before sending, refused the message, so it was certainly not sent. */
    z.object({ kind: z.literal("refused"), failure: Failure }),
    z.object({ kind: z.literal("uncertain") }),
    /** Response to a `recall`: this bridge has no record of the send. The write-ahead row shows whether the message may have been sent. */
    z.object({ kind: z.literal("unknown") }),
  ]),
});
export type SendSettled = z.infer<typeof SendSettled>;

export const NetworkEvent = z.discriminatedUnion("type", [
  ...SessionEvent.options,
  SendSettled,
  z.object({ type: z.literal("message.upsert"), origin: MessageOrigin, message: NetworkMessage }),
  z.object({ type: z.literal("message.media"), chat_id: ChatId, message_id: MessageId, media: StoredMedia }),
  z.object({
    type: z.literal("message.status"),
    chat_id: ChatId,
    message_id: MessageId,
    status: ReportedStatus,
    participant: Person.nullable(),
    failure: Failure.optional(),
    timestamp,
  }),
  /** The emoji is "" when the reaction was removed. */
  z.object({
    type: z.literal("message.reaction"),
    chat_id: ChatId,
    message_id: MessageId,
    from_me: z.boolean(),
    sender: Person.nullable(),
    reaction: z.string(),
    timestamp,
  }),
  z.object({
    type: z.literal("message.edited"),
    chat_id: ChatId,
    message_id: MessageId,
    from_me: z.boolean(),
    sender: Person.nullable(),
    text: z.string(),
    timestamp,
  }),
  z.object({
    type: z.literal("message.deleted"),
    chat_id: ChatId,
    message_id: MessageId,
    from_me: z.boolean(),
    author: Person.nullable(),
    by: Person.nullable(),
    timestamp,
  }),
  z.object({ type: z.literal("message.removed"), chat_id: ChatId, message_id: MessageId }),
  z.object({ type: z.literal("message.starred"), chat_id: ChatId, message_id: MessageId, starred: z.boolean() }),
  z.object({
    type: z.literal("poll.vote"),
    chat_id: ChatId,
    message_id: MessageId,
    from_me: z.boolean(),
    voter: Person.nullable(),
    options: z.array(z.string()),
    timestamp,
  }),
  /** Fields that have not changed are absent. */
  z.object({
    type: z.literal("chat.updated"),
    chat_id: ChatId,
    name: z.string().nullable().optional(),
    unread_count: z.number().int().optional(),
    marked_unread: z.boolean().optional(),
    archived: z.boolean().optional(),
    pinned: z.boolean().optional(),
    /** In Unix seconds. -1 means forever, and null means not muted. */
    muted_until: z.number().int().nullable().optional(),
    disappearing_seconds: z.number().int().optional(),
    timestamp: timestamp.optional(),
  }),
  /** All messages up to `through` are deleted, or all messages of the chat if `through` is absent. */
  z.object({ type: z.literal("chat.deleted"), chat_id: ChatId, through: timestamp.optional() }),
  z.object({ type: z.literal("chat.cleared"), chat_id: ChatId }),
  z.object({
    type: z.literal("contact.updated"),
    person: Person,
    name: z.string().nullable().optional(),
    push_name: z.string().nullable().optional(),
    verified_name: z.string().nullable().optional(),
    is_business: z.boolean().optional(),
    is_blocked: z.boolean().optional(),
    /** True if the owner saved the contact, false if the owner removed it. Absent if the name was only seen in a message. */
    is_saved: z.boolean().optional(),
    from_history: z.boolean().optional(),
  }),
  /** The phone number of a LID became known, so the chats of both are merged (docs/internals/sessions.md, "LIDs and phone numbers"). */
  z.object({ type: z.literal("lid.mapped"), lid: z.string(), phone: z.string() }),
  z.object({ type: z.literal("group.snapshot"), group: GroupSnapshot }),
  z.object({ type: z.literal("group.removed"), group_id: ChatId }),
  z.object({
    type: z.literal("group.participants"),
    chat_id: ChatId,
    action: z.enum(["join", "leave", "promote", "demote"]),
    participants: z.array(z.object({ person: Person, is_me: z.boolean() })),
    by: Person.nullable(),
    reason: z.enum(["added", "invite_link", "request_approved", "created", "left", "removed"]).nullable(),
    timestamp,
  }),
  z.object({
    type: z.literal("group.updated"),
    chat_id: ChatId,
    by: Person.nullable(),
    changed: z
      .object({
        subject: z.string(),
        description: z.string().nullable(),
        messages_admins_only: z.boolean(),
        info_admins_only: z.boolean(),
        members_can_add: z.boolean(),
        join_approval: z.boolean(),
        disappearing_seconds: z.number().int(),
        picture_changed: z.literal(true),
        invite_link_changed: z.literal(true),
      })
      .partial(),
    timestamp,
  }),
  z.object({
    type: z.literal("call"),
    call_id: z.string(),
    chat_id: ChatId,
    from: Person,
    is_video: z.boolean(),
    is_group: z.boolean(),
    /** `ended` is a call that was neither accepted nor rejected. It is stored, but not delivered to webhooks. */
    status: z.enum(["received", "accepted", "rejected", "ended"]),
    timestamp,
  }),
  z.object({
    type: z.literal("presence"),
    chat_id: ChatId,
    person: Person,
    presence: z.enum(["online", "offline", "typing", "paused", "recording"]),
    last_seen: timestamp.nullable(),
    timestamp,
  }),
  z.object({
    type: z.literal("label.updated"),
    label_id: z.string(),
    name: z.string(),
    color: z.number().int(),
    predefined: z.boolean(),
    timestamp,
  }),
  z.object({ type: z.literal("label.deleted"), label_id: z.string(), timestamp }),
  z.object({ type: z.literal("label.chat"), label_id: z.string(), chat_id: ChatId, labelled: z.boolean(), timestamp }),
  z.object({
    type: z.literal("label.message"),
    label_id: z.string(),
    chat_id: ChatId,
    message_id: MessageId,
    labelled: z.boolean(),
    timestamp,
  }),
  z.object({
    type: z.literal("channel.updated"),
    channel_id: ChatId,
    name: z.string().optional(),
    description: z.string().nullable().optional(),
    invite_link: z.string().nullable().optional(),
    role: z.enum(["owner", "admin", "subscriber", "guest"]).optional(),
    subscribers: z.number().int().nullable().optional(),
    verified: z.boolean().optional(),
    muted: z.boolean().optional(),
    created_at: timestamp.nullable().optional(),
  }),
  z.object({ type: z.literal("channel.removed"), channel_id: ChatId }),
  /** The quota of new chats, as reported by the network or as shown by its refusal of a new chat. */
  z.object({ type: z.literal("account.new_chat_quota"), quota: NewChatQuota }),
  z.object({ type: z.literal("profile.updated"), name: z.string().nullable().optional() }),
]);
export type NetworkEvent = z.infer<typeof NetworkEvent>;

/** Every bridge gives the same event the same `key`: `message:<chat>:<in|out>:<id>`, …. Null if each repetition is a new event. */
export const KeyedEvent = z.object({
  key: z.string().max(300).nullable(),
  event: NetworkEvent,
  trace: z.string().max(100).optional(),
});
export type KeyedEvent = z.infer<typeof KeyedEvent>;
