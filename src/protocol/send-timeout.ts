// How long a send may take, on both sides of the session socket: the bridge gives up and the object answers at the same time.
import type { SendContent, SendRequest } from "./content.ts";
import { chatKind } from "./ids.ts";

/** `sharedMs`: to a group or the status feed, whose first message needs a session with everybody's devices. */
export type SendTimeouts = { textMs: number; sharedMs: number; mediaMs: number };

/** From the request to the network's acknowledgement; with a file, its upload included (docs/use/apis.md, "Sending"). */
export const SEND_TIMEOUTS: SendTimeouts = { textMs: 10_000, sharedMs: 30_000, mediaMs: 60_000 };

/** The time for showing "typing" is added. */
export function sendTimeoutMs({ chat_id, content, typing_ms }: SendRequest, timeouts: SendTimeouts = SEND_TIMEOUTS): number {
  if (hasFile(content)) return typing_ms + timeouts.mediaMs;
  const kind = chatKind(chat_id);
  return typing_ms + (kind === "group" || kind === "status" ? timeouts.sharedMs : timeouts.textMs);
}

export function hasFile(content: SendContent): boolean {
  if (content.kind === "buttons") return content.header !== null && typeof content.header !== "string";
  return "media" in content || (content.kind === "text" && content.preview?.image != null);
}
