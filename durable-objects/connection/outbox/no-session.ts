import type { Failure, FailureCode } from "@gateway/protocol/failures.ts";

export const NO_SESSION_FAILURE: Failure = { code: "unavailable", retryAfter: 2 };

/** Failures that prove that the send never reached the network. These emit no event, and a waiting caller may retry. */
export const NO_SESSION_CODES: ReadonlySet<FailureCode> = new Set(["unavailable", "instance_reconnecting", "instance_not_connected"]);
