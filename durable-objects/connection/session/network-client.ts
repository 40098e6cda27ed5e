// Commands to the network for operations, by the driver of the connection's kind.
import { type CommandInput, type CommandOutput, type NetworkCommand, effectOf } from "@gateway/protocol/commands.ts";
import { type Outcome, fail, type Failure } from "@gateway/protocol/failures.ts";
import { activeSpan } from "@gateway/tracing/active-span.ts";
import type { Kind } from "@gateway/protocol/operations.ts";
import type { SendLink } from "../outbox/outbox.ts";
import type { Reply } from "./command-channel.ts";
import type { SessionLink } from "./session-link.ts";

/** The bridge fails a network query after 20 s (docs/internals/baileys.md, "Configuration of Baileys"); this leaves time for its answer. */
const ANSWER_TIMEOUT_MS = 25_000;

/** How the network of one kind of number is asked. */
export type Driver = {
  /** As `NetworkClient.command`. */
  command<N extends NetworkCommand>(name: N, input: CommandInput<N>, answerMs: number): Promise<Outcome<CommandOutput<N>>>;
};

/** How commands and sends of one kind of number reach the network. */
export type NetworkAccess = { driver: Driver; link: SendLink };

export class NetworkClient {
  readonly #kind: () => Kind;
  #access: Readonly<Record<Kind, NetworkAccess>> | null = null;

  constructor(kind: () => Kind) {
    this.#kind = kind;
  }

  /** Called once, when the session and the Cloud API exist: both need components that use this client. */
  attach(access: Readonly<Record<Kind, NetworkAccess>>): void {
    this.#access = access;
  }

  /** The link for sends. */
  get link(): SendLink {
    return this.#ofKind().link;
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
    return this.#ofKind().driver.command(name, input, answerMs);
  }

  #ofKind(): NetworkAccess {
    if (this.#access === null) throw new Error("no network is attached");
    return this.#access[this.#kind()];
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
