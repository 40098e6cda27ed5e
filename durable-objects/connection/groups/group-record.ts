import { z } from "zod";
import type { GroupRecord } from "@gateway/protocol/groups.ts";
import { personIn, phoneOf } from "../contacts/person-columns.ts";

export type GroupRow = {
  no: number;
  sort: string;
  group_id: string;
  subject: string;
  description: string | null;
  owner_phone: string | null;
  owner_lid: string | null;
  created_at: number | null;
  messages_admins_only: number;
  info_admins_only: number;
  members_can_add: number;
  join_approval: number;
  disappearing_seconds: number;
  community_id: string | null;
  is_announcement_group: number;
  size: number;
  my_role: string;
  invite_link: string | null;
};
export type ParticipantRow = { phone: string | null; lid: string | null; role: string; name: string | null };

/** SQL: the columns of `GroupRow` from `groups g`. */
export const GROUP_COLUMNS = `g.no, g.sort, g.group_id, g.subject, g.description, ${phoneOf("g", "owner_phone", "owner_lid")} AS owner_phone, g.owner_lid,
  g.created_at, g.messages_admins_only, g.info_admins_only, g.members_can_add, g.join_approval, g.disappearing_seconds, g.community_id,
  g.is_announcement_group, g.size, g.my_role, g.invite_link`;

const MyRole = z.enum(["member", "admin", "superadmin", "none"]);
const Role = z.enum(["member", "admin", "superadmin"]);

export function groupRecordOf(row: GroupRow): GroupRecord {
  return {
    group_id: row.group_id,
    subject: row.subject,
    description: row.description,
    owner: personIn(row.owner_phone, row.owner_lid),
    created_at: row.created_at === null ? null : row.created_at * 1000,
    size: row.size,
    my_role: MyRole.parse(row.my_role),
    settings: {
      messages_admins_only: row.messages_admins_only === 1,
      info_admins_only: row.info_admins_only === 1,
      members_can_add: row.members_can_add === 1,
      join_approval: row.join_approval === 1,
      disappearing_seconds: row.disappearing_seconds,
    },
    invite_link: row.invite_link,
    community_id: row.community_id,
    is_announcement_group: row.is_announcement_group === 1,
  };
}

export function participantsOf(rows: readonly ParticipantRow[]): NonNullable<GroupRecord["participants"]> {
  return rows.map(({ phone, lid, role, name }) => ({ person: { phone, lid }, name, role: Role.parse(role) }));
}
