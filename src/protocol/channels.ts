import * as z from "zod";
import { ChatId, MessageId } from "./ids.ts";
import { NetworkMessage } from "./message.ts";

/** `role` and `muted` apply to this number. `created_at` is in Unix seconds. */
export const NetworkChannel = z.object({
  channel_id: ChatId,
  name: z.string(),
  description: z.string().nullable(),
  invite_link: z.string().nullable(),
  role: z.enum(["owner", "admin", "subscriber", "guest"]),
  subscribers: z.number().int().nullable(),
  verified: z.boolean(),
  muted: z.boolean(),
  created_at: z.number().int().nullable(),
});
export type NetworkChannel = z.infer<typeof NetworkChannel>;

export const ChannelMessageRecord = NetworkMessage.pick({
  timestamp: true,
  type: true,
  text: true,
  media: true,
  location: true,
  contacts: true,
  poll: true,
  forwarded: true,
}).extend({
  message_id: MessageId,
  channel_id: ChatId,
  server_id: z.number().int(),
  views: z.number().int().nullable(),
  reactions: z.array(z.object({ reaction: z.string(), count: z.number().int() })),
});
export type ChannelMessageRecord = z.infer<typeof ChannelMessageRecord>;
