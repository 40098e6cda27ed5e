import type { DatabaseSync } from "node:sqlite";

export const MIGRATIONS = [
  `CREATE TABLE setting (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
   CREATE TABLE account (pn TEXT PRIMARY KEY, lid TEXT NOT NULL UNIQUE, state TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE acquaintance (pn TEXT, other TEXT, PRIMARY KEY (pn, other)) WITHOUT ROWID;
   CREATE TABLE device (
     pn TEXT, id INTEGER, platform TEXT NOT NULL, noise_key BLOB, registration_id INTEGER, identity_key BLOB,
     skey_id INTEGER, skey BLOB, skey_signature BLOB, PRIMARY KEY (pn, id)) WITHOUT ROWID;
   CREATE TABLE prekey (pn TEXT, device INTEGER, id INTEGER, value BLOB NOT NULL, PRIMARY KEY (pn, device, id)) WITHOUT ROWID;
   CREATE TABLE queue (seq INTEGER PRIMARY KEY, pn TEXT NOT NULL, device INTEGER NOT NULL, stanza BLOB NOT NULL);
   CREATE TABLE patch (
     pn TEXT, collection TEXT, version INTEGER, patch BLOB NOT NULL, PRIMARY KEY (pn, collection, version)) WITHOUT ROWID;
   CREATE TABLE "group" (id TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE newsletter (id TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE newsletter_message (
     newsletter TEXT, server_id INTEGER, state TEXT NOT NULL, stanza BLOB NOT NULL,
     PRIMARY KEY (newsletter, server_id)) WITHOUT ROWID;`,
  "ALTER TABLE queue ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;",
] as const;

export function migrate(db: DatabaseSync): void {
  const applied = Number(db.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index >= applied) db.exec(`BEGIN; ${sql} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}
