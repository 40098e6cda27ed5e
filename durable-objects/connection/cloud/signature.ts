// Whether a webhook was signed with a secret of the app (docs/security.md, "Meta's webhook").

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
const HEADER = /^sha256=([0-9a-f]{64})$/;
const NON_ASCII = /[^\0-\x7f]/;
/** Unit by unit, so that a character outside of the basic plane becomes two escapes. */
const NON_ASCII_UNITS = /[^\0-\x7f]/g;

/**
 * `header`: of `X-Hub-Signature-256`. Meta signs the bytes that it sends; of a body with characters outside of ASCII its guides also say that
 * it signs the text with `\u00e9` in their place. Compared by the platform, in constant time.
 */
export async function isSigned(bytes: Uint8Array, header: string | null, secrets: readonly string[]): Promise<boolean> {
  const signature = signatureIn(header);
  if (signature === null) return false;
  const keys = await Promise.all(secrets.map(keyOf));
  for (const form of forms(bytes)) {
    for (const key of keys) if (await crypto.subtle.verify(ALGORITHM, key, signature, form)) return true;
  }
  return false;
}

function signatureIn(header: string | null): Uint8Array<ArrayBuffer> | null {
  const hex = HEADER.exec(header ?? "")?.[1];
  return hex === undefined ? null : Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function keyOf(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", new TextEncoder().encode(secret), ALGORITHM, false, ["verify"]);
}

function* forms(bytes: Uint8Array): Generator<Uint8Array> {
  yield bytes;
  const text = textOf(bytes);
  if (text !== null && NON_ASCII.test(text)) yield new TextEncoder().encode(text.replaceAll(NON_ASCII_UNITS, escaped));
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Null for what is no UTF-8. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
