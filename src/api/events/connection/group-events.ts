// The data of events about groups.
import { z } from "@hono/zod-openapi";
import { groupId, happenedAt, phoneOrNull } from "./fields.ts";

const by = phoneOrNull("Phone number of who did it; null when unknown");

export const groupParticipants = z.strictObject({
  chat_id: groupId,
  action: z.enum(["join", "leave", "promote", "demote"]).openapi({ description: "What happened to the participants" }),
  participants: z
    .array(
      z.strictObject({
        phone: phoneOrNull("Phone number of the participant; null when unknown"),
        is_me: z.boolean().openapi({ description: "Whether it is the number itself" }),
      }),
    )
    .min(1)
    .openapi({ description: "Whom it is about" }),
  by,
  reason: z
    .enum(["added", "invite_link", "request_approved", "left", "removed"])
    .nullable()
    .openapi({ description: "How they came or why they went; null for `promote` and `demote`, and when unknown" }),
  timestamp: happenedAt,
});

const adminsOnly = (what: string) => z.boolean().openapi({ description: `Whether only admins may ${what}` });

export const groupUpdated = z.strictObject({
  chat_id: groupId,
  by,
  changed: z
    .strictObject({
      subject: z.string().openapi({ description: "The new name" }),
      description: z.string().nullable().openapi({ description: "The new description; null when it was removed" }),
      messages_admins_only: adminsOnly("write messages"),
      info_admins_only: adminsOnly("change name, description and picture"),
      members_can_add: z.boolean().openapi({ description: "Whether every member may add others" }),
      join_approval: z.boolean().openapi({ description: "Whether an admin has to let newcomers in" }),
      disappearing_seconds: z.int().min(0).openapi({ description: "After how many seconds messages disappear; 0: never" }),
      picture_changed: z.literal(true).openapi({ description: "The picture was changed or removed" }),
      invite_link_changed: z.literal(true).openapi({ description: "The invitation link was replaced" }),
    })
    .partial()
    .openapi({ description: "Only what changed", minProperties: 1 }),
  timestamp: happenedAt,
});
