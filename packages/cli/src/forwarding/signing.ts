// Signs forwarded events in the same way as the gateway signs its webhooks.
import { createHmac } from "node:crypto";

const PREFIX = "whsec_";

/** The secret depends only on the key and the URL, so that the receiver's configuration stays the same between runs. */
export function localSecret(apiKey: string, forwardTo: string): string {
  return PREFIX + createHmac("sha256", apiKey).update(`listen\n${forwardTo}`).digest("base64");
}

export function isSecret(secret: string): boolean {
  return secret.startsWith(PREFIX) && /^[A-Za-z0-9+/]{16,}={0,2}$/.test(secret.slice(PREFIX.length));
}

/** How each API signs its webhooks (docs/use/events.md, "Signatures"). */
export type Scheme = "connection" | "account";

export function signedHeaders(
  scheme: Scheme,
  secret: string,
  { id, body }: { id: string; body: string },
  nowMs: number,
): Record<string, string> {
  const sign = (key: string | Buffer, text: string, as: "base64" | "hex"): string => createHmac("sha256", key).update(text).digest(as);
  const type = { "content-type": "application/json" };
  if (scheme === "account") return { ...type, "x-service-signature": sign(secret, body, "hex") };
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = sign(Buffer.from(secret.slice(PREFIX.length), "base64"), `${id}.${timestamp}.${body}`, "base64");
  return { ...type, "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
