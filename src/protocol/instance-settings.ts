// What the owner of an instance may set (catalogue A2, `Settings`).
import { z } from "zod";

const Pacing = z.object({
  min_gap_ms: z.number().int().min(0).max(60_000).default(0),
  new_chats_per_hour: z.number().int().min(0).max(1_000).nullable().default(null),
  reply_only: z.boolean().default(false),
});

export const InstanceSettings = z.object({
  reject_calls: z.boolean().default(false),
  reject_call_message: z.string().max(1_024).nullable().default(null),
  always_online: z.boolean().default(false),
  mark_read_on_receive: z.boolean().default(false),
  ignore_groups: z.boolean().default(false),
  ignore_channels: z.boolean().default(false),
  ignore_status: z.boolean().default(true),
  sync_history: z.enum(["none", "recent", "full"]).default("recent"),
  download_media: z.boolean().default(true),
  media_retention_days: z.number().int().min(1).max(30).default(7),
  device_name: z.string().min(1).max(40).default("Gateway"),
  pacing: Pacing.prefault({}),
});
export type InstanceSettings = z.infer<typeof InstanceSettings>;

/** The settings of an instance whose owner never set any. */
export const DEFAULT_INSTANCE_SETTINGS: InstanceSettings = InstanceSettings.parse({});
