// The connection's keys: hash, prefix, name, dates. At most three are active (docs/use/connection-api.md, "Authentication").
import type { HandlersOf } from "../handlers.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { OperationInput, OperationOutput } from "@gateway/protocol/operations.ts";
import type { Migrations } from "../../shared/migrate.ts";

export const KEY_MIGRATIONS: Migrations = [
  `CREATE TABLE api_key (
     id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, prefix TEXT NOT NULL,
     created_at INTEGER NOT NULL, last_used_at INTEGER, revoked_at INTEGER
   ) WITHOUT ROWID`,
];

type KeyRecord = OperationOutput<"keys.create">;

const LAST_USED_INTERVAL_MS = 60_000;

type Active = { id: string; lastUsedAt: number | null };

export class ApiKeys {
  readonly #sql: SqlStorage;
  #active: Map<string, Active> | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The id of the active key with this hash, or null. Records its use at `now` (Unix ms). */
  use(hash: string, now: number): string | null {
    const key = this.#keys().get(hash);
    if (key === undefined) return null;
    if (now - (key.lastUsedAt ?? 0) >= LAST_USED_INTERVAL_MS) {
      this.#sql.exec("UPDATE api_key SET last_used_at = ? WHERE id = ?", now, key.id);
      key.lastUsedAt = now;
    }
    return key.id;
  }

  /** The id of the key with this hash, even if it is revoked; null: unknown. */
  idOf(hash: string): string | null {
    const active = this.#keys().get(hash);
    if (active !== undefined) return active.id;
    return this.#sql.exec<{ id: string }>("SELECT id FROM api_key WHERE hash = ?", hash).toArray()[0]?.id ?? null;
  }

  names(): ReadonlyMap<string, string> {
    const rows = this.#sql.exec<{ id: string; name: string }>("SELECT id, name FROM api_key").toArray();
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  list(): KeyRecord[] {
    return this.#sql
      .exec<KeyRecord>("SELECT id, name, prefix, created_at, last_used_at FROM api_key WHERE revoked_at IS NULL ORDER BY created_at, id")
      .toArray();
  }

  /** Fails with `key_limit` at three. Checks and inserts in one synchronous step. */
  create(key: OperationInput<"keys.create">, id: string, now: number): Outcome<KeyRecord> {
    if (this.#keys().size >= LIMITS.activeKeys) return fail("key_limit");
    this.#sql.exec(
      "INSERT INTO api_key (id, hash, name, prefix, created_at) VALUES (?, ?, ?, ?, ?)",
      id,
      key.hash,
      key.name,
      key.prefix,
      now,
    );
    this.#keys().set(key.hash, { id, lastUsedAt: null });
    return succeed({ id, name: key.name, prefix: key.prefix, created_at: now, last_used_at: null });
  }

  /** Revokes the key immediately and irreversibly. Fails with `key_not_found` when it is not active. */
  revoke(id: string, now: number): Outcome<Record<string, never>> {
    const done = this.#sql.exec("UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING hash", now, id).toArray();
    if (done.length === 0) return fail("key_not_found");
    this.#active = null;
    return succeed({});
  }

  #keys(): Map<string, Active> {
    this.#active ??= new Map(
      this.#sql
        .exec<{ hash: string; id: string; last_used_at: number | null }>(
          "SELECT hash, id, last_used_at FROM api_key WHERE revoked_at IS NULL",
        )
        .toArray()
        .map((row) => [row.hash, { id: row.id, lastUsedAt: row.last_used_at }]),
    );
    return this.#active;
  }
}

export function keyOperations(keys: ApiKeys): HandlersOf<"keys.list" | "keys.create" | "keys.revoke"> {
  return {
    "keys.list": () => succeed({ items: keys.list() }),
    "keys.create": (input) => keys.create(input, crypto.randomUUID(), Date.now()),
    "keys.revoke": ({ id }) => keys.revoke(id, Date.now()),
  };
}
