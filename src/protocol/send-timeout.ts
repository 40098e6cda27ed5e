// How long a send may take. Both ends of the session socket use this value, so the bridge gives up when the object responds.
import type { SendContent, SendRequest } from "./content.ts";
import { chatKind } from "./ids.ts";

/** `sharedMs`: for groups and the status feed, where the first message needs a session with every member's devices. */
export type SendTimeouts = { textMs: number; sharedMs: number; mediaMs: number };

/** Time from the request to the network's acknowledgement, including the upload of a file (docs/use/apis.md, "Sending"). */
export const SEND_TIMEOUTS: SendTimeouts = { textMs: 10_000, sharedMs: 30_000, mediaMs: 60_000 };

export function sendTimeoutMs({ chat_id, content, typing_ms }: SendRequest, timeouts: SendTimeouts = SEND_TIMEOUTS): number {
  if (hasFile(content)) return typing_ms + timeouts.mediaMs;
  const kind = chatKind(chat_id);
  return typing_ms + (kind === "group" || kind === "status" ? timeouts.sharedMs : timeouts.textMs);
}

export function hasFile(content: SendContent): boolean {
  if (content.kind === "buttons") return content.header !== null && typeof content.header !== "string";
  return "media" in content || (content.kind === "text" && content.preview?.image != null);
}
