// Commands to the network for operations, by the driver of the connection's kind.
import { type CommandInput, type CommandOutput, type NetworkCommand } from "@gateway/protocol/commands.ts";
import { type Outcome } from "@gateway/protocol/failures.ts";
import type { Kind } from "@gateway/protocol/operations.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";

/** The bridge fails a network query after 20 s (docs/internals/baileys.md, "Configuration of Baileys"); this leaves time for its answer. */
const ANSWER_TIMEOUT_MS = 25_000;

/** How the network of one kind of number is asked. */
export type Driver = {
  /** As `NetworkClient.command`. */
  command<N extends NetworkCommand>(name: N, input: CommandInput<N>, answerMs: number): Promise<Outcome<CommandOutput<N>>>;
};

/**
 * What the outbox needs of the network, of either kind. `Line` is one way to it at one time, as a session's socket is, and is compared by
 * identity alone: what was handed to another one may have been lost.
 */
export type SendLink<Line extends object = object> = {
  /** Whether a bridge wakes the object after a crash, by dialling again. Otherwise an alarm has to. */
  readonly isRedialled: boolean;
  ready(now: number, deadlineAt: number): Promise<Outcome<Line>>;
  /** Null: nothing can be sent now. */
  current(): Line | null;
  generation(): number;
  /** Whether a send that was handed over in this generation, and not written yet, could still be. */
  mayStillWrite(messageId: string, generation: number): boolean;
  /** The session of this generation is being replaced by a newer one. */
  isMovingFrom(generation: number): boolean;
  /** Answered by `send.settled`, as a recall is for each of its ids. */
  send(line: Line, request: SendRequest, deadlineMs: number, trace?: string): void;
  recall(line: Line, messageIds: string[]): void;
  /** Whether it was stored, before the first of this message's bytes could go to the network, that they may go. */
  wasWritten(messageId: string): boolean;
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
