import type { CommandInput, CommandOutput, NetworkCommand, CommandRow } from "@gateway/protocol/commands.ts";
import type { Outcome, Failure } from "@gateway/protocol/failures.ts";
import type { SessionContext } from "../session/session-context.ts";
import { isDiskFull } from "../media/spool.ts";
import { asAttempted, failureOfError, networkCode, type Subject } from "../session/network-failures.ts";

export type CommandHandler<N extends NetworkCommand> = (ctx: SessionContext, input: CommandInput<N>) => Promise<Outcome<CommandOutput<N>>>;

export type CommandHandlers<F extends Family> = { [N in Extract<NetworkCommand, `${F}.${string}`>]: CommandHandler<N> };

export type Family = NetworkCommand extends infer N ? (N extends `${infer F}.${string}` ? F : never) : never;

/** Translates a command's error. After a missing response, the outcome is unknown only for a creation. */
export function failureOfCommand(error: unknown, subject: Subject, effect: CommandRow["effect"]): Failure {
  if (isDiskFull(error)) return { code: "unavailable" };
  const failure = failureOfError(error, subject);
  if (failure.code === "unavailable") return failureWithoutReply(effect);
  return effect === "read" || networkCode(error) === null ? failure : asAttempted(failure);
}

/** The failure for a missing response. In that case, the library either returns `undefined` or throws. */
export function failureWithoutReply(effect: CommandRow["effect"]): Failure {
  return { code: effect === "create" ? "send_outcome_unknown" : "network_timeout" };
}
