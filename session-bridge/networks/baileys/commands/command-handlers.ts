// Types of the command handlers; one file per family.
import type { CommandInput, CommandOutput, NetworkCommand } from "@gateway/protocol/commands.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { SessionContext } from "../session/session-context.ts";

/** Errors of the library are the network's answers; they may be thrown, for `commands.ts` knows what they mean. */
export type CommandHandler<N extends NetworkCommand> = (ctx: SessionContext, input: CommandInput<N>) => Promise<Outcome<CommandOutput<N>>>;

/** All commands of one family, e.g. `CommandHandlers<"groups">`: a command without a handler does not compile. */
export type CommandHandlers<F extends Family> = { [N in Extract<NetworkCommand, `${F}.${string}`>]: CommandHandler<N> };

export type Family = NetworkCommand extends infer N ? (N extends `${infer F}.${string}` ? F : never) : never;
