// Requests of a bridge to its gateway pass an edge that may answer in the gateway's place: a challenge, a limit, an error page. Such an answer
// is retryable, whatever its status. Only the gateway's own body makes a refusal final.
import type { Readable } from "node:stream";
import { z } from "zod";

/** Browser Integrity Check, on by default on Cloudflare's zones, refuses clients that name none. */
export const USER_AGENT = { "user-agent": "Service-Bridge/1.0" };

const MAX_BYTES = 4_096;
const OwnBody = z.object({ error: z.object({ code: z.string() }) });

/** Whether the body of a refusal is the gateway's own. Reads no more than such a body has. */
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
