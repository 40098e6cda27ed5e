import * as z from "zod";
import { ChatId, Person } from "./ids.ts";

const known = {
  group_id: ChatId,
  subject: z.string(),
  description: z.string().nullable(),
  owner: Person.nullable(),
  created_at: z.number().int().nullable(),
  community_id: z.string().nullable(),
  is_announcement_group: z.boolean(),
};

export const GroupRole = z.enum(["member", "admin", "superadmin"]);
export const GroupSettings = z.object({
  messages_admins_only: z.boolean(),
  info_admins_only: z.boolean(),
  members_can_add: z.boolean(),
  join_approval: z.boolean(),
  disappearing_seconds: z.number().int().nonnegative(),
});
/** A group as the network shows it to a member. `created_at` is in Unix seconds. */
export const GroupSnapshot = z.object({
  ...known,
  settings: GroupSettings,
  participants: z.array(z.object({ person: Person, role: GroupRole })),
  /** The number of members, if the network lists only some of them. If absent, `participants` is complete. */
  size: z.number().int().nonnegative().optional(),
});
export type GroupSnapshot = z.infer<typeof GroupSnapshot>;

/** A group as the object stores it. `created_at` is in Unix ms. */
export const GroupRecord = z.object({
  ...known,
  size: z.number().int(),
  my_role: z.enum(["member", "admin", "superadmin", "none"]),
  settings: GroupSettings,
  /** The link as last read from the network. Null if it was never read or has changed since. */
  invite_link: z.string().nullable(),
  participants: z.array(z.object({ person: Person, name: z.string().nullable(), role: GroupRole })).optional(),
});
export type GroupRecord = z.infer<typeof GroupRecord>;

export const GroupRequested = z.object({ request_id: z.string() });
export type GroupRequested = z.infer<typeof GroupRequested>;

/** The group as shown to a non-member who has an invitation. `created_at` is in Unix ms. */
export const GroupPreview = z.object({
  ...known,
  size: z.number().int(),
  join_approval: z.boolean(),
});
export type GroupPreview = z.infer<typeof GroupPreview>;

export const JoinRequest = z.object({
  person: Person,
  method: z.enum(["invite_link", "linked_group_join", "non_admin_add", "unknown"]),
  requested_at: z.number().int().nullable(),
});
export type JoinRequest = z.infer<typeof JoinRequest>;

export const PARTICIPANT_REASONS = [
  "not_admin",
  "privacy",
  "recently_left",
  "already_member",
  "not_member",
  "not_on_network",
  "full",
  "unknown",
] as const;
export const ParticipantResult = z.object({
  person: Person,
  status: z.enum(["ok", "failed"]),
  code: z.number().int().nullable(),
  reason: z.enum(PARTICIPANT_REASONS).nullable(),
});
export type ParticipantResult = z.infer<typeof ParticipantResult>;
