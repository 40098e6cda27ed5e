// One SQLite file for all phones. Writes survive `kill -9` of the process, because they are already in the operating system's cache.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS phone (seq INTEGER PRIMARY KEY, pn TEXT NOT NULL UNIQUE, identity TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS signal_key (pn TEXT, type TEXT, id TEXT, value TEXT NOT NULL, PRIMARY KEY (pn, type, id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS message (
    seq INTEGER PRIMARY KEY, pn TEXT NOT NULL, chat_id TEXT NOT NULL, message_id TEXT NOT NULL, at INTEGER NOT NULL,
    record TEXT NOT NULL, content BLOB NOT NULL, UNIQUE (pn, chat_id, message_id));
  CREATE INDEX IF NOT EXISTS message_by_id ON message (pn, message_id);
  CREATE INDEX IF NOT EXISTS message_by_time ON message (pn, chat_id, at, seq);
  CREATE TABLE IF NOT EXISTS opened (pn TEXT, digest BLOB, PRIMARY KEY (pn, digest)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS receipt (
    seq INTEGER PRIMARY KEY, pn TEXT NOT NULL, message_id TEXT NOT NULL, sender TEXT NOT NULL, kind TEXT NOT NULL,
    at INTEGER NOT NULL, UNIQUE (pn, message_id, sender, kind));
  CREATE TABLE IF NOT EXISTS document (
    seq INTEGER PRIMARY KEY, pn TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
    UNIQUE (pn, kind, id));

  -- The cloud network (../cloud) shares the database, so that a webhook and its message are written together.
  CREATE TABLE IF NOT EXISTS cloud_document (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (kind, id));
  CREATE TABLE IF NOT EXISTS cloud_file (id TEXT PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS cloud_change (
    seq INTEGER PRIMARY KEY, number TEXT NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL, change TEXT NOT NULL, webhook INTEGER,
    UNIQUE (number, key));
  CREATE INDEX IF NOT EXISTS cloud_change_waiting ON cloud_change (number, scope, seq) WHERE webhook IS NULL;
  CREATE TABLE IF NOT EXISTS cloud_webhook (
    seq INTEGER PRIMARY KEY, number TEXT NOT NULL, scope TEXT NOT NULL, body TEXT NOT NULL, sign TEXT NOT NULL, state TEXT NOT NULL,
    due_at INTEGER NOT NULL, created_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS cloud_webhook_waiting ON cloud_webhook (due_at, seq) WHERE state = 'waiting';
  CREATE TABLE IF NOT EXISTS cloud_attempt (
    seq INTEGER PRIMARY KEY, webhook INTEGER NOT NULL, url TEXT NOT NULL, signature TEXT, at INTEGER NOT NULL, status INTEGER,
    error TEXT, latency_ms INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS cloud_attempt_of ON cloud_attempt (webhook);
  CREATE TABLE IF NOT EXISTS cloud_request (seq INTEGER PRIMARY KEY, number TEXT, record TEXT NOT NULL);
`;

export type Database = DatabaseSync;

const statements = new WeakMap<Database, Map<string, StatementSync>>();

export function statement(db: Database, text: string): StatementSync {
  let known = statements.get(db);
  if (!known) statements.set(db, (known = new Map()));
  let prepared = known.get(text);
  if (!prepared) known.set(text, (prepared = db.prepare(text)));
  return prepared;
}

export function openDatabaseIn(stateDir: string | undefined): Database {
  if (stateDir !== undefined) mkdirSync(stateDir, { recursive: true });
  const file = stateDir === undefined ? ":memory:" : join(stateDir, "phones.sqlite");
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA busy_timeout = 2000;");
  db.exec(SCHEMA);
  return db;
}

/** Runs `work` completely or not at all. It must not await. */
export function inTransaction<T>(db: Database, work: () => T): T {
  // Prepared, because each received stanza is a separate transaction.
  statement(db, "BEGIN IMMEDIATE").run();
  try {
    const result = work();
    statement(db, "COMMIT").run();
    return result;
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}
