import { statement, type Database } from "../phone/store/database.ts";
import type { DocumentKinds } from "./model.ts";

export class CloudDocuments {
  readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  get<K extends keyof DocumentKinds>(kind: K, id: string): DocumentKinds[K] | null {
    const row = statement(this.db, "SELECT body FROM cloud_document WHERE kind = ? AND id = ?").get(kind, id);
    return row ? (JSON.parse(String(row["body"])) as DocumentKinds[K]) : null;
  }

  put<K extends keyof DocumentKinds>(kind: K, id: string, body: DocumentKinds[K]): void {
    statement(
      this.db,
      "INSERT INTO cloud_document (kind, id, body) VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body",
    ).run(kind, id, JSON.stringify(body));
  }

  remove(kind: keyof DocumentKinds, id: string): void {
    statement(this.db, "DELETE FROM cloud_document WHERE kind = ? AND id = ?").run(kind, id);
  }

  list<K extends keyof DocumentKinds>(kind: K): Array<DocumentKinds[K]> {
    const rows = statement(this.db, "SELECT body FROM cloud_document WHERE kind = ? ORDER BY seq").all(kind);
    return rows.map((row) => JSON.parse(String(row["body"])) as DocumentKinds[K]);
  }

  file(id: string): Buffer | null {
    const row = statement(this.db, "SELECT bytes FROM cloud_file WHERE id = ?").get(id);
    return row ? Buffer.from(row["bytes"] as Uint8Array) : null;
  }

  putFile(id: string, bytes: Uint8Array): void {
    statement(this.db, "INSERT OR REPLACE INTO cloud_file (id, bytes) VALUES (?, ?)").run(id, bytes);
  }

  removeFile(id: string): void {
    statement(this.db, "DELETE FROM cloud_file WHERE id = ?").run(id);
  }
}
