// The failure that a command's error means to the caller (docs/internals/statuses.md, "Errors of the network").
import type { CommandRow } from "@gateway/protocol/commands.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import { isDiskFull } from "../media/spool.ts";
import { asAttempted, failureOfError, networkCode, type Subject } from "../session/network-failures.ts";

/** The network's errors keep their meaning; without an answer only the outcome of a creation is unknown. */
export function failureOfCommand(error: unknown, subject: Subject, effect: CommandRow["effect"]): Failure {
  if (isDiskFull(error)) return { code: "unavailable" };
  const failure = failureOfError(error, subject);
  if (failure.code === "unavailable") return unanswered(effect);
  return effect === "read" || networkCode(error) === null ? failure : asAttempted(failure);
}

/** The network did not answer: the library returns `undefined`, or throws on it. */
export function unanswered(effect: CommandRow["effect"]): Failure {
  return { code: effect === "create" ? "send_outcome_unknown" : "network_timeout" };
}
