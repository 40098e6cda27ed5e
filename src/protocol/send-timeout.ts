// How long a send may take, on both sides of the session socket: the bridge gives up and the object answers at the same time.
import type { SendContent, SendRequest } from "./content.ts";

export type SendTimeouts = { textMs: number; mediaMs: number };

/** From the request to the network's acknowledgement; with a file, its upload included (docs/apis.md, "Sending"). */
export const SEND_TIMEOUTS: SendTimeouts = { textMs: 10_000, mediaMs: 60_000 };

/** The time for showing "typing" is added. */
export function sendTimeoutMs({ content, typing_ms }: SendRequest, { textMs, mediaMs }: SendTimeouts = SEND_TIMEOUTS): number {
  return typing_ms + (hasFile(content) ? mediaMs : textMs);
}

export function hasFile(content: SendContent): boolean {
  return "media" in content || (content.kind === "text" && content.preview?.image != null);
}
