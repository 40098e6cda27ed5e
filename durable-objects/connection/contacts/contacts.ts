import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { type ChatId, chatIdOf, type Person } from "@gateway/protocol/ids.ts";
import { StoredMedia } from "@gateway/protocol/message.ts";
import type { ContactRecord } from "@gateway/protocol/records.ts";
import { type Lids, phoneOf } from "./lids.ts";
import { Conditions, nameMatch, nameKey, PAGE_LIMIT, type Page, pageOf, startByName } from "../store/pagination.ts";

// Lists are sorted by `sort`. Rows without a name come last.
export const CONTACT_SCHEMA = `
  CREATE TABLE contacts (
    no INTEGER PRIMARY KEY, contact_id TEXT NOT NULL UNIQUE, phone TEXT, lid TEXT,
    name TEXT, push_name TEXT, verified_name TEXT,
    is_saved INTEGER NOT NULL DEFAULT 0, is_business INTEGER NOT NULL DEFAULT 0, is_blocked INTEGER NOT NULL DEFAULT 0,
    picture TEXT, revision INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL,
    sort TEXT GENERATED ALWAYS AS (lower(COALESCE(name, push_name, verified_name, char(1114111)))) VIRTUAL,
    place INTEGER GENERATED ALWAYS AS (no) VIRTUAL
  );
  CREATE INDEX contacts_in_order ON contacts (sort, place);
  CREATE INDEX contacts_saved ON contacts (sort, place) WHERE is_saved = 1;
  CREATE INDEX contacts_blocked ON contacts (sort, place) WHERE is_blocked = 1;
  CREATE VIRTUAL TABLE contact_names USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1');
  CREATE TRIGGER contact_created AFTER INSERT ON contacts BEGIN
    INSERT INTO contact_names (rowid, text) VALUES (NEW.no, concat_ws(' ', NEW.name, NEW.push_name, NEW.verified_name, NEW.phone));
  END;
  CREATE TRIGGER contact_renamed AFTER UPDATE OF name, push_name, verified_name, phone ON contacts BEGIN
    INSERT OR REPLACE INTO contact_names (rowid, text) VALUES (NEW.no, concat_ws(' ', NEW.name, NEW.push_name, NEW.verified_name, NEW.phone));
  END;
  CREATE TRIGGER contact_removed AFTER DELETE ON contacts BEGIN DELETE FROM contact_names WHERE rowid = OLD.no; END;
  CREATE TABLE self (one INTEGER PRIMARY KEY CHECK (one = 1), phone TEXT NOT NULL, lid TEXT);`;

export type ContactChange = Omit<Extract<NetworkEvent, { type: "contact.updated" }>, "type" | "from_history">;

/** `isNew` means that the person was unknown before, and `isNowSaved` that this change saved the contact. */
export type ContactResult = { isNew: boolean; isNowSaved: boolean; name: string | null; pushName: string | null };

export type ContactsQuery = { limit: number; cursor: string | null; q: string | null; saved: boolean | null; blocked: boolean | null };

type ResultRow = { revision: number; name: string | null; push_name: string | null };
type ContactRow = {
  no: number;
  sort: string;
  contact_id: string;
  phone: string | null;
  lid: string | null;
  name: string | null;
  push_name: string | null;
  verified_name: string | null;
  is_saved: number;
  is_business: number;
  is_blocked: number;
  picture: string | null;
  updated_at: number;
};

const COLUMNS = `k.no, k.sort, k.contact_id, ${phoneOf("k")} AS phone, k.lid, k.name, k.push_name, k.verified_name, k.is_saved, k.is_business,
  k.is_blocked, k.picture, k.updated_at`;

export class Contacts {
  readonly #sql: SqlStorage;
  readonly #lids: Lids;

  constructor(sql: SqlStorage, lids: Lids) {
    this.#sql = sql;
    this.#lids = lids;
  }

  /** Stores a person seen in an event. Null if nothing changed. `now` in Unix ms. */
  record(person: Person, pushName: string | null, now: number): ContactResult | null {
    const row = this.#sql
      .exec<ResultRow>(
        `INSERT INTO contacts (contact_id, phone, lid, push_name, updated_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (contact_id) DO UPDATE SET push_name = COALESCE(excluded.push_name, push_name), lid = COALESCE(excluded.lid, lid),
           revision = revision + 1, updated_at = excluded.updated_at
         WHERE COALESCE(excluded.push_name, push_name) IS NOT push_name OR COALESCE(excluded.lid, lid) IS NOT lid
         RETURNING revision, name, push_name`,
        chatIdOf(person),
        person.phone,
        person.lid,
        pushName,
        now,
      )
      .toArray()[0];
    return row === undefined ? null : { isNew: row.revision === 0, isNowSaved: false, name: row.name, pushName: row.push_name };
  }

  /** Stores a person's data from the address book or the network. Changes only the given fields. */
  change(change: ContactChange, now: number): ContactResult {
    const id = chatIdOf(change.person);
    const before = this.#sql.exec<{ is_saved: number }>("SELECT is_saved FROM contacts WHERE contact_id = ?", id).toArray()[0];
    const given = (value: unknown): number => (value === undefined ? 0 : 1);
    const flag = (value: boolean | undefined): number | null => (value === undefined ? null : Number(value));
    const row = this.#sql
      .exec<ResultRow>(
        `INSERT INTO contacts (contact_id, phone, lid, name, push_name, verified_name, is_business, is_blocked, is_saved, updated_at)
         VALUES (?1, ?2, ?3, ?5, ?7, ?9, COALESCE(?10, 0), COALESCE(?11, 0), COALESCE(?12, 0), ?13)
         ON CONFLICT (contact_id) DO UPDATE SET lid = COALESCE(excluded.lid, lid),
           name = CASE WHEN ?4 THEN excluded.name ELSE name END, push_name = CASE WHEN ?6 THEN excluded.push_name ELSE push_name END,
           verified_name = CASE WHEN ?8 THEN excluded.verified_name ELSE verified_name END,
           is_business = COALESCE(?10, is_business), is_blocked = COALESCE(?11, is_blocked), is_saved = COALESCE(?12, is_saved),
           revision = revision + 1, updated_at = excluded.updated_at
         RETURNING revision, name, push_name`,
        id,
        change.person.phone,
        change.person.lid,
        given(change.name),
        change.name ?? null,
        given(change.push_name),
        change.push_name ?? null,
        given(change.verified_name),
        change.verified_name ?? null,
        flag(change.is_business),
        flag(change.is_blocked),
        flag(change.is_saved),
        now,
      )
      .one();
    return {
      isNew: before === undefined,
      isNowSaved: change.is_saved === true && before?.is_saved !== 1,
      name: row.name,
      pushName: row.push_name,
    };
  }

  replaceBlocked(persons: readonly Person[], now: number): void {
    const ids = JSON.stringify(persons.map(chatIdOf));
    this.#sql.exec(
      "UPDATE contacts SET is_blocked = 0, updated_at = ? WHERE is_blocked = 1 AND contact_id NOT IN (SELECT value FROM json_each(?))",
      now,
      ids,
    );
    for (const person of persons) if (this.get(chatIdOf(person))?.is_blocked !== true) this.change({ person, is_blocked: true }, now);
  }

  setPicture(contactId: ChatId, picture: StoredMedia | null): void {
    this.#sql.exec(
      "UPDATE contacts SET picture = ? WHERE contact_id = ?",
      picture === null ? null : JSON.stringify(picture),
      this.#lids.chat(contactId),
    );
  }

  get(contactId: ChatId): ContactRecord | null {
    const row = this.#sql
      .exec<ContactRow>(`SELECT ${COLUMNS} FROM contacts k WHERE k.contact_id = ?`, this.#lids.chat(contactId))
      .toArray()[0];
    return row === undefined ? null : contactRecordOf(row);
  }

  savedPersons(limit: number): Person[] {
    return this.#sql
      .exec<{ phone: string; lid: string | null }>(
        `SELECT k.phone, k.lid FROM contacts k INDEXED BY contacts_saved WHERE k.is_saved = 1 AND k.phone IS NOT NULL ORDER BY k.sort, k.place ${PAGE_LIMIT}`,
        limit,
      )
      .toArray();
  }

  list({ limit, cursor, q, saved, blocked }: ContactsQuery): Outcome<Page<ContactRecord>> {
    const start = startByName(
      cursor,
      (no) => this.#sql.exec<{ sort: string }>("SELECT sort FROM contacts WHERE no = ?", no).toArray()[0]?.sort,
    );
    if (!start.ok) return start;
    const { index, where } = walkFor(q, saved, blocked);
    const rows = this.#sql.exec<ContactRow>(
      `SELECT ${COLUMNS} FROM contacts k ${index} WHERE ${where.sql} AND (k.sort, k.place) > (?, ?) ORDER BY k.sort, k.place ${PAGE_LIMIT}`,
      ...where.bindings,
      ...start.value,
      limit + 1,
    );
    return succeed(pageOf(rows, limit, nameKey, contactRecordOf));
  }
}

function walkFor(q: string | null, saved: boolean | null, blocked: boolean | null): { index: string; where: Conditions } {
  const where = new Conditions().addIf(saved, "k.is_saved = ?").addIf(blocked, "k.is_blocked = ?");
  const match = q === null ? null : nameMatch(q);
  if (match !== null) {
    return { index: "NOT INDEXED", where: where.add("k.no IN (SELECT n.rowid FROM contact_names n WHERE n.text MATCH ?)", match) };
  }
  if (q) where.addPart(q, "concat_ws(' ', k.name, k.push_name, k.verified_name, k.phone)");
  if (blocked === true) return { index: "INDEXED BY contacts_blocked", where: where.add("k.is_blocked = 1") };
  if (saved === true) return { index: "INDEXED BY contacts_saved", where: where.add("k.is_saved = 1") };
  return { index: "INDEXED BY contacts_in_order", where };
}

function contactRecordOf(row: ContactRow): ContactRecord {
  return {
    contact_id: row.contact_id,
    person: { phone: row.phone, lid: row.lid },
    name: row.name,
    push_name: row.push_name,
    verified_name: row.verified_name,
    is_saved: row.is_saved === 1,
    is_business: row.is_business === 1,
    is_blocked: row.is_blocked === 1,
    picture: row.picture === null ? null : StoredMedia.parse(JSON.parse(row.picture)),
    updated_at: row.updated_at,
  };
}
