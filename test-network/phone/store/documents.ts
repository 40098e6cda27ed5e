import type { Part } from "../../changes.ts";
import type { CallDocument, ChatDocument, PresenceDocument } from "../views.ts";
import { statement, type Database } from "./database.ts";

export type DocumentKinds = {
  chat: ChatDocument;
  label: LabelDocument;
  contact: ContactDocument;
  call: CallDocument;
  collection: CollectionDocument;
  presence: PresenceDocument;
  /** Ciphertext of files that the media host no longer has, by path. */
  kept_file: { base64: string };
  welcome: { device: number };
  retry: { count: number };
  trusted: { at: number };
};

type LabelDocument = {
  label_id: string;
  name: string;
  color: number;
  deleted: boolean;
};
type ContactDocument = {
  phone: string;
  full_name: string | null;
  push_name: string | null;
};
type CollectionDocument = {
  state: string;
};
/** The part of the phone that is reported as changed, by kind. Kinds that are shown nowhere are missing. */
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

  list<K extends keyof DocumentKinds>(kind: K): Array<DocumentKinds[K]> {
    const rows = statement(this.#db, "SELECT body FROM document WHERE pn = ? AND kind = ? ORDER BY seq").all(this.#pn, kind);
    return rows.map((row) => parse(row) as DocumentKinds[K]);
  }

  #report(kind: keyof DocumentKinds): void {
    const part = SHOWN_AS[kind];
    if (part) this.#changed(part);
  }
}

function parse(row: Record<string, unknown>): unknown {
  return JSON.parse(String(row["body"]));
}
