import type { CommandRow } from "@gateway/protocol/commands.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import { isDiskFull } from "../media/spool.ts";
import { asAttempted, failureOfError, networkCode, type Subject } from "../session/network-failures.ts";

/** Translates a command's error. Without a response, only a creation has an unknown outcome. */
export function failureOfCommand(error: unknown, subject: Subject, effect: CommandRow["effect"]): Failure {
  if (isDiskFull(error)) return { code: "unavailable" };
  const failure = failureOfError(error, subject);
  if (failure.code === "unavailable") return unanswered(effect);
  return effect === "read" || networkCode(error) === null ? failure : asAttempted(failure);
}

/** The failure when the network did not respond, in which case the library returns `undefined` or throws. */
export function unanswered(effect: CommandRow["effect"]): Failure {
  return { code: effect === "create" ? "send_outcome_unknown" : "network_timeout" };
}
