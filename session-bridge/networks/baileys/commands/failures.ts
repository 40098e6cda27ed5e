// What a command's error means to the caller (docs/durability.md, "Errors of the network").
import type { CommandRow } from "../../../../src/protocol/commands.ts";
import type { Failure } from "../../../../src/protocol/failures.ts";
import { failureOfError, type Subject } from "../session/network-failures.ts";

/** An error of the network keeps its meaning; without any answer only what makes something new is in doubt. */
export function failureOfCommand(error: unknown, subject: Subject, effect: CommandRow["effect"]): Failure {
  const failure = failureOfError(error, subject);
  return failure.code === "unavailable" ? unanswered(effect) : failure;
}

/** Asked, and nothing came back: the library says so by `undefined`, or trips over it. */
export function unanswered(effect: CommandRow["effect"]): Failure {
  return { code: effect === "create" ? "send_outcome_unknown" : "network_timeout" };
}
