// Runs commands in the Connection object's format and parses their outcome.
import { expect } from "vitest";
import { runCommand } from "#root/session-bridge/networks/baileys/commands/commands.ts";
import { type CommandInput, type CommandOutput, COMMANDS, type NetworkCommand } from "@gateway/protocol/commands.ts";
import type { Failure, Outcome } from "@gateway/protocol/failures.ts";
import type { Session } from "../messages/session.ts";

export async function run<N extends NetworkCommand>(session: Session, name: N, input: CommandInput<N>): Promise<Outcome<CommandOutput<N>>> {
  const outcome = await runCommand(session.ctx, name, COMMANDS[name].input.parse(input));
  return outcome.ok ? { ok: true, value: COMMANDS[name].output.parse(outcome.value) as CommandOutput<N> } : outcome;
}

/** The value of a successful outcome; fails otherwise. */
export async function runOk<N extends NetworkCommand>(session: Session, name: N, input: CommandInput<N>): Promise<CommandOutput<N>> {
  const outcome = await run(session, name, input);
  if (!outcome.ok) throw new Error(`${name}: ${JSON.stringify(outcome.failure)}`);
  return outcome.value;
}

export const refusal = (failure: Partial<Failure>) => ({ ok: false, failure: expect.objectContaining(failure) as unknown });
