// The data of events about instances, groups and contacts.
import { z } from "@hono/zod-openapi";
import { STATUS_REASONS } from "@gateway/domain/instance/state.ts";
import { banInEvent } from "#root/src/http/number-health-fields.ts";
import { digits, groupId, happenedAt, instanceId, isoTime, person } from "./fields.ts";

const phoneNumber = digits("Phone number of the instance, digits only");

export const instanceConnected = z.strictObject({
  instance_id: instanceId,
  status: z.literal("connected").openapi({ description: "The status of the instance" }),
  phone_number: phoneNumber,
  profile_name: z.string().nullable().openapi({ description: "Name of the number's profile; null while unknown" }),
});

export const instanceDisconnected = z.strictObject({
  instance_id: instanceId,
  status: z
    .enum(["disconnected", "connecting", "failed"])
    .openapi({ description: "`connecting`: it is being reconnected; `failed`: somebody has to act, unless `will_reconnect`" }),
  reason: z.enum(STATUS_REASONS).openapi({ description: "Why" }),
  phone_number: phoneNumber.nullable(),
  ban: banInEvent,
  will_reconnect: z.boolean().openapi({ description: "Whether the gateway connects it again by itself" }),
  timestamp: happenedAt,
});

export const instanceQr = z.strictObject({
  instance_id: instanceId,
  qr: z
    .string()
    .regex(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/)
    .openapi({ description: "The QR code as a data URL (PNG)" }),
  raw: z.string().min(1).openapi({ description: "The text of the QR code" }),
  expires_at: isoTime("When the code stops working; another one follows"),
  attempt: z.int().positive().openapi({ description: "1 for the first code of this pairing, and so on" }),
});

const membership = {
  group_id: groupId,
  participant: person("Whom it is about; null when the phone number is unknown"),
  by: person("Who did it; null when unknown"),
  is_me: z.boolean().openapi({ description: "Whether it is the number itself" }),
};

export const groupJoined = z.strictObject({
  ...membership,
  reason: z
    .enum(["added", "invite_link", "request_approved", "created"])
    .nullable()
    .openapi({ description: "How they came; null when unknown" }),
});

export const groupLeft = z.strictObject({
  ...membership,
  reason: z.enum(["left", "removed"]).nullable().openapi({ description: "Why they went; null when unknown" }),
});

export const contactCreated = z.strictObject({
  contact_id: z.string().openapi({ description: "Id of the contact's chat" }),
  phone_number: digits("Phone number of the contact, digits only").nullable(),
  name: z.string().nullable().openapi({ description: "The name under which it was saved" }),
  push_name: z.string().nullable().openapi({ description: "The name the contact has given themselves" }),
  source: z.enum(["saved", "detected"]).openapi({ description: "Saved by the owner, or seen for the first time" }),
  timestamp: happenedAt,
});

export const webhookTest = z.strictObject({
  message: z.string().min(1).openapi({ description: "A sentence for people" }),
  timestamp: happenedAt,
});
