// The keys of this object: random, and stored encrypted under the current entry of STATE_SECRET. When that changes, only they are
// encrypted anew, not what they encrypt (docs/security.md, "State at rest").
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { toBase64 } from "../../src/domain/base64.ts";
import { currentSecret, IMPLIED_KID, type VersionedSecrets } from "../../src/domain/keys/secrets.ts";
import { log } from "../../src/log.ts";
import { derivedKey, KEY_BYTES, Vault } from "../../src/services/secrets/vault.ts";

/** `state`: of the rows that the bridge encrypts; `vault`: of what this object encrypts itself. */
type Name = "state" | "vault";

type Row = { name: Name; kid: number; sealed: ArrayBuffer };

export class DataKeys {
  readonly #sql: SqlStorage;
  readonly #secrets: VersionedSecrets;
  readonly #connection: string;
  #keys: Map<Name, Uint8Array> | null = null;
  /** The entry that the stored keys are encrypted under; null while there are none. */
  #kid: number | null = null;

  /** Encrypts stored keys under the current entry if they are under an older one. `objectName`: as of `Identity`. */
  constructor(sql: SqlStorage, secrets: VersionedSecrets, objectName: string) {
    this.#sql = sql;
    this.#secrets = secrets;
    const known = sql.exec<{ uuid: string }>("SELECT record ->> '$.uuid' AS uuid FROM identity").toArray()[0];
    this.#connection = known?.uuid ?? objectName;
    const rows = sql.exec<Row>("SELECT name, kid, sealed FROM data_key").toArray();
    if (rows.length > 0) this.#read(rows);
    else if (known !== undefined) this.#adopt();
  }

  /** The entry of STATE_SECRET without which this object's secrets could not be read. */
  get kid(): number {
    return this.#kid ?? currentSecret(this.#secrets).kid;
  }

  /** With which a bridge encrypts state rows: base64 of 32 bytes. Null when the entry it needs is not set, or is another one. */
  stateKey(): string | null {
    const key = this.#known()?.get("state");
    return key === undefined ? null : toBase64(key);
  }

  /** Null like `stateKey`. */
  vault(): Vault | null {
    const key = this.#known()?.get("vault");
    return key === undefined ? null : new Vault(key);
  }

  /** A new key for state rows. Only while none are stored and no session has the old one. */
  renewStateKey(): void {
    const keys = this.#known();
    if (keys !== null) this.#store(new Map([...keys, ["state", randomKey()]]));
  }

  #known(): ReadonlyMap<Name, Uint8Array> | null {
    // The first use in a new object; one whose entry is missing has a `#kid`.
    if (this.#keys === null && this.#kid === null) {
      this.#store(
        new Map([
          ["state", randomKey()],
          ["vault", randomKey()],
        ]),
      );
    }
    return this.#keys;
  }

  #read(rows: readonly Row[]): void {
    const [{ kid } = { kid: IMPLIED_KID }] = rows;
    this.#kid = kid;
    const vault = this.#vaultOf(kid);
    if (vault === null) return;
    const keys = openedWith(vault, rows);
    if (keys === null) return this.#warn(kid);
    if (kid === currentSecret(this.#secrets).kid) this.#keys = keys;
    else this.#store(keys);
  }

  /** The keys of an object from before they were stored: derived from the secret itself, which had no number then. */
  #adopt(): void {
    this.#kid = IMPLIED_KID;
    const secret = this.#secrets.get(IMPLIED_KID);
    if (secret === undefined) return this.#warn(IMPLIED_KID);
    this.#store(
      new Map([
        ["state", hkdf(sha256, secret, undefined, utf8ToBytes(`session state ${this.#connection}`), KEY_BYTES)],
        ["vault", derivedKey(secret, this.#connection, "webhook-secrets")],
      ]),
    );
  }

  #store(keys: Map<Name, Uint8Array>): void {
    const { kid } = currentSecret(this.#secrets);
    const vault = this.#vaultOf(kid);
    if (vault === null) return;
    for (const [name, key] of keys) {
      this.#sql.exec("INSERT OR REPLACE INTO data_key (name, kid, sealed) VALUES (?, ?, ?)", name, kid, vault.sealBytes(key, name));
    }
    this.#keys = keys;
    this.#kid = kid;
  }

  #vaultOf(kid: number): Vault | null {
    const secret = this.#secrets.get(kid);
    if (secret !== undefined) return new Vault(derivedKey(secret, this.#connection, "data keys"));
    this.#warn(kid);
    return null;
  }

  #warn(kid: number): void {
    log("secrets.entry_missing", { connection: this.#connection, setting: "STATE_SECRET", kid });
  }
}

/** Null when the entry of that number is another one than it was. */
function openedWith(vault: Vault, rows: readonly Row[]): Map<Name, Uint8Array> | null {
  try {
    return new Map(rows.map(({ name, sealed }) => [name, vault.openBytes(new Uint8Array(sealed), name)]));
  } catch {
    return null;
  }
}

function randomKey(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(KEY_BYTES));
}
