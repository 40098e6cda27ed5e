// The session as the rest of the object uses it: whether its bridge is attached, waiting for it, and commands over its socket.
import { wantsSession } from "@gateway/domain/instance/state.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { SendLink } from "../outbox/outbox.ts";
import type { CommandChannel } from "./command-channel.ts";
import type { CommitProgress } from "../fewer-writes/commit-progress.ts";
import type { Instance } from "../instance/instance.ts";
import { RedialRequest } from "./redial-request.ts";
import type { SessionSockets } from "./session-sockets.ts";
import type { StateRows } from "./state-rows.ts";
import { SessionWaiters } from "./waiters.ts";

/** How long the bridge's confirmation of a recall may take. */
const RECALL_TIMEOUT_MS = 10_000;

export class SessionLink implements SendLink<WebSocket> {
  readonly isRedialled = true;
  readonly commands: CommandChannel;
  readonly sockets: SessionSockets;
  readonly waiters: SessionWaiters;
  readonly #instance: Instance;
  readonly #progress: CommitProgress;
  readonly #stateRows: StateRows;
  readonly #redial: RedialRequest;

  /** `askRedial`: has the bridge of this generation dial again; false: it could not be told. */
  constructor(
    sockets: SessionSockets,
    commands: CommandChannel,
    instance: Instance,
    progress: CommitProgress,
    stateRows: StateRows,
    askRedial: (generation: number) => Promise<boolean>,
  ) {
    this.sockets = sockets;
    this.commands = commands;
    this.waiters = new SessionWaiters(instance, () => this.commandSocket() !== null);
    this.#instance = instance;
    this.#progress = progress;
    this.#stateRows = stateRows;
    this.#redial = new RedialRequest(
      () => this.#instance.state.lease.phase === "detached",
      () => askRedial(this.generation()),
    );
  }

  generation(): number {
    return this.#instance.state.generation;
  }

  /** The socket that commands go to: of the instance's generation, welcomed, and not stopping. */
  commandSocket(): WebSocket | null {
    return wantsSession(this.#instance.state) ? this.sockets.welcomed(this.generation()) : null;
  }

  /** As the outbox calls it (`SendLink`). */
  current(): WebSocket | null {
    return this.commandSocket();
  }

  /** Waits until commands can be carried out, but for no longer than `deadlineAt` (Unix ms). */
  async ready(now: number, deadlineAt: number): Promise<Outcome<WebSocket>> {
    void this.#redial.until(deadlineAt);
    const connected = await this.waiters.untilConnected(now, deadlineAt);
    const socket = this.commandSocket();
    if (!connected.ok) return connected;
    return socket === null ? fail("instance_reconnecting", { retryAfter: 2 }) : succeed(socket);
  }

  /** Waits until a session socket is open, but for no longer than `ms`. */
  untilDialled(ms: number): Promise<void> {
    return this.waiters.until(() => this.sockets.open().length > 0, ms);
  }

  /** Waits until no session socket is open, but for no longer than `ms`. */
  untilClosed(ms: number): Promise<void> {
    return this.waiters.until(() => this.sockets.open().length === 0, ms);
  }

  /** Asks the bridge to send; the answer is a `send.settled` event. */
  send(socket: WebSocket, request: SendRequest, deadlineMs: number, trace?: string): void {
    this.commands.post(socket, "send", request, deadlineMs, trace);
  }

  /** Asks the bridge what became of these sends; the answer is a `send.settled` event for each. */
  recall(socket: WebSocket, messageIds: string[]): void {
    this.commands.post(socket, "recall", { message_ids: messageIds }, RECALL_TIMEOUT_MS);
  }

  /** Were the bytes of this own message stored before sending? */
  wasWritten(messageId: string): boolean {
    return this.#stateRows.hasSent(messageId);
  }

  /** Has the session of this generation been followed by a newer one, which is being started or runs? */
  isMovingFrom(generation: number): boolean {
    return generation < this.generation() && wantsSession(this.#instance.state);
  }

  /** What was dispatched to a session of this generation may be written as long as its commits count. */
  mayStillWrite(_messageId: string, generation: number): boolean {
    return this.mayStillCommit(generation);
  }

  /** Could a session of this generation still put something on the network? Not when its next commit would be refused. */
  mayStillCommit(generation: number): boolean {
    if (generation === this.generation() && wantsSession(this.#instance.state)) return true;
    return generation === this.#progress.generation && this.sockets.open().some(({ attachment }) => attachment.generation === generation);
  }
}
