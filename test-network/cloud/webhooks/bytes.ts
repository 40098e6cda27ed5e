import { createHmac } from "node:crypto";

/** Encodes JSON as PHP does: ASCII only, with lower-case `\u00e9` and with `\/`. */
export function phpJson(value: unknown): string {
  return escaped(JSON.stringify(value)).replaceAll("/", String.raw`\/`);
}

export function escaped(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** `escaped` means that the signature covers the escaped text, even if the body is sent unescaped. */
export type Sign = "right" | "wrong" | "none" | "escaped";

export function signatureOf(body: string, secret: string, sign: Sign): string | null {
  if (sign === "none") return null;
  const key = sign === "wrong" ? `${secret}-not` : secret;
  return `sha256=${createHmac("sha256", key)
    .update(sign === "escaped" ? escaped(body) : body)
    .digest("hex")}`;
}
