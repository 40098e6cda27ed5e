// Sends to channels go through `messages.send`.
import { z } from "zod";
import { ChannelMessageRecord } from "../channels.ts";
import { MediaRef } from "../content.ts";
import { ChatId } from "../ids.ts";
import { ChannelRecord } from "../records.ts";
import { SESSION_ONLY } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

const channel = { channel_id: ChatId };

export const CHANNEL_OPERATIONS = {
  /** The channels that the number follows or administers, as far as the network has reported them. */
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
  /** Newest first. `before` is a server id, exclusive. Files are available if they arrived while the number followed the channel. */
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
