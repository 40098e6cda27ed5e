// Requests and responses over the session socket. In memory only, because no caller waits across a crash.
import type * as z from "zod";
import { fastParse } from "@gateway/protocol/fast-parse.ts";
import { parseJson } from "@gateway/protocol/json.ts";
import { COMMANDS, type CommandInput, type CommandName, type CommandOutput } from "@gateway/protocol/commands.ts";
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { type FromBridge, NO_RESULT_ID, type ToBridge } from "@gateway/protocol/session-socket.ts";

/** `lost` means that the socket closed first, so the outcome is unknown. `silent` means that there was no response within the deadline. */
export type Reply<T> = { kind: "resolved"; outcome: Outcome<T> } | { kind: "lost" } | { kind: "silent" };

type Pending = { socket: WebSocket; settle: (reply: Reply<string>) => void };

export class CommandChannel {
  readonly #pending = new Map<number, Pending>();
  /** Starts at a random number, so that a response from before a restart cannot match a new request. */
  #nextId: number;

  constructor(firstId: number) {
    this.#nextId = firstId;
  }

  async request<N extends CommandName>(
    socket: WebSocket,
    name: N,
    input: CommandInput<N>,
    deadlineMs: number,
    trace?: string,
  ): Promise<Reply<CommandOutput<N>>> {
    const reply = await this.#roundTrip(socket, name, JSON.stringify(input), deadlineMs, trace);
    if (reply.kind !== "resolved" || !reply.outcome.ok) return reply as Reply<CommandOutput<N>>;
    const output = fastParse<z.ZodType>(COMMANDS[name].output, parseJson(reply.outcome.value));
    if (output.success) return { kind: "resolved", outcome: succeed(output.data as CommandOutput<N>) };
    return { kind: "resolved", outcome: fail("network_error") };
  }

  post<N extends "send" | "recall">(socket: WebSocket, name: N, input: CommandInput<N>, deadlineMs: number, trace?: string): void {
    try {
      sendCommand(socket, { id: NO_RESULT_ID, name, input: JSON.stringify(input), deadline_ms: deadlineMs }, trace);
    } catch {
      // The socket has just closed. The next socket asks for this send's outcome, as it does for a send whose frame was lost.
    }
  }

  /** Resolves the pending request. Drops the response if no request is pending. */
  resolve(frame: Extract<FromBridge, { type: "result" | "failed" }>): void {
    const outcome: Outcome<string> = frame.type === "result" ? succeed(frame.value) : fail(frame.failure);
    this.#settle(frame.id, { kind: "resolved", outcome });
  }

  onSocketLost(socket: WebSocket): void {
    for (const [id, pending] of this.#pending) if (pending.socket === socket) this.#settle(id, { kind: "lost" });
  }

  #roundTrip(socket: WebSocket, name: string, input: string, deadlineMs: number, trace?: string): Promise<Reply<string>> {
    const id = this.#nextId++;
    const { promise, resolve } = Promise.withResolvers<Reply<string>>();
    const timer = setTimeout(() => this.#settle(id, { kind: "silent" }), deadlineMs);
    const settle = (reply: Reply<string>) => {
      clearTimeout(timer);
      resolve(reply);
    };
    this.#pending.set(id, { socket, settle });
    try {
      sendCommand(socket, { id, name, input, deadline_ms: deadlineMs }, trace);
    } catch {
      // The socket has just broken.
      this.#settle(id, { kind: "lost" });
    }
    return promise;
  }

  #settle(id: number, reply: Reply<string>): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.settle(reply);
  }
}

type Command = Omit<Extract<ToBridge, { type: "command" }>, "type" | "trace">;

function sendCommand(socket: WebSocket, command: Command, trace: string | undefined): void {
  // An undefined trace needs no check, because JSON.stringify omits it.
  socket.send(JSON.stringify({ type: "command", ...command, trace }));
}

export function outcomeOfReply<T>(reply: Reply<T>): Outcome<T> {
  return reply.kind === "resolved" ? reply.outcome : fail(failureOfNoReply(reply.kind));
}

export function failureOfNoReply(how: Exclude<Reply<unknown>["kind"], "resolved">): Failure {
  return how === "lost" ? { code: "instance_reconnecting", retryAfter: 2 } : { code: "network_timeout" };
}
