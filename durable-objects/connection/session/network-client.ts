// Commands to the network for operations, by the driver of the connection's kind.
import type { CommandInput, CommandOutput, NetworkCommand } from "@gateway/protocol/commands.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";

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
