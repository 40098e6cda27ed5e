// Signs forwarded events like the gateway signs its webhooks (Standard Webhooks).
import { createHmac } from "node:crypto";

const PREFIX = "whsec_";

/** The secret depends only on the key and the URL, so that the receiver's configuration stays the same between runs. */
export function localSecret(apiKey: string, forwardTo: string): string {
  return PREFIX + createHmac("sha256", apiKey).update(`listen\n${forwardTo}`).digest("base64");
}

export function isSecret(secret: string): boolean {
  return secret.startsWith(PREFIX) && /^[A-Za-z0-9+/]{16,}={0,2}$/.test(secret.slice(PREFIX.length));
}

export function signedHeaders(secret: string, id: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}
