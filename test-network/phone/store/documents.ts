import type { Part } from "../../changes.ts";
import type { CallDocument, ChatDocument, PresenceDocument } from "../views.ts";
import { statement, type Database } from "./database.ts";

/** Small records of a phone, by kind: chats, labels, contacts, calls, app-state collections, … */
export interface DocumentKinds {
  chat: ChatDocument;
  label: LabelDocument;
  contact: ContactDocument;
  call: CallDocument;
  collection: CollectionDocument;
  presence: PresenceDocument;
  /** Ciphertext of a file that the media host no longer has, by its path. */
  kept_file: { base64: string };
  /** A linked device that has not got its keys and its history yet. */
  welcome: { device: number };
  /** How often a message that could not be opened was asked for again, by author and id. */
  retry: { count: number };
  /** Somebody who has got the account's privacy token, by phone number. */
  trusted: { at: number };
}

interface LabelDocument {
  label_id: string;
  name: string;
  color: number;
  deleted: boolean;
}
interface ContactDocument {
  phone: string;
  full_name: string | null;
  push_name: string | null;
}
/** LT-hash state of one app-state collection, as JSON with base64 buffers. */
interface CollectionDocument {
  state: string;
}
/** What is reported to a watcher of the phone when a record of the kind changes; kinds that nobody sees are left out. */
const SHOWN_AS: { readonly [K in keyof DocumentKinds]?: Part } = {
  chat: "chats",
  label: "chats",
  contact: "people",
  call: "calls",
  presence: "presence",
};

export class Documents {
  readonly #db: Database;
  readonly #pn: string;
  readonly #changed: (part: Part) => void;

  constructor(db: Database, pn: string, changed: (part: Part) => void) {
    this.#db = db;
    this.#pn = pn;
    this.#changed = changed;
  }

  get<K extends keyof DocumentKinds>(kind: K, id: string): DocumentKinds[K] | null {
    const row = statement(this.#db, "SELECT body FROM document WHERE pn = ? AND kind = ? AND id = ?").get(this.#pn, kind, id);
    return row ? (parse(row) as DocumentKinds[K]) : null;
  }

  put<K extends keyof DocumentKinds>(kind: K, id: string, body: DocumentKinds[K]): void {
    statement(
      this.#db,
      "INSERT INTO document (pn, kind, id, body) VALUES (?, ?, ?, ?) ON CONFLICT (pn, kind, id) DO UPDATE SET body = excluded.body",
    ).run(this.#pn, kind, id, JSON.stringify(body));
    this.#report(kind);
  }

  remove(kind: keyof DocumentKinds, id: string): void {
    statement(this.#db, "DELETE FROM document WHERE pn = ? AND kind = ? AND id = ?").run(this.#pn, kind, id);
    this.#report(kind);
  }

  /** All of a kind, oldest first. */
  list<K extends keyof DocumentKinds>(kind: K): Array<DocumentKinds[K]> {
    const rows = statement(this.#db, "SELECT body FROM document WHERE pn = ? AND kind = ? ORDER BY seq").all(this.#pn, kind);
    return rows.map((row) => parse(row) as DocumentKinds[K]);
  }

  #report(kind: keyof DocumentKinds): void {
    const part = SHOWN_AS[kind];
    if (part) this.#changed(part);
  }
}

// Only this class writes the column, always with the type of its kind.
function parse(row: Record<string, unknown>): unknown {
  return JSON.parse(String(row["body"]));
}
