// The connection's keys: hash, prefix, name, dates. At most three are active (docs/use/connection-api.md, "Authentication").
import type { HandlersOf } from "../handlers.ts";
import { isAllowedFrom } from "@gateway/domain/keys/allowed-ips.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { type AssistantPolicy, DEFAULT_ASSISTANT_POLICY } from "@gateway/protocol/assistant.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { OperationInput, OperationOutput } from "@gateway/protocol/operations.ts";
import type { Migrations } from "../../shared/migrate.ts";

export const KEY_MIGRATIONS: Migrations = [
  `CREATE TABLE api_key (
     id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, prefix TEXT NOT NULL,
     created_at INTEGER NOT NULL, last_used_at INTEGER, revoked_at INTEGER
   ) WITHOUT ROWID`,
  `ALTER TABLE api_key ADD COLUMN scopes TEXT;
   ALTER TABLE api_key ADD COLUMN allowed_ips TEXT;
   ALTER TABLE api_key ADD COLUMN refused_ip TEXT;
   ALTER TABLE api_key ADD COLUMN refused_at INTEGER;`,
  // JSON of the `AssistantPolicy`. Null means the default policy.
  "ALTER TABLE api_key ADD COLUMN assistant TEXT",
];

type KeyRecord = OperationOutput<"keys.create">;

/** Minimum time between two writes of a key's last use, and between two writes of its last refused address. */
const LAST_USED_INTERVAL_MS = 60_000;
const REFUSED_INTERVAL_MS = 60_000;

type KeyRow = {
  id: string;
  name: string;
  prefix: string;
  created_at: number;
  last_used_at: number | null;
  scopes: string | null;
  allowed_ips: string | null;
  refused_ip: string | null;
  refused_at: number | null;
  assistant: string | null;
};
type ActiveRow = Pick<KeyRow, "id" | "last_used_at" | "refused_at" | "scopes" | "allowed_ips" | "assistant"> & { hash: string };

export type UsedKey = { id: string; scopes: readonly string[] | null; assistant: AssistantPolicy };
type Active = UsedKey & { lastUsedAt: number | null; refusedAt: number | null; allowedIps: string[] | null };

const SHOWN = "id, name, prefix, created_at, last_used_at, scopes, allowed_ips, refused_ip, refused_at, assistant";

export class ApiKeys {
  readonly #sql: SqlStorage;
  #active: Map<string, Active> | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Returns null unless an active key with this hash allows `address`. Records the key's use at `now` (Unix ms). */
  use(hash: string, address: string | null, now: number): UsedKey | null {
    const key = this.#keys().get(hash);
    if (key === undefined) return null;
    if (!isAllowedFrom(key.allowedIps, address)) {
      this.#refuse(key, address, now);
      return null;
    }
    if (now - (key.lastUsedAt ?? 0) >= LAST_USED_INTERVAL_MS) {
      this.#sql.exec("UPDATE api_key SET last_used_at = ? WHERE id = ?", now, key.id);
      key.lastUsedAt = now;
    }
    return key;
  }

  #refuse(key: Active, address: string | null, now: number): void {
    if (now - (key.refusedAt ?? 0) < REFUSED_INTERVAL_MS) return;
    this.#sql.exec("UPDATE api_key SET refused_ip = ?, refused_at = ? WHERE id = ?", address ?? "unknown", now, key.id);
    key.refusedAt = now;
  }

  /** The id of the key with this hash, even if the key is revoked. Null if the hash is unknown. */
  idOf(hash: string): string | null {
    const active = this.#keys().get(hash);
    if (active !== undefined) return active.id;
    return this.#sql.exec<{ id: string }>("SELECT id FROM api_key WHERE hash = ?", hash).toArray()[0]?.id ?? null;
  }

  /** Returns the active key without recording its use. */
  find(hash: string): UsedKey | null {
    return this.#keys().get(hash) ?? null;
  }

  isActive(hash: string): boolean {
    return this.#keys().has(hash);
  }

  names(): ReadonlyMap<string, string> {
    const rows = this.#sql.exec<{ id: string; name: string }>("SELECT id, name FROM api_key").toArray();
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  list(): KeyRecord[] {
    return this.#sql
      .exec<KeyRow>(`SELECT ${SHOWN} FROM api_key WHERE revoked_at IS NULL ORDER BY created_at, id`)
      .toArray()
      .map(keyRecordOf);
  }

  /** Fails with `key_limit` if there are three keys. Checks and inserts in one synchronous step. */
  create(key: OperationInput<"keys.create">, id: string, now: number): Outcome<KeyRecord> {
    if (this.#keys().size >= LIMITS.activeKeys) return fail("key_limit");
    const [made] = this.#sql
      .exec<KeyRow>(
        `INSERT INTO api_key (id, hash, name, prefix, created_at, scopes, allowed_ips, assistant) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         RETURNING ${SHOWN}`,
        id,
        key.hash,
        key.name,
        key.prefix,
        now,
        textOf(key.scopes),
        textOf(key.allowed_ips),
        textOf(key.assistant),
      )
      .toArray();
    this.#active = null;
    return made === undefined ? fail("key_limit") : succeed(keyRecordOf(made));
  }

  /** Takes effect at the next call. Fails with `key_not_found` if the key is not active. */
  change({ id, name, scopes, allowed_ips: allowedIps, assistant }: OperationInput<"keys.change">): Outcome<KeyRecord> {
    const [changed] = this.#sql
      .exec<KeyRow>(
        `UPDATE api_key SET name = COALESCE(?, name), scopes = CASE WHEN ? THEN scopes ELSE ? END,
         allowed_ips = CASE WHEN ? THEN allowed_ips ELSE ? END, assistant = CASE WHEN ? THEN assistant ELSE ? END WHERE id = ? AND revoked_at IS NULL RETURNING ${SHOWN}`,
        name ?? null,
        scopes === undefined ? 1 : 0,
        textOf(scopes),
        allowedIps === undefined ? 1 : 0,
        textOf(allowedIps),
        assistant === undefined ? 1 : 0,
        textOf(assistant),
        id,
      )
      .toArray();
    this.#active = null;
    return changed === undefined ? fail("key_not_found") : succeed(keyRecordOf(changed));
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
        .exec<ActiveRow>("SELECT hash, id, last_used_at, refused_at, scopes, allowed_ips, assistant FROM api_key WHERE revoked_at IS NULL")
        .toArray()
        .map(({ hash, id, last_used_at: lastUsedAt, refused_at: refusedAt, scopes, allowed_ips: allowedIps, assistant }) => [
          hash,
          { id, lastUsedAt, refusedAt, scopes: listOf(scopes), allowedIps: listOf(allowedIps), assistant: policyOf(assistant) },
        ]),
    );
    return this.#active;
  }
}

function keyRecordOf(row: KeyRow): KeyRecord {
  return { ...row, scopes: listOf(row.scopes), allowed_ips: listOf(row.allowed_ips), assistant: policyOf(row.assistant) };
}

function policyOf(text: string | null): AssistantPolicy {
  return text === null ? DEFAULT_ASSISTANT_POLICY : (JSON.parse(text) as AssistantPolicy);
}

function listOf(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]);
}

function textOf(value: object | null | undefined): string | null {
  return value == null ? null : JSON.stringify(value);
}

/** `onChanged` is called when an active key may have lost rights. */
export function keyHandlers(keys: ApiKeys, onChanged: () => void): HandlersOf<"keys.list" | "keys.create" | "keys.change" | "keys.revoke"> {
  return {
    "keys.list": () => succeed({ items: keys.list() }),
    "keys.create": (input) => keys.create(input, crypto.randomUUID(), Date.now()),
    "keys.change": (input) => {
      const changed = keys.change(input);
      onChanged();
      return changed;
    },
    "keys.revoke": ({ id }) => {
      const revoked = keys.revoke(id, Date.now());
      onChanged();
      return revoked;
    },
  };
}
