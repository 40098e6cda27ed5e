// Owns the tables of groups and their members. It never calls the network: a read or an event brings each fact (`read-group.ts`).
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { GroupRecord, GroupSnapshot } from "@gateway/protocol/groups.ts";
import { type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { type ChatId, chatIdOf, type Person } from "@gateway/protocol/ids.ts";
import { Conditions, nameMatch, nameKey, PAGE_LIMIT, type Page, pageOf, startByName } from "../store/pagination.ts";
import { phoneOf, personIn } from "../contacts/lids.ts";
import * as z from "zod";
import { countRows } from "../../shared/read-number.ts";

// `read_at` is when a full snapshot of the group was last read. Since then, events keep the row current.
export const GROUP_SCHEMA = `
  CREATE TABLE groups (
    no INTEGER PRIMARY KEY, group_id TEXT NOT NULL UNIQUE, subject TEXT NOT NULL DEFAULT '', description TEXT,
    owner_phone TEXT, owner_lid TEXT, created_at INTEGER,
    messages_admins_only INTEGER NOT NULL DEFAULT 0, info_admins_only INTEGER NOT NULL DEFAULT 0,
    members_can_add INTEGER NOT NULL DEFAULT 0, join_approval INTEGER NOT NULL DEFAULT 0, disappearing_seconds INTEGER NOT NULL DEFAULT 0,
    community_id TEXT, is_announcement_group INTEGER NOT NULL DEFAULT 0,
    size INTEGER NOT NULL DEFAULT 0, my_role TEXT NOT NULL DEFAULT 'none', picture TEXT,
    sort TEXT GENERATED ALWAYS AS (lower(subject)) VIRTUAL,
    place INTEGER GENERATED ALWAYS AS (no) VIRTUAL,
    read_at INTEGER, invite_link TEXT
  );
  CREATE INDEX groups_in_order ON groups (sort, place);
  CREATE VIRTUAL TABLE group_names USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1');
  CREATE TRIGGER group_created AFTER INSERT ON groups BEGIN INSERT INTO group_names (rowid, text) VALUES (NEW.no, NEW.subject); END;
  CREATE TRIGGER group_renamed AFTER UPDATE OF subject ON groups WHEN NEW.subject <> OLD.subject BEGIN
    INSERT OR REPLACE INTO group_names (rowid, text) VALUES (NEW.no, NEW.subject);
  END;
  CREATE TRIGGER group_removed AFTER DELETE ON groups BEGIN DELETE FROM group_names WHERE rowid = OLD.no; END;
  CREATE TABLE participants (
    group_id TEXT NOT NULL, who TEXT NOT NULL, phone TEXT, lid TEXT, role TEXT NOT NULL, PRIMARY KEY (group_id, who)
  ) WITHOUT ROWID;
  CREATE INDEX participants_of_person ON participants (who);`;

export type GroupChange = Extract<NetworkEvent, { type: "group.updated" }>["changed"];
export type MembersChange = Pick<Extract<NetworkEvent, { type: "group.participants" }>, "chat_id" | "action" | "participants">;
export type GroupsQuery = { limit: number; cursor: string | null; q: string | null };

type Self = { phone: string; lid: string | null };

export class Groups {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  replace(group: GroupSnapshot, now: number): void {
    const { settings, owner } = group;
    const self = this.#self();
    const me = group.participants.find(({ person }) => self !== null && isSelf(self, person));
    this.#sql.exec(
      `INSERT INTO groups (group_id, subject, description, owner_phone, owner_lid, created_at, messages_admins_only, info_admins_only,
         members_can_add, join_approval, disappearing_seconds, community_id, is_announcement_group, size, my_role, read_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
       ON CONFLICT (group_id) DO UPDATE SET subject = ?2, description = ?3, owner_phone = ?4, owner_lid = ?5, created_at = ?6,
         messages_admins_only = ?7, info_admins_only = ?8, members_can_add = ?9, join_approval = ?10, disappearing_seconds = ?11,
         community_id = ?12, is_announcement_group = ?13, size = ?14, my_role = ?15,
         read_at = ?16`,
      group.group_id,
      group.subject,
      group.description,
      owner?.phone ?? null,
      owner?.lid ?? null,
      group.created_at,
      Number(settings.messages_admins_only),
      Number(settings.info_admins_only),
      Number(settings.members_can_add),
      Number(settings.join_approval),
      settings.disappearing_seconds,
      group.community_id,
      Number(group.is_announcement_group),
      group.size ?? group.participants.length,
      // A list of participants without this number still proves membership, because the network shows even a partial list only to members.
      me?.role ?? (group.size === undefined ? "none" : "member"),
      now,
    );
    this.#sql.exec("DELETE FROM participants WHERE group_id = ?", group.group_id);
    for (const { person, role } of group.participants) this.#put(group.group_id, person, role);
  }

  change(groupId: ChatId, changed: GroupChange): void {
    const flag = (value: boolean | undefined): number | null => (value === undefined ? null : Number(value));
    this.#sql.exec(
      `UPDATE groups SET subject = COALESCE(?2, subject), description = CASE WHEN ?3 THEN ?4 ELSE description END,
         messages_admins_only = COALESCE(?5, messages_admins_only), info_admins_only = COALESCE(?6, info_admins_only),
         members_can_add = COALESCE(?7, members_can_add), join_approval = COALESCE(?8, join_approval),
         disappearing_seconds = COALESCE(?9, disappearing_seconds), picture = CASE WHEN ?10 THEN NULL ELSE picture END,
         invite_link = CASE WHEN ?11 THEN NULL ELSE invite_link END WHERE group_id = ?1`,
      groupId,
      changed.subject ?? null,
      changed.description === undefined ? 0 : 1,
      changed.description ?? null,
      flag(changed.messages_admins_only),
      flag(changed.info_admins_only),
      flag(changed.members_can_add),
      flag(changed.join_approval),
      changed.disappearing_seconds ?? null,
      changed.picture_changed === true ? 1 : 0,
      changed.invite_link_changed === true ? 1 : 0,
    );
  }

  setInviteLink(groupId: ChatId, link: string): void {
    this.#sql.exec("UPDATE groups SET invite_link = ? WHERE group_id = ?", link, groupId);
  }

  changeMembers({ chat_id, action, participants }: MembersChange): void {
    this.#sql.exec("INSERT OR IGNORE INTO groups (group_id) VALUES (?)", chat_id);
    const before = this.#listed(chat_id);
    for (const { person, is_me } of participants) {
      if (action === "leave") this.#sql.exec("DELETE FROM participants WHERE group_id = ? AND who = ?", chat_id, chatIdOf(person));
      else this.#put(chat_id, person, action === "promote" ? "admin" : "member");
      if (is_me) this.#sql.exec("UPDATE groups SET my_role = ? WHERE group_id = ?", ROLE_AFTER[action], chat_id);
    }
    const listed = this.#listed(chat_id);
    this.#sql.exec("UPDATE groups SET size = max(?2, size + ?3) WHERE group_id = ?1", chat_id, listed, listed - before);
  }

  #listed(groupId: ChatId): number {
    return countRows(this.#sql, "participants WHERE group_id = ?", groupId);
  }

  isKnown(groupId: ChatId): boolean {
    return this.#sql.exec("SELECT 1 FROM groups WHERE group_id = ?", groupId).toArray().length > 0;
  }

  snapshotAt(groupId: ChatId): number | null {
    return (
      this.#sql.exec<{ read_at: number | null }>("SELECT read_at FROM groups WHERE group_id = ?", groupId).toArray()[0]?.read_at ?? null
    );
  }

  ids(): ChatId[] {
    return this.#sql
      .exec<{ group_id: string }>("SELECT group_id FROM groups")
      .toArray()
      .map(({ group_id }) => group_id);
  }

  /** The number itself as a person, or null before its first session. */
  me(): Person | null {
    return this.#self();
  }

  isMe(person: Person): boolean {
    const self = this.#self();
    return self !== null && isSelf(self, person);
  }

  /** `ids` is the JSON from `Lids.chatIds`. If a person is listed under two ids, the lower role counts. */
  roleOf(groupId: ChatId, ids: string): string | null {
    const query = `SELECT role FROM participants WHERE group_id = ? AND who IN (SELECT value FROM json_each(?))
      ORDER BY role = 'member' DESC LIMIT 1`;
    return this.#sql.exec<{ role: string }>(query, groupId, ids).toArray()[0]?.role ?? null;
  }

  remove(groupId: ChatId): void {
    this.#sql.exec("DELETE FROM participants WHERE group_id = ?", groupId);
    this.#sql.exec("DELETE FROM groups WHERE group_id = ?", groupId);
  }

  setSelf(phone: string, lid: string | null): void {
    this.#sql.exec(
      "INSERT INTO self (one, phone, lid) VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET phone = excluded.phone, lid = COALESCE(excluded.lid, lid)",
      phone,
      lid,
    );
  }

  get(groupId: ChatId): GroupRecord | null {
    const row = this.#sql.exec<GroupRow>(`SELECT ${GROUP_COLUMNS} FROM groups g WHERE g.group_id = ?`, groupId).toArray()[0];
    if (row === undefined) return null;
    const members = this.#sql
      .exec<ParticipantRow>(
        `SELECT ${phoneOf("p")} AS phone, p.lid, p.role, COALESCE(k.name, k.push_name, k.verified_name) AS name
         FROM participants p LEFT JOIN contacts k ON k.contact_id = p.who WHERE p.group_id = ? ORDER BY p.who`,
        groupId,
      )
      .toArray();
    return { ...groupRecordOf(row), participants: participantsOf(members) };
  }

  list({ limit, cursor, q }: GroupsQuery): Outcome<Page<GroupRecord>> {
    const start = startByName(
      cursor,
      (no) => this.#sql.exec<{ sort: string }>("SELECT sort FROM groups WHERE no = ?", no).toArray()[0]?.sort,
    );
    if (!start.ok) return start;
    const match = q === null ? null : nameMatch(q);
    const where = new Conditions();
    if (match !== null) where.add("g.no IN (SELECT n.rowid FROM group_names n WHERE n.text MATCH ?)", match);
    else if (q !== null && q !== "") where.add("instr(g.sort, lower(?)) > 0", q);
    const rows = this.#sql.exec<GroupRow>(
      `SELECT ${GROUP_COLUMNS} FROM groups g ${match === null ? "INDEXED BY groups_in_order" : "NOT INDEXED"}
         WHERE ${where.sql} AND (g.sort, g.place) > (?, ?) ORDER BY g.sort, g.place ${PAGE_LIMIT}`,
      ...where.bindings,
      ...start.value,
      limit + 1,
    );
    return succeed(pageOf(rows, limit, nameKey, groupRecordOf));
  }

  #put(groupId: ChatId, person: Person, role: string): void {
    this.#sql.exec(
      "INSERT INTO participants (group_id, who, phone, lid, role) VALUES (?, ?, ?, ?, ?) ON CONFLICT (group_id, who) DO UPDATE SET role = excluded.role",
      groupId,
      chatIdOf(person),
      person.phone,
      person.lid,
      role,
    );
  }

  #self(): Self | null {
    return this.#sql.exec<Self>("SELECT phone, lid FROM self").toArray()[0] ?? null;
  }
}

const ROLE_AFTER = { join: "member", leave: "none", promote: "admin", demote: "member" } as const;

function isSelf(self: Self, person: Person): boolean {
  return self.phone === person.phone || (self.lid !== null && self.lid === person.lid);
}

type GroupRow = {
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
type ParticipantRow = { phone: string | null; lid: string | null; role: string; name: string | null };

const GROUP_COLUMNS = `g.no, g.sort, g.group_id, g.subject, g.description, ${phoneOf("g", "owner_phone", "owner_lid")} AS owner_phone, g.owner_lid,
  g.created_at, g.messages_admins_only, g.info_admins_only, g.members_can_add, g.join_approval, g.disappearing_seconds, g.community_id,
  g.is_announcement_group, g.size, g.my_role, g.invite_link`;

const MyRole = z.enum(["member", "admin", "superadmin", "none"]);
const Role = z.enum(["member", "admin", "superadmin"]);

function groupRecordOf(row: GroupRow): GroupRecord {
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

function participantsOf(rows: readonly ParticipantRow[]): NonNullable<GroupRecord["participants"]> {
  return rows.map(({ phone, lid, role, name }) => ({ person: { phone, lid }, name, role: Role.parse(role) }));
}
