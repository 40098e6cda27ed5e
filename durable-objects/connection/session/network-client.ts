import { type CommandInput, type CommandOutput, type NetworkCommand } from "@gateway/protocol/commands.ts";
import { type Outcome } from "@gateway/protocol/failures.ts";
import type { ConnectionKind } from "@gateway/protocol/operations.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";

/** The bridge fails a network query after 20 s. This timeout is longer, to leave time for its response. */
const RESULT_TIMEOUT_MS = 25_000;

export type Driver = {
  command<N extends NetworkCommand>(name: N, input: CommandInput<N>, timeoutMs: number): Promise<Outcome<CommandOutput<N>>>;
};

/** The outbox's network access. A `Socket` is compared by identity: sends over an earlier socket may be lost. */
export type SendLink<Socket extends object = object> = {
  /** True if a bridge reconnects after a crash and thereby wakes the object. Otherwise, an alarm must wake it. */
  readonly isRedialled: boolean;
  ready(now: number, deadlineAt: number): Promise<Outcome<Socket>>;
  current(): Socket | null;
  generation(): number;
  /** True if a send that was handed over in this generation, but not written yet, could still be written. */
  mayStillWrite(messageId: string, generation: number): boolean;
  isMovingFrom(generation: number): boolean;
  /** Sends the message. The outcome arrives later as `send.settled`, as does the outcome of each recalled id. */
  send(socket: Socket, request: SendRequest, deadlineMs: number, trace?: string): void;
  recall(socket: Socket, messageIds: string[]): void;
  /** True if the permission to write this message was stored. Without it, the bridge sends no byte of the message. */
  wasWritten(messageId: string): boolean;
};

export type NetworkAccess = { driver: Driver; link: SendLink };

export class NetworkClient {
  readonly #kind: () => ConnectionKind;
  #access: Readonly<Record<ConnectionKind, NetworkAccess>> | null = null;

  constructor(kind: () => ConnectionKind) {
    this.#kind = kind;
  }

  /** Called once after construction, because both kinds of access need components that use this client. */
  attach(access: Readonly<Record<ConnectionKind, NetworkAccess>>): void {
    this.#access = access;
  }

  get link(): SendLink {
    return this.#ofKind().link;
  }

  /** Without a response, fails with `network_timeout` if a retry is safe, and otherwise with `send_outcome_unknown`. */
  command<N extends NetworkCommand>(
    name: N,
    input: CommandInput<N>,
    timeoutMs: number = RESULT_TIMEOUT_MS,
  ): Promise<Outcome<CommandOutput<N>>> {
    return this.#ofKind().driver.command(name, input, timeoutMs);
  }

  #ofKind(): NetworkAccess {
    if (this.#access === null) throw new Error("no network is attached");
    return this.#access[this.#kind()];
  }
}
