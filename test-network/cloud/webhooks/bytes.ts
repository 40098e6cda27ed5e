// The bytes of a webhook as Meta writes them, and what signs them.
import { createHmac } from "node:crypto";

/** JSON as PHP writes it: ASCII alone, `\u00e9` in lower case, `\/`. */
export function phpJson(value: unknown): string {
  return escaped(JSON.stringify(value)).replaceAll("/", String.raw`\/`);
}

/** Escapes all characters outside of ASCII, such as `\u00e9`. */
export function escaped(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** `escaped`: of the text with its escapes, whatever the bytes are. */
export type Sign = "right" | "wrong" | "none" | "escaped";

/** The value of `X-Hub-Signature-256`; null when there is none. */
export function signatureOf(body: string, secret: string, sign: Sign): string | null {
  if (sign === "none") return null;
  const key = sign === "wrong" ? `${secret}-not` : secret;
  return `sha256=${createHmac("sha256", key)
    .update(sign === "escaped" ? escaped(body) : body)
    .digest("hex")}`;
}
