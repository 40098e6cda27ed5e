// The queues' signing secrets, encrypted at rest, and their HMAC keys.
import type { Signing } from "@gateway/domain/webhooks/signature.ts";
import type { Vault } from "#root/src/services/secrets/vault.ts";
import { DAY_MS, earliest } from "@gateway/protocol/units.ts";

/** The previous secret keeps signing for 24 hours (docs/internals/delivery.md, "Signing secrets"). */
export const ROTATION_OVERLAP_MS = DAY_MS;

type Secret = { number: number; queueId: number; expiresAt: number | null; sealed: Uint8Array; key: Promise<CryptoKey> | null };
type SecretRow = { number: number; queue_id: number; expires_at: number | null; sealed: ArrayBuffer };

/** Changes are synchronous and accept encrypted bytes, so that they can share a block with other writes. */
export class Secrets {
  readonly #sql: SqlStorage;
  readonly #vault: () => Vault | null;
  readonly #byQueue = new Map<number, Secret[]>();

  constructor(sql: SqlStorage, vault: () => Vault | null) {
    this.#sql = sql;
    this.#vault = vault;
    this.load();
  }

  /** Reads the secrets on startup and after the clock was set back. */
  load(): void {
    this.#byQueue.clear();
    for (const row of this.#sql.exec<SecretRow>("SELECT number, queue_id, expires_at, sealed FROM secret ORDER BY number DESC")) {
      this.#cache(
        { number: row.number, queueId: row.queue_id, expiresAt: row.expires_at, sealed: new Uint8Array(row.sealed), key: null },
        "last",
      );
    }
  }

  seal(secret: string): Uint8Array {
    return this.#opened().seal(secret, "secret");
  }

  /** True if this is the queue's only secret. With an empty `secret`, true if the queue has none. */
  isOnly(queueId: number, secret: string): boolean {
    const own = this.#byQueue.get(queueId) ?? [];
    return own.map(({ sealed }) => this.#opened().open(sealed, "secret")).join(" ") === secret;
  }

  valid(queueId: number, now: number): readonly { expiresAt: number | null }[] {
    return this.#valid(queueId, now);
  }

  /** Adds the queue's newest secret. The previous one keeps signing until `previousUntil`, and null removes it immediately. */
  add(queueId: number, sealed: Uint8Array, now: number, previousUntil: number | null): void {
    if (previousUntil === null) this.removeAll(queueId);
    else {
      this.#sql.exec("UPDATE secret SET expires_at = ? WHERE queue_id = ? AND expires_at IS NULL", previousUntil, queueId);
      for (const secret of this.#byQueue.get(queueId) ?? []) secret.expiresAt ??= previousUntil;
    }
    const { number } = this.#sql
      .exec<{ number: number }>("INSERT INTO secret (queue_id, sealed, created_at) VALUES (?, ?, ?) RETURNING number", queueId, sealed, now)
      .one();
    this.#cache({ number, queueId, expiresAt: null, sealed, key: null }, "first");
  }

  removeAll(queueId: number): void {
    this.#sql.exec("DELETE FROM secret WHERE queue_id = ?", queueId);
    this.#byQueue.delete(queueId);
  }

  /** Drops from memory the secrets of a transaction that was rolled back. */
  rolledBack(queueId: number): void {
    this.#byQueue.delete(queueId);
  }

  keys(queueId: number, signing: Signing, now: number): Promise<CryptoKey[]> {
    return Promise.all(this.#valid(queueId, now).map((secret) => (secret.key ??= this.#import(secret, signing))));
  }

  nextExpiry(): number | null {
    return earliest([...this.#byQueue.values()].flat().map(({ expiresAt }) => expiresAt));
  }

  dropExpired(now: number): void {
    if ((this.nextExpiry() ?? Number.POSITIVE_INFINITY) > now) return;
    this.#sql.exec("DELETE FROM secret WHERE expires_at <= ?", now);
    for (const [queueId, secrets] of this.#byQueue)
      this.#byQueue.set(
        queueId,
        secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now),
      );
  }

  #valid(queueId: number, now: number): Secret[] {
    return (this.#byQueue.get(queueId) ?? []).filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  }

  #cache(secret: Secret, where: "first" | "last"): void {
    const known = this.#byQueue.get(secret.queueId) ?? [];
    this.#byQueue.set(secret.queueId, where === "first" ? [secret, ...known] : [...known, secret]);
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
