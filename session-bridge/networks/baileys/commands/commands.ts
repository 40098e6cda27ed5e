// One row per command of the contract that is carried out on the network socket.
import type { CommandInput, CommandName, CommandOutput } from "../../../../src/protocol/commands.ts";
import type { Outcome } from "../../../../src/protocol/failures.ts";
import type { SessionContext } from "../session-context.ts";

/** Done elsewhere: sends have their own path, pairing belongs to the session. */
type Elsewhere = "send" | "recall" | "session.pairing_code";

type Runners = {
  [N in Exclude<CommandName, Elsewhere>]: (ctx: SessionContext, input: CommandInput<N>) => Promise<Outcome<CommandOutput<N>>>;
};

const RUNNERS: Runners = {};

/** `input` has been parsed by the command's schema. */
export async function runCommand(ctx: SessionContext, name: string, input: unknown): Promise<Outcome<unknown>> {
  const run = (RUNNERS as Record<string, ((ctx: SessionContext, input: never) => Promise<Outcome<unknown>>) | undefined>)[name];
  return run ? run(ctx, input as never) : { ok: false, failure: { code: "not_supported" } };
}
