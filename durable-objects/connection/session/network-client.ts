// Commands to the network for operations, through the bridge that holds the session.
import { type CommandInput, type CommandOutput, effectOf, type NetworkCommand } from "../../../src/protocol/commands.ts";
import { fail, type Failure, type Outcome } from "../../../src/protocol/failures.ts";
import type { Reply } from "./command-channel.ts";
import type { Identity } from "./identity.ts";
import type { SessionLink } from "./session-link.ts";
import { activeSpan } from "../../../src/tracing/active-span.ts";

/** How long a command waits for a session that is reconnecting. */
const READY_TIMEOUT_MS = 5_000;
/** The bridge fails a network query after 20 s (docs/durability.md, "Configuration of Baileys"); this leaves time for its answer. */
const ANSWER_TIMEOUT_MS = 25_000;

export class NetworkClient {
  readonly #link: SessionLink;
  readonly #identity: Identity;

  constructor(link: SessionLink, identity: Identity) {
    this.#link = link;
    this.#identity = identity;
  }

  /** `not_supported` on an instance kind without a session; also for reads of data that only a session brings. */
  unsupported(): Failure | null {
    const { kind } = this.#identity;
    return kind === "session" ? null : { code: "not_supported", details: { kind } };
  }

  /**
   * Executes one command. Fails `not_supported` on another kind than `session`, `instance_not_connected`,
   * `instance_reconnecting`, as the network refused, and without an answer: `network_timeout` when a retry does no
   * harm, `send_outcome_unknown` when it might run the command twice.
   */
  async command<N extends NetworkCommand>(
    name: N,
    input: CommandInput<N>,
    answerMs = ANSWER_TIMEOUT_MS,
  ): Promise<Outcome<CommandOutput<N>>> {
    const refused = this.unsupported();
    if (refused !== null) return fail(refused);
    const ready = await this.#link.ready(Date.now(), Date.now() + READY_TIMEOUT_MS);
    if (!ready.ok) return ready;
    const span = activeSpan()?.child(`ask ${name}`, {}, "client");
    const reply = await this.#link.commands.request(ready.value, name, input, answerMs, span?.traceparent);
    const outcome: Outcome<CommandOutput<N>> = reply.kind === "answered" ? reply.outcome : fail(unanswered(name, reply.kind));
    span?.end({ code: outcome.ok ? undefined : outcome.failure.code, failed: reply.kind !== "answered" });
    return outcome;
  }
}

function unanswered(name: NetworkCommand, how: Exclude<Reply<unknown>["kind"], "answered">): Failure {
  if (effectOf(name) === "create") return { code: "send_outcome_unknown" };
  return how === "lost" ? { code: "instance_reconnecting", retryAfter: 2 } : { code: "network_timeout" };
}
