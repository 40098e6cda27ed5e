// Fills the store of a connection whose object is not running, with the object's own code over the object's own database.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/** The part of `SqlStorage` that the stores use, because the worker's types are not available in Node. */
type FillChats = (sql: unknown, chats: number, inOneStep: (step: () => void) => void) => void;

/** Adds this many chats with one text each. `directory` is the state directory of a stopped sandbox. */
export async function fillStore(directory: string, connection: string, chats: number): Promise<void> {
  const filling = (await import(new URL("../../test/worker/store/fill.ts", import.meta.url).href)) as { fillChats: FillChats };
  const database = databaseOf(join(directory, "worker"), connection);
  filling.fillChats(storageOver(database), chats, (step) => {
    database.exec("BEGIN");
    step();
    database.exec("COMMIT");
  });
  database.close();
}

function databaseOf(storage: string, connection: string): DatabaseSync {
  for (const file of readdirSync(storage, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".sqlite") || file.includes("metadata")) continue;
    const database = new DatabaseSync(join(storage, file));
    if (holds(database, connection)) return database;
    database.close();
  }
  throw new Error("the object's database is not there");
}

function holds(database: DatabaseSync, connection: string): boolean {
  if (database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'identity'").get() === undefined) return false;
  const row = database.prepare("SELECT record FROM identity").get();
  return row !== undefined && (JSON.parse(String(row["record"])) as { uuid: string }).uuid === connection;
}

function storageOver(database: DatabaseSync) {
  const statements = new Map<string, StatementSync>();
  const exec = (query: string, ...values: SQLInputValue[]) => {
    const statement = statements.get(query) ?? database.prepare(query);
    statements.set(query, statement);
    const rows = statement.columns().length === 0 ? (statement.run(...values), []) : statement.all(...values);
    return { toArray: () => rows, one: () => rows[0], [Symbol.iterator]: () => rows[Symbol.iterator]() };
  };
  return { exec };
}
