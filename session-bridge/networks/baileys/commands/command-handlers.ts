// What a family's file of this folder is made of.
import type { CommandInput, CommandOutput, NetworkCommand } from "../../../../src/protocol/commands.ts";
import type { Outcome } from "../../../../src/protocol/failures.ts";
import type { SessionContext } from "../session/session-context.ts";

/** What the library throws is the network's answer; it may be left to the caller (`commands.ts`), which knows what it means. */
export type CommandHandler<N extends NetworkCommand> = (ctx: SessionContext, input: CommandInput<N>) => Promise<Outcome<CommandOutput<N>>>;

/** Every command of one family, e.g. `Runners<"groups">`: a command without a runner does not build. */
export type CommandHandlers<F extends Family> = { [N in Extract<NetworkCommand, `${F}.${string}`>]: CommandHandler<N> };

export type Family = NetworkCommand extends infer N ? (N extends `${infer F}.${string}` ? F : never) : never;
