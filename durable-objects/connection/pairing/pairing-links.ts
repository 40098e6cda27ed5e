// Pairing links: token hash, label, dates. All links end when the number is connected.
import { LIMITS } from "@gateway/domain/limits.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { OperationInput, OperationName } from "@gateway/protocol/operations.ts";
import type { PairingLink } from "@gateway/protocol/operations/instance.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import type { Instance } from "../instance/instance.ts";
import type { Identity } from "../instance/identity.ts";
import type { HandlersOf } from "../handlers.ts";
import type { Migrations } from "../../shared/migrate.ts";
import { countRows } from "../../shared/read-number.ts";

export const PAIRING_MIGRATIONS: Migrations = [
  `CREATE TABLE pairing_link (
     id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, label TEXT NOT NULL, created_by TEXT NOT NULL, created_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL, opened_at INTEGER, used_at INTEGER, revoked_at INTEGER
   ) WITHOUT ROWID`,
];

const RETENTION_MS = 7 * DAY_MS;
const MAX_LINKS = 50;

type PairingLinkRow = Omit<PairingLink, "ended"> & { used_at: number | null; revoked_at: number | null };

const COLUMNS = "id, label, created_by, created_at, expires_at, opened_at, used_at, revoked_at";
const WORKING = "used_at IS NULL AND revoked_at IS NULL AND expires_at > ?";

export class PairingLinks {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  find(hash: string, now: number): PairingLink | null {
    const [row] = this.#sql.exec<PairingLinkRow>(`SELECT ${COLUMNS} FROM pairing_link WHERE hash = ?`, hash).toArray();
    return row === undefined ? null : linkOf(row, now);
  }

  list(now: number): PairingLink[] {
    return this.#sql
      .exec<PairingLinkRow>(`SELECT ${COLUMNS} FROM pairing_link WHERE expires_at > ? ORDER BY created_at DESC, id`, now - RETENTION_MS)
      .toArray()
      .map((row) => linkOf(row, now));
  }

  /** Checks and inserts in one synchronous step, so that concurrent calls cannot exceed the limit. */
  create({ id, label, hash, created_by, lifetime_ms }: OperationInput<"pairing.create">, now: number): Outcome<PairingLink> {
    this.#sql.exec("DELETE FROM pairing_link WHERE expires_at <= ?", now - RETENTION_MS);
    const last = "SELECT id FROM pairing_link ORDER BY created_at DESC, id LIMIT ?";
    this.#sql.exec(`DELETE FROM pairing_link WHERE NOT (${WORKING}) AND id NOT IN (${last})`, now, MAX_LINKS - 1);
    if (countRows(this.#sql, `pairing_link WHERE ${WORKING}`, now) >= LIMITS.pairingLinks.working) return fail("pairing_link_limit");
    const row = this.#sql
      .exec<PairingLinkRow>(
        `INSERT INTO pairing_link (id, hash, label, created_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
        id,
        hash,
        label,
        created_by,
        now,
        now + lifetime_ms,
      )
      .one();
    return succeed(linkOf(row, now));
  }

  opened(id: string, now: number): void {
    this.#sql.exec("UPDATE pairing_link SET opened_at = ? WHERE id = ? AND opened_at IS NULL", now, id);
  }

  revoke(id: string, now: number): Outcome<PairingLink> {
    const [row] = this.#sql
      .exec<PairingLinkRow>(`UPDATE pairing_link SET revoked_at = ? WHERE id = ? AND ${WORKING} RETURNING ${COLUMNS}`, now, id, now)
      .toArray();
    return row === undefined ? fail("pairing_link_not_found") : succeed(linkOf(row, now));
  }

  /** Revokes the links of a person who may no longer pair the number. If the person regains that right, the links stay revoked. */
  revokeOf(createdBy: string, now: number): void {
    this.#sql.exec(`UPDATE pairing_link SET revoked_at = ? WHERE created_by = ? AND ${WORKING}`, now, createdBy, now);
  }

  numberConnected(now: number): void {
    this.#sql.exec(`UPDATE pairing_link SET used_at = ? WHERE ${WORKING}`, now, now);
  }
}

function linkOf({ used_at, revoked_at, ...link }: PairingLinkRow, now: number): PairingLink {
  const ended = used_at !== null ? "used" : revoked_at !== null ? "revoked" : link.expires_at <= now ? "expired" : null;
  return { ...link, ended };
}

type PairingOperation = Extract<OperationName, `pairing.${string}`>;

export function pairingHandlers(links: PairingLinks, identity: Identity, instance: Instance): HandlersOf<PairingOperation> {
  return {
    "pairing.list": (_input, { now }) => succeed({ items: links.list(now) }),
    "pairing.create": (input, { now }) => (instance.state.status === "connected" ? fail("already_connected") : links.create(input, now)),
    "pairing.revoke": ({ id }, { now }) => links.revoke(id, now),
    "pairing.revoke_of": ({ created_by: maker }, { now }) => {
      links.revokeOf(maker, now);
      return succeed({});
    },
    "pairing.end": (_input, { call, now }) => {
      const link = call.caller.kind === "pairing_link" ? links.find(call.caller.hash, now) : null;
      if (link !== null) links.revoke(link.id, now);
      return succeed({});
    },
    "pairing.show": (_input, { call, now }) => {
      const link = call.caller.kind === "pairing_link" ? links.find(call.caller.hash, now) : null;
      if (link === null || identity.record === null) return fail("pairing_link_not_found");
      if (link.ended === null) links.opened(link.id, now);
      const { status, reason } = instance.state;
      return succeed({ link, connection_id: identity.record.id, status, status_reason: reason });
    },
  };
}
