// Verifies a webhook's signature (docs/operate/untrusted-input.md, "Webhooks from Meta").

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
const HEADER = /^sha256=([0-9a-f]{64})$/;
const HEX_DIGITS = new TextEncoder().encode("0123456789abcdef");
const ESCAPE_LENGTH = 6;

/** `header` is `X-Hub-Signature-256`. Accepts the bytes as sent, or with `\u00e9` escapes, because Meta's guides describe both. */
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
  if (text !== null && text.length < bytes.length) yield escaped(text);
}

/** Escapes each UTF-16 unit. Works on bytes, because `replaceAll` on 4 MB would block the object for a second. */
function escaped(text: string): Uint8Array {
  const units = text.length;
  let length = 0;
  for (let at = 0; at < units; at++) length += text.charCodeAt(at) < 0x80 ? 1 : ESCAPE_LENGTH;
  const bytes = new Uint8Array(length);
  let end = 0;
  for (let at = 0; at < units; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) {
      bytes[end++] = unit;
      continue;
    }
    bytes[end++] = 0x5c;
    bytes[end++] = 0x75;
    for (let shift = 12; shift >= 0; shift -= 4) bytes[end++] = HEX_DIGITS[(unit >> shift) & 0xf] ?? 0;
  }
  return bytes;
}

export function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
