// Signing secrets of the lanes, encrypted at rest, and their HMAC keys.
import type { Signing } from "@gateway/domain/webhooks/signature.ts";
import type { Vault } from "#root/src/services/secrets/vault.ts";
import { DAY_MS, earliest } from "@gateway/protocol/units.ts";

/** The previous secret keeps signing for 24 hours (docs/internals/delivery.md, "Signing secrets"). */
export const ROTATION_OVERLAP_MS = DAY_MS;

type Secret = { number: number; lane: number; expiresAt: number | null; sealed: Uint8Array; key: Promise<CryptoKey> | null };
type Row = { number: number; lane: number; expires_at: number | null; sealed: ArrayBuffer };

/** Changes are synchronous and take sealed bytes, so that they can share a block with other writes. */
export class Secrets {
  readonly #sql: SqlStorage;
  readonly #vault: () => Vault | null;
  readonly #byLane = new Map<number, Secret[]>();

  constructor(sql: SqlStorage, vault: () => Vault | null) {
    this.#sql = sql;
    this.#vault = vault;
    for (const row of sql.exec<Row>("SELECT number, lane, expires_at, sealed FROM secret ORDER BY number DESC")) {
      this.#cache({ number: row.number, lane: row.lane, expiresAt: row.expires_at, sealed: new Uint8Array(row.sealed), key: null }, "last");
    }
  }

  seal(secret: string): Uint8Array {
    return this.#opened().seal(secret, "secret");
  }

  valid(lane: number, now: number): readonly { expiresAt: number | null }[] {
    return this.#valid(lane, now);
  }

  /** Adds the lane's newest secret. The previous one keeps signing until `previousUntil`; null removes it immediately. */
  add(lane: number, sealed: Uint8Array, now: number, previousUntil: number | null): void {
    if (previousUntil === null) this.removeAll(lane);
    else {
      this.#sql.exec("UPDATE secret SET expires_at = ? WHERE lane = ? AND expires_at IS NULL", previousUntil, lane);
      for (const secret of this.#byLane.get(lane) ?? []) secret.expiresAt ??= previousUntil;
    }
    const { number } = this.#sql
      .exec<{ number: number }>("INSERT INTO secret (lane, sealed, created_at) VALUES (?, ?, ?) RETURNING number", lane, sealed, now)
      .one();
    this.#cache({ number, lane, expiresAt: null, sealed, key: null }, "first");
  }

  removeAll(lane: number): void {
    this.#sql.exec("DELETE FROM secret WHERE lane = ?", lane);
    this.#byLane.delete(lane);
  }

  keys(lane: number, signing: Signing, now: number): Promise<CryptoKey[]> {
    return Promise.all(this.#valid(lane, now).map((secret) => (secret.key ??= this.#import(secret, signing))));
  }

  nextExpiry(): number | null {
    return earliest([...this.#byLane.values()].flat().map(({ expiresAt }) => expiresAt));
  }

  dropExpired(now: number): void {
    if ((this.nextExpiry() ?? Number.POSITIVE_INFINITY) > now) return;
    this.#sql.exec("DELETE FROM secret WHERE expires_at <= ?", now);
    for (const [lane, secrets] of this.#byLane)
      this.#byLane.set(
        lane,
        secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now),
      );
  }

  #valid(lane: number, now: number): Secret[] {
    return (this.#byLane.get(lane) ?? []).filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  }

  #cache(secret: Secret, where: "first" | "last"): void {
    const known = this.#byLane.get(secret.lane) ?? [];
    this.#byLane.set(secret.lane, where === "first" ? [secret, ...known] : [...known, secret]);
  }

  #opened(): Vault {
    const vault = this.#vault();
    if (vault === null) throw new Error("the key of the signing secrets is not available");
    return vault;
  }

  async #import(secret: Secret, signing: Signing): Promise<CryptoKey> {
    const bytes = signing.keyOf(this.#opened().open(secret.sealed, "secret"));
    return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  }
}
