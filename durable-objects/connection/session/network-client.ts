// Commands to the network for operations, by the driver of the connection's kind.
import { type CommandInput, type CommandOutput, type NetworkCommand, effectOf } from "@gateway/protocol/commands.ts";
import { type Outcome, fail, type Failure } from "@gateway/protocol/failures.ts";
import { activeSpan } from "@gateway/tracing/active-span.ts";
import type { Reply } from "./command-channel.ts";
import type { SessionLink } from "./session-link.ts";

/** The bridge fails a network query after 20 s (docs/internals/baileys.md, "Configuration of Baileys"); this leaves time for its answer. */
const ANSWER_TIMEOUT_MS = 25_000;

/** How the network of one kind of number is asked. */
export type Driver = {
  /** As `NetworkClient.command`. */
  command<N extends NetworkCommand>(name: N, input: CommandInput<N>, answerMs: number): Promise<Outcome<CommandOutput<N>>>;
};

export class NetworkClient {
  readonly #driver: () => Driver;

  /** `driver`: of the kind that the connection is. */
  constructor(driver: () => Driver) {
    this.#driver = driver;
  }

  /**
   * Executes one command. Fails `not_supported` where the kind has no such command, `instance_not_connected`, `instance_reconnecting`, as the
   * network refused, and without an answer: `network_timeout` when a retry does no harm, `send_outcome_unknown` when it might run the command
   * twice.
   */
  command<N extends NetworkCommand>(
    name: N,
    input: CommandInput<N>,
    answerMs: number = ANSWER_TIMEOUT_MS,
  ): Promise<Outcome<CommandOutput<N>>> {
    return this.#driver().command(name, input, answerMs);
  }
}

/** How long a command waits for a session that is reconnecting. */
const READY_TIMEOUT_MS = 5_000;

export function sessionDriver(link: SessionLink): Driver {
  return { command: (name, input, answerMs) => ask(link, name, input, answerMs) };
}

async function ask<N extends NetworkCommand>(
  link: SessionLink,
  name: N,
  input: CommandInput<N>,
  answerMs: number,
): Promise<Outcome<CommandOutput<N>>> {
  const ready = await link.ready(Date.now(), Date.now() + READY_TIMEOUT_MS);
  if (!ready.ok) return ready;
  const span = activeSpan()?.child(`ask ${name}`, {}, "client");
  const reply = await link.commands.request(ready.value, name, input, answerMs, span?.traceparent);
  const outcome: Outcome<CommandOutput<N>> = reply.kind === "answered" ? reply.outcome : fail(unanswered(name, reply.kind));
  span?.end({ code: outcome.ok ? undefined : outcome.failure.code, failed: reply.kind !== "answered" });
  return outcome;
}

function unanswered(name: NetworkCommand, how: Exclude<Reply<unknown>["kind"], "answered">): Failure {
  if (effectOf(name) === "create") return { code: "send_outcome_unknown" };
  return how === "lost" ? { code: "instance_reconnecting", retryAfter: 2 } : { code: "network_timeout" };
}
