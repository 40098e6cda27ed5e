// The owner's connection settings (docs/use/apis.md, "Settings and pacing").
import * as z from "zod";
import type { SendContent, SendRequest } from "./content.ts";
import { chatKind } from "./ids.ts";

/** Policy for a first message to a person when the checks advise against sending it (docs/use/reachability.md, "First contacts"). */
export const FIRST_CONTACTS = ["send", "hold", "refuse"] as const;

const pacing = {
  min_gap_ms: z.number().int().min(0).max(60_000),
  new_chats_per_hour: z.number().int().min(0).max(1_000).nullable(),
  reply_only: z.boolean(),
  first_contacts: z.enum(FIRST_CONTACTS),
};

const alerts = {
  stopped: z.boolean(),
  disconnected_minutes: z.number().int().min(5).max(1_440).nullable(),
  webhook_failing_minutes: z.number().int().min(15).max(2_880).nullable(),
  restricted: z.boolean(),
};

const fields = {
  reject_calls: z.boolean(),
  reject_call_message: z.string().max(1_024).nullable(),
  always_online: z.boolean(),
  mark_read_on_receive: z.boolean(),
  ignore_groups: z.boolean(),
  ignore_channels: z.boolean(),
  ignore_status: z.boolean(),
  sync_history: z.enum(["none", "recent", "full"]),
  download_media: z.boolean(),
  media_retention_days: z.number().int().min(1).max(30),
  message_retention_days: z.number().int().min(1).max(3_650).nullable(),
  device_name: z.string().min(1).max(40),
};

export const InstanceSettingsChange = z
  .strictObject({ ...fields, pacing: z.strictObject(pacing).partial(), alerts: z.strictObject(alerts).partial() })
  .partial();
export type InstanceSettingsChange = z.infer<typeof InstanceSettingsChange>;

export const InstanceSettings = z.object({
  reject_calls: fields.reject_calls.default(false),
  reject_call_message: fields.reject_call_message.default(null),
  always_online: fields.always_online.default(false),
  mark_read_on_receive: fields.mark_read_on_receive.default(false),
  ignore_groups: fields.ignore_groups.default(false),
  ignore_channels: fields.ignore_channels.default(false),
  ignore_status: fields.ignore_status.default(true),
  sync_history: fields.sync_history.default("recent"),
  download_media: fields.download_media.default(true),
  media_retention_days: fields.media_retention_days.default(7),
  message_retention_days: fields.message_retention_days.default(null),
  device_name: fields.device_name.default("Gateway"),
  pacing: z
    .object({
      min_gap_ms: pacing.min_gap_ms.default(0),
      new_chats_per_hour: pacing.new_chats_per_hour.default(null),
      reply_only: pacing.reply_only.default(false),
      first_contacts: pacing.first_contacts.default("send"),
    })
    .prefault({}),
  alerts: z
    .object({
      stopped: alerts.stopped.default(true),
      disconnected_minutes: alerts.disconnected_minutes.default(null),
      webhook_failing_minutes: alerts.webhook_failing_minutes.default(null),
      restricted: alerts.restricted.default(false),
    })
    .prefault({}),
});
export type InstanceSettings = z.infer<typeof InstanceSettings>;

export const DEFAULT_INSTANCE_SETTINGS: InstanceSettings = InstanceSettings.parse({});

// Timeouts of sends. Both ends of the session socket use them, so that they give up at the same time.

/** `sharedMs` is for groups and the status feed, where a first message needs sessions with every member's devices. */
export type SendTimeouts = { textMs: number; sharedMs: number; mediaMs: number };

/** Time from the request to the network's acknowledgement, including the upload of a file (docs/use/apis.md, "Sending"). */
export const SEND_TIMEOUTS: SendTimeouts = { textMs: 10_000, sharedMs: 30_000, mediaMs: 60_000 };

export function sendTimeoutMs({ chat_id, content, typing_ms }: SendRequest, timeouts: SendTimeouts = SEND_TIMEOUTS): number {
  if (hasFile(content)) return typing_ms + timeouts.mediaMs;
  const kind = chatKind(chat_id);
  return typing_ms + (kind === "group" || kind === "status" ? timeouts.sharedMs : timeouts.textMs);
}

export function hasFile(content: SendContent): boolean {
  if (content.kind === "buttons") return content.header !== null && typeof content.header !== "string";
  return "media" in content || (content.kind === "text" && content.preview?.image != null);
}
