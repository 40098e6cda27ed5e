// What the notes of all families are made of.
import type { RequestExample, RouteNotes } from "../../../http/openapi/surface.ts";
import type { FailureCode } from "../../../protocol/failures.ts";

/** By `METHOD /path`. A route without a body needs no example of its own: its parameters have theirs. */
export type Notes = Record<string, Partial<RouteNotes>>;

/** Whatever asks the network. */
export const NETWORK: readonly FailureCode[] = [
  "instance_not_connected",
  "network_rate_limited",
  "not_supported",
  "network_error",
  "instance_reconnecting",
  "network_timeout",
];

/** Whatever puts a message on the wire: it never answers 504, an unknown outcome is 424. */
export const SENDING: readonly FailureCode[] = [
  "instance_not_connected",
  "new_chat_refused",
  "temporarily_blocked",
  "send_outcome_unknown",
  "network_rate_limited",
  "not_supported",
  "network_error",
  "instance_reconnecting",
];

export function note(failures: readonly FailureCode[], body?: unknown, more: Partial<RequestExample> = {}): Partial<RouteNotes> {
  return { failures, example: { ...(body === undefined ? {} : { body }), ...more } };
}
