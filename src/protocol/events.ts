// Events of the network, as the bridge reports them to the Connection object.
import { z } from "zod";
import { Failure } from "./failures.ts";
import { GroupSnapshot } from "./groups.ts";
import { ChatId, MessageId, Person } from "./ids.ts";
import { PasskeyOptions } from "./bridge/passkey.ts";
import { DeliveryStatus, NetworkMessage, StoredMedia } from "./message.ts";

const timestamp = z.number().int(); // Unix seconds, when it happened

/** How a message was received; history never becomes a webhook (docs/internals/durability.md, "History"). */
export const MessageOrigin = z.enum(["live", "offline", "own_device", "history"]);
export type MessageOrigin = z.infer<typeof MessageOrigin>;

export const Restriction = z.object({
  type: z.literal("new_chats_blocked"),
  enforcement: z.string(),
  ends_at: timestamp.nullable(),
  detected_at: timestamp,
});
export type Restriction = z.infer<typeof Restriction>;

/** What the network says of a temporary ban: why, in its own numbers, and until when. */
export const Ban = z.object({ code: z.number().int().nullable(), ends_at: timestamp.nullable() });
export type Ban = z.infer<typeof Ban>;

/** How the network closed the session; `code` as in docs/internals/durability.md, "How network sockets close" (0 = proxy, or no code at all). */
const closed = z.object({
  type: z.literal("session.closed"),
  code: z.number().int(),
  /** 408 has three meanings: the QR codes ran out (`qr_timeout`), the account's passkey was not used in time, or the link was lost. */
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
  /** Of `client_outdated`: the bridge keeps the session, and opens it again when it has another version. Absent: of an earlier release. */
  waits: z.literal(true).optional(),
  /** Of `temporarily_banned`. Absent: of an earlier release. */
  ban: Ban.optional(),
  timestamp,
});

/**
 * Events of the session itself. They have no dedupe key: the object's state machine (docs/internals/architecture.md, "Statuses of an instance")
 * decides what changes.
 */
export const SessionEvent = z.discriminatedUnion("type", [
  /** A QR code to scan. `code`: the pairing code that was given out is worth nothing any more; absent from older bridges. */
  z.object({
    type: z.literal("session.qr"),
    raw: z.string(),
    expires_at: timestamp,
    attempt: z.number().int().positive(),
    code: z.literal("refused").optional(),
    timestamp,
  }),
  /** The account wants a passkey before it is linked; only where the settings of the session allow that. */
  z.object({ type: z.literal("session.passkey"), options: PasskeyOptions, expires_at: timestamp, timestamp }),
  /** The phone linked the session; the socket reconnects to log in. */
  z.object({ type: z.literal("session.paired"), phone: z.string(), platform: z.string().nullable(), is_business: z.boolean(), timestamp }),
  /** Logged in. */
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
  /** The bridge will reconnect at `next_at`. */
  z.object({ type: z.literal("session.reconnecting"), attempt: z.number().int().positive(), next_at: timestamp, timestamp }),
  /** The bridge has stopped reconnecting. */
  z.object({
    type: z.literal("session.gave_up"),
    reason: z.enum(["reconnect_exhausted", "bad_session", "proxy_error", "internal"]),
    timestamp,
  }),
  /** The network restricts the number; null: no longer. */
  z.object({ type: z.literal("session.restriction"), restriction: Restriction.nullable(), timestamp }),
  /** Since when nothing was heard of the number's own phone, which is long and no matter of chance; null: it is there again. */
  z.object({ type: z.literal("session.phone"), unseen_since: timestamp.nullable(), timestamp }),
  /** Progress of the history sync. */
  z.object({
    type: z.literal("session.history"),
    state: z.enum(["running", "paused", "complete"]),
    progress: z.number().nullable(),
    timestamp,
  }),
]);
export type SessionEvent = z.infer<typeof SessionEvent>;

/** The outcome of a send. It is an event, so that it is as durable as all others (docs/internals/durability.md, "Sends"). */
export const SendSettled = z.object({
  type: z.literal("send.settled"),
  message_id: MessageId,
  outcome: z.discriminatedUnion("kind", [
    /** The network acknowledged it; `timestamp` is the network's. `message` is the message as sent. */
    z.object({ kind: z.literal("acknowledged"), timestamp, to_resolved: z.string().nullable(), message: NetworkMessage }),
    /** The network, or a check before sending, refused it: it was certainly not sent. */
    z.object({ kind: z.literal("refused"), failure: Failure }),
    /** It was sent, and not acknowledged. */
    z.object({ kind: z.literal("uncertain") }),
    /** This bridge has no record of it (answer to a `recall`); the write-ahead row shows whether it may have been sent. */
    z.object({ kind: z.literal("unknown") }),
  ]),
});
export type SendSettled = z.infer<typeof SendSettled>;

export const NetworkEvent = z.discriminatedUnion("type", [
  ...SessionEvent.options,
  SendSettled,
  /** A message was received, or sent from another device. */
  z.object({ type: z.literal("message.upsert"), origin: MessageOrigin, message: NetworkMessage }),
  /** The file of a message was stored after the message had been reported. */
  z.object({ type: z.literal("message.media"), chat_id: ChatId, message_id: MessageId, media: StoredMedia }),
  /** A sent message was delivered, read, played, or failed. */
  z.object({
    type: z.literal("message.status"),
    chat_id: ChatId,
    message_id: MessageId,
    status: DeliveryStatus,
    /** In groups: whose device reported it. */
    participant: Person.nullable(),
    failure: Failure.optional(),
    timestamp,
  }),
  /** A reaction was added; empty: removed. */
  z.object({
    type: z.literal("message.reaction"),
    chat_id: ChatId,
    message_id: MessageId,
    from_me: z.boolean(),
    sender: Person.nullable(),
    reaction: z.string(),
    timestamp,
  }),
  /** A message was edited; `text` is the new text. */
  z.object({
    type: z.literal("message.edited"),
    chat_id: ChatId,
    message_id: MessageId,
    from_me: z.boolean(),
    sender: Person.nullable(),
    text: z.string(),
    timestamp,
  }),
  /** A message was deleted for everyone. */
  z.object({
    type: z.literal("message.deleted"),
    chat_id: ChatId,
    message_id: MessageId,
    from_me: z.boolean(),
    author: Person.nullable(),
    by: Person.nullable(),
    timestamp,
  }),
  /** Deleted on the owner's devices only. */
  z.object({ type: z.literal("message.removed"), chat_id: ChatId, message_id: MessageId }),
  /** A message was starred or unstarred on a device of the owner. */
  z.object({ type: z.literal("message.starred"), chat_id: ChatId, message_id: MessageId, starred: z.boolean() }),
  /** Somebody voted; `options` are all options chosen now. */
  z.object({
    type: z.literal("poll.vote"),
    chat_id: ChatId,
    message_id: MessageId,
    from_me: z.boolean(),
    voter: Person.nullable(),
    options: z.array(z.string()),
    timestamp,
  }),
  /** Properties of a chat changed; absent ones did not. */
  z.object({
    type: z.literal("chat.updated"),
    chat_id: ChatId,
    name: z.string().nullable().optional(),
    unread_count: z.number().int().optional(),
    marked_unread: z.boolean().optional(),
    archived: z.boolean().optional(),
    pinned: z.boolean().optional(),
    /** Unix seconds; -1 = always; null = not muted. */
    muted_until: z.number().int().nullable().optional(),
    disappearing_seconds: z.number().int().optional(),
    timestamp: timestamp.optional(),
  }),
  /** A chat was deleted on the owner's devices, with its messages up to `through`; newer ones keep it. Absent: with all of them. */
  z.object({ type: z.literal("chat.deleted"), chat_id: ChatId, through: timestamp.optional() }),
  /** All messages of a chat were deleted on the owner's devices. */
  z.object({ type: z.literal("chat.cleared"), chat_id: ChatId }),
  /** Facts about a person changed; absent ones did not. */
  z.object({
    type: z.literal("contact.updated"),
    person: Person,
    name: z.string().nullable().optional(),
    push_name: z.string().nullable().optional(),
    verified_name: z.string().nullable().optional(),
    is_business: z.boolean().optional(),
    is_blocked: z.boolean().optional(),
    /** true when the owner saved it, false when removed; absent for names that were only seen. */
    is_saved: z.boolean().optional(),
    from_history: z.boolean().optional(),
  }),
  /** The phone number of a LID became known: their chats are merged (docs/internals/durability.md, "Who is behind a LID"). */
  z.object({ type: z.literal("lid.mapped"), lid: z.string(), phone: z.string() }),
  /** The full current state of a group. */
  z.object({ type: z.literal("group.snapshot"), group: GroupSnapshot }),
  /** The number is no longer in the group. */
  z.object({ type: z.literal("group.removed"), group_id: ChatId }),
  /** Participants joined, left, were promoted or demoted. */
  z.object({
    type: z.literal("group.participants"),
    chat_id: ChatId,
    action: z.enum(["join", "leave", "promote", "demote"]),
    participants: z.array(z.object({ person: Person, is_me: z.boolean() })),
    by: Person.nullable(),
    reason: z.enum(["added", "invite_link", "request_approved", "created", "left", "removed"]).nullable(),
    timestamp,
  }),
  /** Name, description, settings, picture or invite link of a group changed. */
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
  /** A call came in, or was answered, rejected or ended. */
  z.object({
    type: z.literal("call"),
    call_id: z.string(),
    chat_id: ChatId,
    from: Person,
    is_video: z.boolean(),
    is_group: z.boolean(),
    /** `ended` closes a call that was neither accepted nor rejected; it is stored, not delivered. */
    status: z.enum(["received", "accepted", "rejected", "ended"]),
    timestamp,
  }),
  /** The presence of a person in a subscribed chat. */
  z.object({
    type: z.literal("presence"),
    chat_id: ChatId,
    person: Person,
    presence: z.enum(["online", "offline", "typing", "paused", "recording"]),
    last_seen: timestamp.nullable(),
    timestamp,
  }),
  /** A label was created or edited. */
  z.object({
    type: z.literal("label.updated"),
    label_id: z.string(),
    name: z.string(),
    color: z.number().int(),
    predefined: z.boolean(),
    timestamp,
  }),
  /** A label was deleted. */
  z.object({ type: z.literal("label.deleted"), label_id: z.string(), timestamp }),
  /** A label was added to or removed from a chat. */
  z.object({ type: z.literal("label.chat"), label_id: z.string(), chat_id: ChatId, labelled: z.boolean(), timestamp }),
  /** A label was added to or removed from a message. */
  z.object({
    type: z.literal("label.message"),
    label_id: z.string(),
    chat_id: ChatId,
    message_id: MessageId,
    labelled: z.boolean(),
    timestamp,
  }),
  /** Facts about a channel changed; absent ones did not. */
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
  /** The number no longer follows the channel. */
  z.object({ type: z.literal("channel.removed"), channel_id: ChatId }),
  /** The number's own profile changed. */
  z.object({ type: z.literal("profile.updated"), name: z.string().nullable().optional() }),
]);
export type NetworkEvent = z.infer<typeof NetworkEvent>;

/**
 * An event with its dedupe key: one fact has one key, whichever bridge reports it (`message:<chat>:<in|out>:<id>`,
 * `status:<id>:<status>:<participant>`, …). null where a repetition is a new fact (presence, session events).
 */
export const KeyedEvent = z.object({
  key: z.string().max(300).nullable(),
  event: NetworkEvent,
  /** `traceparent` of the span that reports it; absent: it is not traced. */
  trace: z.string().max(100).optional(),
});
export type KeyedEvent = z.infer<typeof KeyedEvent>;
