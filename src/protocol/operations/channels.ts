// Sends to channels go through `messages.send`.
import * as z from "zod";
import { ChannelMessageRecord } from "../channels.ts";
import { MediaRef, SendContent } from "../content.ts";
import { ChatId, MessageId, Phone } from "../ids.ts";
import { ChannelRecord, StatusPostRecord } from "../records.ts";
import { SESSION_ONLY, nothing, type OperationRow } from "./row.ts";
import { SendResult } from "./messages.ts";

const channel = { channel_id: ChatId };

export const CHANNEL_OPERATIONS = {
  /** Channels that the number follows or administers, limited to those the network has reported. */
  "channels.list": {
    role: "viewer",
    kinds: SESSION_ONLY,
    input: z.object({ role: z.enum(["owner", "admin", "subscriber"]).nullable(), limit: z.number().int().min(1).max(200) }),
    output: z.object({ items: z.array(ChannelRecord) }),
  },
  "channels.create": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ name: z.string(), description: z.string().nullable(), picture: MediaRef.nullable() }),
    output: ChannelRecord,
  },
  "channels.get": {
    role: "viewer",
    kinds: SESSION_ONLY,
    input: z.object({ channel_id: ChatId.nullable(), invite: z.string().nullable() }),
    output: ChannelRecord,
  },
  "channels.change": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ ...channel, name: z.string().nullable(), description: z.string().nullable(), picture: MediaRef.nullable() }),
    output: ChannelRecord,
  },
  "channels.remove": { role: "operator", kinds: SESSION_ONLY, input: z.object(channel), output: nothing },
  "channels.follow": { role: "operator", kinds: SESSION_ONLY, input: z.object({ ...channel, follow: z.boolean() }), output: nothing },
  "channels.mute": { role: "operator", kinds: SESSION_ONLY, input: z.object({ ...channel, muted: z.boolean() }), output: nothing },
  /** Newest first. `before` is an exclusive server id. Files are available if they arrived while the number followed the channel. */
  "channels.messages": {
    role: "viewer",
    kinds: SESSION_ONLY,
    input: z.object({ ...channel, limit: z.number().int().min(1).max(100), before: z.number().int().positive().nullable() }),
    output: z.object({ items: z.array(ChannelMessageRecord) }),
  },
  "channels.react": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ ...channel, server_id: z.number().int().positive(), reaction: z.string() }),
    output: nothing,
  },
} as const satisfies Record<string, OperationRow>;

const POSTED = ["text", "image", "video", "voice"] as const;
const Posted = SendContent.refine(({ kind }) => POSTED.some((one) => one === kind));

export const STATUS_OPERATIONS = {
  /** `background` is ARGB, `font` is 0-9. Null `recipients` means saved contacts. Fails like a send, or with `number_not_on_network`. */
  "statuses.post": {
    role: "operator",
    kinds: SESSION_ONLY,
    resumable: true,
    filesLast: true,
    needsSubscription: true,
    input: z.object({
      content: Posted,
      background: z.number().int().nullable(),
      font: z.number().int().min(0).max(9).nullable(),
      recipients: z.array(Phone).max(2_000).nullable(),
    }),
    output: SendResult,
  },
  "statuses.remove": {
    role: "operator",
    kinds: SESSION_ONLY,
    resumable: true,
    input: z.object({ message_id: MessageId }),
    output: nothing,
  },
  "statuses.received": {
    role: "viewer",
    kinds: SESSION_ONLY,
    input: z.object({ limit: z.number().int().min(1).max(200) }),
    output: z.object({ items: z.array(StatusPostRecord) }),
  },
} as const satisfies Record<string, OperationRow>;
