// The data of events about the connection itself, and about the people on its other end: calls, presence, labels.
import { z } from "@hono/zod-openapi";
import { STATUS_REASONS } from "@gateway/domain/instance/state.ts";
import { banInEvent } from "#root/src/http/number-health-fields.ts";
import { chatId, connectionStatus, happenedAt, isGroup, isoTime, phoneOrNull, timestamp } from "./fields.ts";

export const instanceStatus = z.strictObject({
  status: connectionStatus("What the connection is now"),
  previous_status: connectionStatus("What it was before"),
  reason: z.enum(STATUS_REASONS).openapi({ description: "Why" }),
  restriction: z
    .strictObject({
      type: z.literal("new_chats_blocked").openapi({ description: "Messages to people who have not written before are refused" }),
      enforcement: z.string().openapi({ description: "The network's own name of the measure" }),
      ends_at: isoTime("When it ends, as far as the network has said").nullable(),
      detected_at: isoTime("When it was noticed"),
    })
    .nullable()
    .openapi({ description: "What the network does not let the number do at present, or null" }),
  ban: banInEvent,
  phone: phoneOrNull("Phone number of the connection; null while none is paired"),
  timestamp: happenedAt,
});

export const call = z.strictObject({
  call_id: z.string().min(1).openapi({ description: "Id of the call: what `/calls/reject` takes" }),
  chat_id: chatId,
  from: phoneOrNull("Phone number of the caller; null when unknown"),
  is_video: z.boolean().openapi({ description: "Whether it is a video call" }),
  is_group: isGroup,
  status: z
    .enum(["received", "accepted", "rejected"])
    .openapi({ description: "`received`: it rings; `accepted` and `rejected`: on another device of the number" }),
  timestamp: happenedAt,
});

export const presence = z.strictObject({
  chat_id: chatId,
  phone: phoneOrNull("Phone number of the person; null when unknown"),
  is_group: isGroup,
  presence: z
    .enum(["online", "offline", "typing", "paused", "recording"])
    .openapi({ description: "`paused`: stopped typing or recording" }),
  last_seen: timestamp("Unix seconds: when the person was last online, if they show it").nullable(),
  timestamp: happenedAt,
});

const labelId = z.string().regex(/^\d+$/).openapi({ description: "Id of the label" });
const labelName = z.string().openapi({ description: "Name of the label" });

export const labelUpdated = z.strictObject({
  label_id: labelId,
  name: labelName,
  color: z.int().min(0).max(19).openapi({ description: "Number of the colour, 0 to 19" }),
  color_hex: z
    .string()
    .regex(/^#[0-9a-f]{6}$/)
    .nullable()
    .openapi({ description: "The colour as the network's apps show it" }),
  timestamp: happenedAt,
});

const formerName = labelName.nullable().openapi({ description: "Name of the label; null when unknown" });

export const labelDeleted = z.strictObject({ label_id: labelId, name: formerName, timestamp: happenedAt });

export const labelledChat = z.strictObject({
  label_id: labelId,
  name: formerName,
  chat_id: chatId,
  phone: phoneOrNull("Phone number of the chat's other side; null in a group and when unknown"),
  timestamp: happenedAt,
});

export const webhookTest = z.strictObject({
  message: z.string().min(1).openapi({ description: "A sentence for people" }),
  timestamp: happenedAt,
});
