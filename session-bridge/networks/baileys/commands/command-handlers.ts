import type { CommandInput, CommandOutput, NetworkCommand } from "@gateway/protocol/commands.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { SessionContext } from "../session/session-context.ts";

export type CommandHandler<N extends NetworkCommand> = (ctx: SessionContext, input: CommandInput<N>) => Promise<Outcome<CommandOutput<N>>>;

export type CommandHandlers<F extends Family> = { [N in Extract<NetworkCommand, `${F}.${string}`>]: CommandHandler<N> };

export type Family = NetworkCommand extends infer N ? (N extends `${infer F}.${string}` ? F : never) : never;
