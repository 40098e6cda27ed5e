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
}

/** How a chat looks on the phone. Times are Unix seconds, null when the thing is off. */
export interface ChatDocument {
  chat_id: string;
  archived: boolean;
  pinned: boolean;
  muted_until: number | null;
  marked_unread: boolean;
  unread_count: number;
  labels: string[];
  cleared_at: number | null;
  deleted_at: number | null;
  disappearing_seconds: number;
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
export interface CallDocument {
  call_id: string;
  peer: string;
  direction: "in" | "out";
  video: boolean;
  status: "ringing" | "accepted" | "rejected" | "ended";
  started_at: number;
}
/** LT-hash state of one app-state collection, as JSON with base64 buffers. */
interface CollectionDocument {
  state: string;
}
export interface PresenceDocument {
  chat_id: string;
  online: boolean | null;
  last_seen: number | null;
  /** Who is typing or recording there now (in a group), newest state per person. */
  doing: Record<string, "typing" | "recording" | "paused">;
  history: Array<{ from: string; presence: string; at: number }>;
}

export class Documents {
  readonly #db: Database;
  readonly #pn: string;

  constructor(db: Database, pn: string) {
    this.#db = db;
    this.#pn = pn;
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
  }

  remove(kind: keyof DocumentKinds, id: string): void {
    statement(this.#db, "DELETE FROM document WHERE pn = ? AND kind = ? AND id = ?").run(this.#pn, kind, id);
  }

  /** All of a kind, oldest first. */
  list<K extends keyof DocumentKinds>(kind: K): Array<DocumentKinds[K]> {
    const rows = statement(this.#db, "SELECT body FROM document WHERE pn = ? AND kind = ? ORDER BY seq").all(this.#pn, kind);
    return rows.map((row) => parse(row) as DocumentKinds[K]);
  }
}

// Only this class writes the column, always with the type of its kind.
function parse(row: Record<string, unknown>): unknown {
  return JSON.parse(String(row["body"]));
}
