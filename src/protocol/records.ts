// Stored records as both APIs render them. `*_at` is in Unix ms, `timestamp` in Unix seconds. People are never plain digits.
import * as z from "zod";
import { AssistantPolicy } from "./assistant.ts";
import { CALLER_KINDS, INSTANCE_STATUSES } from "./connection.ts";
import { NewChatQuota, Restriction } from "./events.ts";
import { Failure } from "./failures.ts";
import { ChatId, Person } from "./ids.ts";
import { NetworkMessage, StoredMedia } from "./message.ts";
import { ConnectionKind } from "./operations/row.ts";

export const MESSAGE_STATUSES = ["pending", "sent", "delivered", "read", "played", "failed"] as const;
export const MessageStatus = z.enum(MESSAGE_STATUSES);

/** `status`, `source` and `reference` are null for messages sent by other people. */
export const MessageRecord = NetworkMessage.omit({ raw: true }).extend({
  recipient: Person.nullable(),
  status: MessageStatus.nullable(),
  failure: Failure.nullable(),
  source: z.enum(["api", "dashboard", "phone"]).nullable(),
  reference: z.string().nullable(),
  starred: z.boolean(),
  reactions: z.array(z.object({ from_me: z.boolean(), sender: Person.nullable(), reaction: z.string(), timestamp: z.number().int() })),
  edited_at: z.number().int().nullable(),
  deleted_at: z.number().int().nullable(),
  timeline: z.object({
    accepted_at: z.number().int().nullable(),
    delivered_at: z.number().int().nullable(),
    read_at: z.number().int().nullable(),
    played_at: z.number().int().nullable(),
  }),
  receipts: z
    .array(
      z.object({
        participant: Person,
        delivered_at: z.number().int().nullable(),
        read_at: z.number().int().nullable(),
        played_at: z.number().int().nullable(),
      }),
    )
    .optional(),
});
export type MessageRecord = z.infer<typeof MessageRecord>;

export const ChatRecord = z.object({
  chat_id: ChatId,
  kind: z.enum(["direct", "group", "channel", "status"]),
  name: z.string().nullable(),
  person: Person.nullable(),
  unread_count: z.number().int(),
  marked_unread: z.boolean(),
  archived: z.boolean(),
  pinned: z.boolean(),
  muted_until: z.number().int().nullable(),
  disappearing_seconds: z.number().int(),
  label_ids: z.array(z.string()),
  picture: StoredMedia.nullable(),
  last_message: z
    .object({
      message_id: z.string(),
      from_me: z.boolean(),
      push_name: z.string().nullable(),
      type: z.string(),
      text: z.string().nullable(),
      filename: z.string().nullable(),
      deleted: z.boolean(),
      timestamp: z.number().int(),
    })
    .nullable(),
  updated_at: z.number().int(),
});
export type ChatRecord = z.infer<typeof ChatRecord>;

export const ContactRecord = z.object({
  contact_id: ChatId,
  person: Person,
  name: z.string().nullable(),
  push_name: z.string().nullable(),
  verified_name: z.string().nullable(),
  is_saved: z.boolean(),
  is_business: z.boolean(),
  is_blocked: z.boolean(),
  picture: StoredMedia.nullable(),
  updated_at: z.number().int(),
});
export type ContactRecord = z.infer<typeof ContactRecord>;

export const LabelRecord = z.object({
  label_id: z.string(),
  name: z.string(),
  color: z.number().int(),
  predefined: z.boolean(),
  chats_count: z.number().int(),
});
export type LabelRecord = z.infer<typeof LabelRecord>;

export const CallRecord = z.object({
  call_id: z.string(),
  chat_id: ChatId,
  from: Person,
  is_video: z.boolean(),
  is_group: z.boolean(),
  status: z.enum(["received", "accepted", "rejected", "missed"]),
  timestamp: z.number().int(),
});
export type CallRecord = z.infer<typeof CallRecord>;

/** `muted` is what the owner set. `created_at` is in Unix ms. */
export const ChannelRecord = z.object({
  channel_id: ChatId,
  name: z.string().nullable(),
  description: z.string().nullable(),
  invite_link: z.string().nullable(),
  role: z.enum(["owner", "admin", "subscriber", "guest"]),
  subscribers: z.number().int().nullable(),
  verified: z.boolean(),
  muted: z.boolean(),
  picture: StoredMedia.nullable(),
  created_at: z.number().int().nullable(),
});
export type ChannelRecord = z.infer<typeof ChannelRecord>;

/** Another person's status post, which is deleted 24 hours after `timestamp`. `background` is ARGB. */
export const StatusPostRecord = z.object({
  message_id: z.string(),
  sender: Person.nullable(),
  push_name: z.string().nullable(),
  type: z.string(),
  text: z.string().nullable(),
  media: StoredMedia.nullable(),
  background: z.number().int().nullable(),
  timestamp: z.number().int(),
  expires_at: z.number().int(),
});
export type StatusPostRecord = z.infer<typeof StatusPostRecord>;

const PresenceState = z.enum(["online", "offline", "typing", "recording", "unknown"]);
/** `last_seen` is in Unix seconds. Only groups have `participants`. */
export const PresenceRecord = z.object({
  chat_id: ChatId,
  presence: PresenceState,
  last_seen: z.number().int().nullable(),
  participants: z.array(z.object({ person: Person, presence: PresenceState })),
  updated_at: z.number().int().nullable(),
  subscribed: z.boolean(),
});
export type PresenceRecord = z.infer<typeof PresenceRecord>;

export const InstanceRecord = z.object({
  id: z.number().int(),
  uuid: z.string(),
  owner_id: z.string(),
  name: z.string(),
  kind: ConnectionKind,
  phone: z.string().nullable(),
  /** The phone that was paired last. It stays known after a logout. */
  last_phone: z.string().nullable(),
  status: z.enum(INSTANCE_STATUSES),
  status_reason: z.string(),
  status_changed_at: z.number().int(),
  profile_name: z.string().nullable(),
  platform: z.string().nullable(),
  is_business: z.boolean().nullable(),
  restriction: Restriction.nullable(),
  ban: z.object({ code: z.number().int().nullable(), ends_at: z.number().int().nullable() }).nullable(),
  new_chat_quota: NewChatQuota.nullable(),
  qr_expires_at: z.number().int().nullable(),
  reconnect: z.object({ attempt: z.number().int(), next_at: z.number().int() }).nullable(),
  last_connected_at: z.number().int().nullable(),
  last_disconnected_at: z.number().int().nullable(),
  last_inbound_at: z.number().int().nullable(),
  subscription: z.object({ status: z.string(), current_period_end: z.string().nullable() }).nullable(),
});
export type InstanceRecord = z.infer<typeof InstanceRecord>;

export const KeyRecord = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  created_at: z.number().int(),
  last_used_at: z.number().int().nullable(),
  /** Absent or null means all scopes of a connection key. Objects from earlier releases omit these fields. */
  scopes: z.array(z.string()).nullish(),
  /** Addresses and blocks from which the key works. Null means any address. */
  allowed_ips: z.array(z.string()).nullish(),
  /** Address of the last call that was refused because its address was not allowed. */
  refused_ip: z.string().nullish(),
  refused_at: z.number().int().nullish(),
  assistant: AssistantPolicy.nullish(),
});
export const WebhookRecord = z.object({
  url: z.string(),
  events: z.array(z.string()),
  status: z.enum(["active", "disabled"]),
  disabled_at: z.number().int().nullable(),
  last_success_at: z.number().int().nullable(),
  created_at: z.number().int(),
});
export const WebhookFacts = WebhookRecord.extend({
  /** When the current series of failed attempts began (Unix ms). */
  failing_since: z.number().int().nullable(),
  disables_at: z.number().int().nullable(),
  previous_secret_until: z.number().int().nullable(),
  /** True if the webhook is disabled and a test has succeeded since. */
  can_reactivate: z.boolean(),
  new_events: z.array(z.string()),
});
export type WebhookFacts = z.infer<typeof WebhookFacts>;
export const DeliveryRecord = z.object({
  id: z.string(),
  event: z.string(),
  status: z.enum(["pending", "delivered", "failed", "skipped"]),
  http_status: z.number().int().nullable(),
  attempts: z.number().int(),
  created_at: z.number().int(),
  delivered_at: z.number().int().nullable(),
  next_attempt_at: z.number().int().nullable(),
  last_error: z.string().nullable(),
});
export type DeliveryRecord = z.infer<typeof DeliveryRecord>;

/** `request_body` is null once it is no longer stored. `attempt_log` lists the oldest attempt first, and `at` is when an attempt ended. */
export const DeliveryDetail = DeliveryRecord.extend({
  request_body: z.string().nullable(),
  attempt_log: z.array(
    z.object({ at: z.number().int(), http_status: z.number().int().nullable(), latency_ms: z.number(), error: z.string().nullable() }),
  ),
});
export type DeliveryDetail = z.infer<typeof DeliveryDetail>;

/** Newest first. `before` is a delivery's `place` (exclusive) or a time (Unix ms). A null `status` means any status. */
export const DeliveryQuery = z.object({
  status: z.array(DeliveryRecord.shape.status).nullable().default(null),
  event: z.string().nullable().default(null),
  limit: z.number().int().min(1).max(100),
  before: z
    .union([z.object({ place: z.number().int() }), z.object({ at: z.number().int(), inclusive: z.boolean() })])
    .nullable()
    .default(null),
});
/** `place` orders a receiver's deliveries by time. */
export const DeliveryPage = z.object({
  items: z.array(DeliveryRecord.extend({ place: z.number().int() })),
  more: z.boolean(),
});

export const WebhookTestResult = z.object({
  http_status: z.number().int().nullable(),
  latency_ms: z.number(),
  error: z.string().nullable(),
});

export const HistoryProgress = z.object({ state: z.enum(["idle", "running", "paused", "complete"]), progress: z.number().nullable() });
export type HistoryProgress = z.infer<typeof HistoryProgress>;

export const HistorySyncRecord = HistoryProgress.extend({ chats: z.number().int(), messages: z.number().int() });
export type HistorySyncRecord = z.infer<typeof HistorySyncRecord>;

export const OwnPresence = z.enum(["online", "offline"]);
export type OwnPresence = z.infer<typeof OwnPresence>;

/** The hour that starts at `at` (Unix ms). The `minutes` add up to less than 60 if the status was unknown for a while. */
export const ActivityHour = z.object({
  at: z.number().int(),
  minutes: z.record(z.enum(INSTANCE_STATUSES), z.number()),
  sent: z.number().int(),
  received: z.number().int(),
  failed: z.number().int(),
  delivered: z.number().int(),
});
export type ActivityHour = z.infer<typeof ActivityHour>;

/** One entry of the request log. It contains no bodies and no phone numbers (docs/internals/requests.md, "Request log"). */
export const RequestRecord = z.object({
  id: z.string(),
  at: z.number().int(),
  method: z.string(),
  route: z.string(),
  status: z.number().int(),
  code: z.string().nullable(),
  caller: z.object({ kind: z.enum(CALLER_KINDS), key_id: z.string().nullable(), name: z.string().nullable() }),
  ms: z.number().int(),
  replayed: z.boolean(),
});
export type RequestRecord = z.infer<typeof RequestRecord>;

/** Requests that were refused for the same reason on the same route. `last` is the id of the newest one. */
export const RefusalGroup = z.object({
  method: z.string(),
  route: z.string(),
  status: z.number().int(),
  code: z.string().nullable(),
  count: z.number().int(),
  last_at: z.number().int(),
  last: z.string(),
});
export type RefusalGroup = z.infer<typeof RefusalGroup>;
