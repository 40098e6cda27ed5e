// All fail `channel_not_found`, and `forbidden` where only the channel's admins may act.
import { z } from "zod";
import { MediaRef } from "../content.ts";
import { ChatId } from "../ids.ts";
import { NetworkChannel, ChannelMessageRecord } from "../channels.ts";
import { StoredPicture } from "../people.ts";
import { type CommandRow, nothing } from "./row.ts";

const channel = { channel_id: ChatId };

export const CHANNEL_COMMANDS = {
  "channels.create": {
    effect: "create",
    input: z.object({ name: z.string(), description: z.string().nullable() }),
    output: NetworkChannel,
  },
  "channels.get": {
    effect: "read",
    input: z.object({ channel_id: ChatId.nullable(), invite: z.string().nullable() }),
    output: z.object({ channel: NetworkChannel, picture: StoredPicture.nullable() }),
  },
  /** Absent fields stay as they are; `description` "" and `picture` null remove. Also fails `media_invalid`, `media_expired`. */
  "channels.update": {
    effect: "change",
    input: z.object({
      ...channel,
      name: z.string().optional(),
      description: z.string().optional(),
      picture: MediaRef.nullable().optional(),
    }),
    output: nothing,
  },
  "channels.remove": { effect: "change", input: z.object(channel), output: nothing },
  "channels.follow": { effect: "change", input: z.object({ ...channel, follow: z.boolean() }), output: nothing },
  "channels.mute": { effect: "change", input: z.object({ ...channel, muted: z.boolean() }), output: nothing },
  /** Newest first. `before` is a server id, exclusive. */
  "channels.messages": {
    effect: "read",
    input: z.object({ ...channel, limit: z.number().int().min(1).max(100), before: z.number().int().positive().nullable() }),
    output: z.object({ items: z.array(ChannelMessageRecord) }),
  },
  "channels.react": {
    effect: "change",
    input: z.object({ ...channel, server_id: z.number().int().positive(), reaction: z.string() }),
    output: nothing,
  },
} as const satisfies Record<string, CommandRow>;
