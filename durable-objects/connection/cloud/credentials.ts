// A Cloud API number's credentials, encrypted at rest. Only `configureCloud` sets them, and only Graph receives them.
import { DAY_MS } from "@gateway/protocol/units.ts";
import type { Vault } from "#root/src/services/secrets/vault.ts";

export type StoredCredentials = {
  phoneNumberId: string;
  wabaId: string;
  appId: string | null;
  accessToken: string;
  appSecret: string;
  verifyToken: string;
  /** PIN for a number that must be registered when it first connects. */
  pin?: string | null;
};

/** How long webhooks signed with the previous app secret are accepted. */
const PREVIOUS_SECRET_MS = DAY_MS;

type CredentialsRow = {
  phone_number_id: string;
  waba_id: string;
  app_id: string | null;
  access_token: ArrayBuffer;
  app_secret: ArrayBuffer;
  verify_token: ArrayBuffer;
  previous_secret: ArrayBuffer | null;
  previous_until: number | null;
  pin: ArrayBuffer | null;
};
type Secret = "access_token" | "app_secret" | "verify_token" | "pin";
type Opened = StoredCredentials & { previous: { secret: string; until: number } | null };

export class CloudCredentials {
  readonly #sql: SqlStorage;
  readonly #vault: () => Vault | null;
  #opened: Opened | null | undefined;

  constructor(sql: SqlStorage, vault: () => Vault | null) {
    this.#sql = sql;
    this.#vault = vault;
  }

  get(): StoredCredentials | null {
    return this.#read();
  }

  /** App secrets that may sign a webhook, current one first. */
  appSecrets(now: number): string[] {
    const opened = this.#read();
    if (opened === null) return [];
    return [opened.appSecret, ...(opened.previous !== null && opened.previous.until > now ? [opened.previous.secret] : [])];
  }

  /** Stores the credentials. Returns false if no encryption key is available. The previous app secret stays valid for a day. */
  store(credentials: StoredCredentials, now: number): boolean {
    const vault = this.#vault();
    if (vault === null) return false;
    const known = this.#read();
    const { appSecret, accessToken, verifyToken, pin = null } = credentials;
    const replaced = known !== null && known.appSecret !== appSecret ? { secret: known.appSecret, until: now + PREVIOUS_SECRET_MS } : null;
    const previous = replaced ?? (known !== null && known.previous?.secret !== appSecret ? known.previous : null);
    const seal = (secret: string, name: Secret) => vault.seal(secret, contextOf(name));
    this.#sql.exec(
      `INSERT OR REPLACE INTO cloud_credentials
         (one, phone_number_id, waba_id, app_id, access_token, app_secret, verify_token, previous_secret, previous_until, pin)
       VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      credentials.phoneNumberId,
      credentials.wabaId,
      credentials.appId,
      seal(accessToken, "access_token"),
      seal(appSecret, "app_secret"),
      seal(verifyToken, "verify_token"),
      previous === null ? null : seal(previous.secret, "app_secret"),
      previous?.until ?? null,
      pin === null ? null : seal(pin, "pin"),
    );
    this.#opened = { ...credentials, previous };
    return true;
  }

  wipe(): void {
    this.#sql.exec("DELETE FROM cloud_credentials");
    this.#opened = null;
  }

  #read(): Opened | null {
    if (this.#opened !== undefined) return this.#opened;
    const row = this.#sql.exec<CredentialsRow>("SELECT * FROM cloud_credentials").toArray()[0];
    const vault = row === undefined ? null : this.#vault();
    if (row === undefined || vault === null) return null;
    this.#opened = openRow(row, vault);
    return this.#opened;
  }
}

function openRow(row: CredentialsRow, vault: Vault): Opened {
  const open = (sealed: ArrayBuffer, name: Secret) => vault.open(new Uint8Array(sealed), contextOf(name));
  const { previous_secret: secret, previous_until: until } = row;
  return {
    phoneNumberId: row.phone_number_id,
    wabaId: row.waba_id,
    appId: row.app_id,
    accessToken: open(row.access_token, "access_token"),
    appSecret: open(row.app_secret, "app_secret"),
    verifyToken: open(row.verify_token, "verify_token"),
    pin: row.pin === null ? null : open(row.pin, "pin"),
    previous: secret === null || until === null ? null : { secret: open(secret, "app_secret"), until },
  };
}

function contextOf(name: Secret): string {
  return `cloud-credentials ${name}`;
}
