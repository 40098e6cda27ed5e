// The keys of this object: random, and stored encrypted under the current entry of STATE_SECRET. When that changes, only they are
// encrypted anew, not what they encrypt (docs/operate/security.md, "State at rest").
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { toBase64 } from "@gateway/domain/base64.ts";
import { currentSecret, IMPLIED_KID, type VersionedSecrets } from "@gateway/domain/keys/secrets.ts";
import { log } from "../../src/log.ts";
import { derivedKey, KEY_BYTES, Vault } from "../../src/services/secrets/vault.ts";

/** `state`: of the rows that the bridge encrypts; `vault`: of what this object encrypts itself. */
const NAMES = ["state", "vault"] as const;
type Name = (typeof NAMES)[number];

type Row = { name: Name; kid: number; sealed: ArrayBuffer };

export class DataKeys {
  readonly #sql: SqlStorage;
  readonly #secrets: VersionedSecrets;
  readonly #connection: string;
  readonly #keys = new Map<Name, Uint8Array>();
  /** The entries of the keys that cannot be opened: they are not set, or are other ones than they were. */
  readonly #missing = new Map<Name, number>();

  /** Encrypts stored keys under the current entry if they are under an older one. `objectName`: as of `Identity`. */
  constructor(sql: SqlStorage, secrets: VersionedSecrets, objectName: string) {
    this.#sql = sql;
    this.#secrets = secrets;
    const known = sql.exec<{ uuid: string }>("SELECT record ->> '$.uuid' AS uuid FROM identity").toArray()[0];
    this.#connection = known?.uuid ?? objectName;
    const rows = sql.exec<Row>("SELECT name, kid, sealed FROM data_key").toArray();
    for (const row of rows) this.#read(row);
    if (known !== undefined) for (const name of NAMES) if (!rows.some((row) => row.name === name)) this.#adopt(name);
    for (const kid of new Set(this.#missing.values())) {
      log("secrets.entry_missing", { connection: this.#connection, setting: "STATE_SECRET", kid });
    }
  }

  /** The entry of STATE_SECRET without which this object's secrets could not be read. */
  get kid(): number {
    return [...this.#missing.values()][0] ?? currentSecret(this.#secrets).kid;
  }

  /** With which a bridge encrypts state rows: base64 of 32 bytes. Null when the entry it needs is not set, or is another one. */
  stateKey(): string | null {
    const key = this.#known("state");
    return key === null ? null : toBase64(key);
  }

  /** Null like `stateKey`. */
  vault(): Vault | null {
    const key = this.#known("vault");
    return key === null ? null : new Vault(key);
  }

  /** A new key for state rows, also in place of one that cannot be opened. Only while none are stored and no session has the old one. */
  renewStateKey(): void {
    this.#known("vault");
    this.#store("state", randomKey());
  }

  #known(name: Name): Uint8Array | null {
    // The first use in a new object. All at once: one that has only a record is an object from before keys were stored.
    if (this.#keys.size === 0 && this.#missing.size === 0) for (const each of NAMES) this.#store(each, randomKey());
    return this.#keys.get(name) ?? null;
  }

  #read({ name, kid, sealed }: Row): void {
    const key = this.#opened(name, kid, new Uint8Array(sealed));
    if (key === null) this.#missing.set(name, kid);
    else if (kid === currentSecret(this.#secrets).kid) this.#keys.set(name, key);
    else this.#store(name, key);
  }

  /** The key of an object from before they were stored: derived from the secret itself, which had no number then. */
  #adopt(name: Name): void {
    const secret = this.#secrets.get(IMPLIED_KID);
    if (secret === undefined) this.#missing.set(name, IMPLIED_KID);
    else if (name === "vault") this.#store(name, derivedKey(secret, this.#connection, "webhook-secrets"));
    else this.#store(name, hkdf(sha256, secret, undefined, utf8ToBytes(`session state ${this.#connection}`), KEY_BYTES));
  }

  #store(name: Name, key: Uint8Array): void {
    const { kid, secret } = currentSecret(this.#secrets);
    const sealed = this.#sealing(secret).sealBytes(key, name);
    this.#sql.exec("INSERT OR REPLACE INTO data_key (name, kid, sealed) VALUES (?, ?, ?)", name, kid, sealed);
    this.#keys.set(name, key);
    this.#missing.delete(name);
  }

  /** Null when the entry of that number is not set, or is another one than it was. */
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
