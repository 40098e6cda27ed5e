// A proxy may respond instead of the gateway (challenge, rate limit), so only a refusal with the gateway's own body is final.
import type { Readable } from "node:stream";
import * as z from "zod";

/** Cloudflare's Browser Integrity Check, on by default, rejects clients without a user agent. */
export const USER_AGENT = { "user-agent": "Service-Bridge/1.0" };

const MAX_BYTES = 4_096;
const OwnBody = z.object({ error: z.object({ code: z.string() }) });

/** True if the refusal's body came from the gateway. Reads no more bytes than the gateway's own body can have. */
export async function isOwnRefusal(body: Readable | ReadableStream<Uint8Array> | null): Promise<boolean> {
  let text = "";
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (text.length > MAX_BYTES) return false;
    }
    return OwnBody.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
