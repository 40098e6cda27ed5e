// The session's interface to other components: reports whether its bridge is attached, waits for it, and sends commands to it.
import { wantsSession } from "@gateway/domain/instance/state.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Outcome, succeed, type Failure } from "@gateway/protocol/failures.ts";
import type { Driver, SendLink } from "./network-client.ts";
import { type CommandInput, type CommandOutput, effectOf, type NetworkCommand } from "@gateway/protocol/commands.ts";
import { activeSpan } from "@gateway/tracing/active-span.ts";
import { failureOfNoReply, type CommandChannel, type Reply } from "./command-channel.ts";
import type { CommitProgress } from "./commit-progress.ts";
import type { Instance } from "../instance/instance.ts";
import { RedialRequest } from "./redial-request.ts";
import type { SessionSockets } from "./session-sockets.ts";
import { SessionWaiters } from "./session-waiters.ts";
import type { StateRows } from "./state-rows.ts";

const READY_TIMEOUT_MS = 5_000;
const RECALL_TIMEOUT_MS = 10_000;

type SessionLinkDependencies = {
  sockets: SessionSockets;
  commands: CommandChannel;
  instance: Instance;
  progress: CommitProgress;
  stateRows: StateRows;
  /** Asks the bridge of this generation to reconnect. Returns false if the bridge could not be reached. */
  askRedial: (generation: number) => Promise<boolean>;
};

export class SessionLink implements Driver, SendLink<WebSocket> {
  readonly isRedialled = true;
  readonly commands: CommandChannel;
  readonly sockets: SessionSockets;
  readonly waiters: SessionWaiters;
  readonly #instance: Instance;
  readonly #progress: CommitProgress;
  readonly #stateRows: StateRows;
  readonly #redial: RedialRequest;

  constructor({ sockets, commands, instance, progress, stateRows, askRedial }: SessionLinkDependencies) {
    this.sockets = sockets;
    this.commands = commands;
    this.waiters = new SessionWaiters(instance, () => this.current() !== null);
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

  /** The socket to send commands on. It belongs to the instance's current generation, and must be welcomed and not stopping. */
  current(): WebSocket | null {
    return wantsSession(this.#instance.state) ? this.sockets.welcomed(this.generation()) : null;
  }

  /** Waits until commands can be executed, or until `deadlineAt` (Unix ms). */
  async ready(now: number, deadlineAt: number): Promise<Outcome<WebSocket>> {
    void this.#redial.until(deadlineAt);
    const connected = await this.waiters.untilConnected(now, deadlineAt);
    const socket = this.current();
    if (!connected.ok) return connected;
    return socket === null ? fail("instance_reconnecting", { retryAfter: 2 }) : succeed(socket);
  }

  untilDialled(ms: number): Promise<void> {
    return this.waiters.until(() => this.sockets.open().length > 0, ms);
  }

  untilClosed(ms: number): Promise<void> {
    return this.waiters.until(() => this.sockets.open().length === 0, ms);
  }

  async command<N extends NetworkCommand>(name: N, input: CommandInput<N>, timeoutMs: number): Promise<Outcome<CommandOutput<N>>> {
    const ready = await this.ready(Date.now(), Date.now() + READY_TIMEOUT_MS);
    if (!ready.ok) return ready;
    const span = activeSpan()?.child(`ask ${name}`, {}, "client");
    const reply = await this.commands.request(ready.value, name, input, timeoutMs, span?.traceparent);
    const outcome: Outcome<CommandOutput<N>> = reply.kind === "resolved" ? reply.outcome : fail(failureWithoutResult(name, reply.kind));
    span?.end({ code: outcome.ok ? undefined : outcome.failure.code, failed: reply.kind !== "resolved" });
    return outcome;
  }

  send(socket: WebSocket, request: SendRequest, deadlineMs: number, trace?: string): void {
    this.commands.post(socket, "send", request, deadlineMs, trace);
  }

  /** Asks the bridge for the outcome of these sends. Each outcome arrives as `send.settled`. */
  recall(socket: WebSocket, messageIds: string[]): void {
    this.commands.post(socket, "recall", { message_ids: messageIds }, RECALL_TIMEOUT_MS);
  }

  wasWritten(messageId: string): boolean {
    return this.#stateRows.hasSent(messageId);
  }

  isMovingFrom(generation: number): boolean {
    return generation < this.generation() && wantsSession(this.#instance.state);
  }

  mayStillWrite(_messageId: string, generation: number): boolean {
    return this.mayStillCommit(generation);
  }

  /** True if a session of this generation could still write to the network, that is, if its next commit would be accepted. */
  mayStillCommit(generation: number): boolean {
    if (generation === this.generation() && wantsSession(this.#instance.state)) return true;
    return generation === this.#progress.generation && this.sockets.open().some(({ attachment }) => attachment.generation === generation);
  }
}

function failureWithoutResult(name: NetworkCommand, how: Exclude<Reply<unknown>["kind"], "resolved">): Failure {
  if (effectOf(name) === "create") return { code: "send_outcome_unknown" };
  return failureOfNoReply(how);
}
