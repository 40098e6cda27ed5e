// Random keys, encrypted under the current entry of STATE_SECRET. A rotation re-encrypts only the keys, not the data.
import { toBase64 } from "@gateway/domain/base64.ts";
import { currentSecret, type VersionedSecrets } from "@gateway/domain/keys/secrets.ts";
import { log } from "#root/src/log.ts";
import { derivedKey, KEY_BYTES, Vault } from "#root/src/services/secrets/vault.ts";

/** `state` encrypts the rows for the bridge, and `vault` the data that this object encrypts itself. */
const NAMES = ["state", "vault"] as const;
type Name = (typeof NAMES)[number];

type DataKeyRow = { name: Name; kid: number; sealed: ArrayBuffer };

export class DataKeys {
  readonly #sql: SqlStorage;
  readonly #secrets: VersionedSecrets;
  readonly #connection: string;
  readonly #keys = new Map<Name, Uint8Array>();
  /** Keys that cannot be decrypted, and the STATE_SECRET entry each needs, which is missing or has changed. */
  readonly #missing = new Map<Name, number>();

  /** Re-encrypts keys that are encrypted under an older entry. `objectName` is the same as in `Identity`. */
  constructor(sql: SqlStorage, secrets: VersionedSecrets, objectName: string) {
    this.#sql = sql;
    this.#secrets = secrets;
    const known = sql.exec<{ uuid: string }>("SELECT record ->> '$.uuid' AS uuid FROM identity").toArray()[0];
    this.#connection = known?.uuid ?? objectName;
    for (const row of sql.exec<DataKeyRow>("SELECT name, kid, sealed FROM data_key").toArray()) this.#read(row);
    for (const kid of new Set(this.#missing.values())) {
      log("secrets.entry_missing", { connection: this.#connection, setting: "STATE_SECRET", kid });
    }
  }

  /** The `kid` of the STATE_SECRET entry that this object needs. */
  get kid(): number {
    return [...this.#missing.values()][0] ?? currentSecret(this.#secrets).kid;
  }

  /** The key for state rows (base64 of 32 bytes). Null if its STATE_SECRET entry is missing or has changed. */
  stateKey(): string | null {
    const key = this.#known("state");
    return key === null ? null : toBase64(key);
  }

  vault(): Vault | null {
    const key = this.#known("vault");
    return key === null ? null : new Vault(key);
  }

  /** Replaces the key for state rows, even an unreadable one. Call it only while no rows are stored and no session uses the old key. */
  renewStateKey(): void {
    this.#known("vault");
    this.#store("state", randomKey());
  }

  #known(name: Name): Uint8Array | null {
    if (this.#keys.size === 0 && this.#missing.size === 0) for (const each of NAMES) this.#store(each, randomKey());
    return this.#keys.get(name) ?? null;
  }

  #read({ name, kid, sealed }: DataKeyRow): void {
    const key = this.#opened(name, kid, new Uint8Array(sealed));
    if (key === null) this.#missing.set(name, kid);
    else if (kid === currentSecret(this.#secrets).kid) this.#keys.set(name, key);
    else this.#store(name, key);
  }

  #store(name: Name, key: Uint8Array): void {
    const { kid, secret } = currentSecret(this.#secrets);
    const sealed = this.#sealing(secret).sealBytes(key, name);
    this.#sql.exec("INSERT OR REPLACE INTO data_key (name, kid, sealed) VALUES (?, ?, ?)", name, kid, sealed);
    this.#keys.set(name, key);
    this.#missing.delete(name);
  }

  #opened(name: Name, kid: number, sealed: Uint8Array): Uint8Array | null {
    const secret = this.#secrets.get(kid);
    if (secret === undefined) return null;
    try {
      return this.#sealing(secret).openBytes(sealed, name);
    } catch {
      return null;
    }
  }

  #sealing(secret: Uint8Array): Vault {
    return new Vault(derivedKey(secret, this.#connection, "data keys"));
  }
}

function randomKey(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(KEY_BYTES));
}
