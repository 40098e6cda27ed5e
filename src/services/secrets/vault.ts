// Encryption of webhook secrets at rest, with a key of one connection or one account alone.

const NONCE_BYTES = 12;

/** AES-256-GCM under HKDF-SHA256(STATE_SECRET, owner); `context` must be the same to open as it was to seal. */
export class Vault {
  readonly #stateSecret: string;
  readonly #owner: string;
  #key: Promise<CryptoKey> | null = null;

  /** `owner`: the UUID of the connection, or the id of the user. */
  constructor(stateSecret: string, owner: string) {
    this.#stateSecret = stateSecret;
    this.#owner = owner;
  }

  /** Nonce first, then the ciphertext. */
  async seal(text: string, context: string): Promise<Uint8Array> {
    const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const bytes = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: utf8(context) }, await this.#keyOnce(), utf8(text));
    const sealed = new Uint8Array(NONCE_BYTES + bytes.byteLength);
    sealed.set(iv);
    sealed.set(new Uint8Array(bytes), NONCE_BYTES);
    return sealed;
  }

  /** Throws when the bytes were not sealed for this owner in this context. */
  async open(sealed: Uint8Array, context: string): Promise<string> {
    const iv = sealed.subarray(0, NONCE_BYTES);
    const bytes = await crypto.subtle.decrypt(
      { name: "AES-GCM", iv, additionalData: utf8(context) },
      await this.#keyOnce(),
      sealed.subarray(NONCE_BYTES),
    );
    return new TextDecoder().decode(bytes);
  }

  #keyOnce(): Promise<CryptoKey> {
    this.#key ??= this.#derive();
    return this.#key;
  }

  async #derive(): Promise<CryptoKey> {
    const root = await crypto.subtle.importKey("raw", utf8(this.#stateSecret), "HKDF", false, ["deriveKey"]);
    const how = { name: "HKDF", hash: "SHA-256", salt: utf8(this.#owner), info: utf8("webhook-secrets") };
    return crypto.subtle.deriveKey(how, root, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
