// The session of this connection: its socket, its generation, and the bridge that holds it. The socket is the lease: only the
// newest generation that was welcomed may change state rows.
import { wantsSession } from "../../../src/domain/instance/state.ts";
import type { Trigger } from "../../../src/domain/instance/advance.ts";
import type { CommandInput, CommandName, CommandOutput } from "../../../src/protocol/commands.ts";
import { fail, type Outcome } from "../../../src/protocol/failures.ts";
import { type FromBridge, SESSION_CLOSE, type SessionSettings, type ToBridge } from "../../../src/protocol/session-socket.ts";
import { errorFields, log } from "../../../src/log.ts";
import type { CommitHandler } from "../commit-handler.ts";
import { type CommandChannel, type Reply } from "./command-channel.ts";
import { readFrame } from "./frames.ts";
import type { Instance } from "./instance.ts";
import type { CommitProgress } from "./commit-progress.ts";
import { closeSocket, type SocketAttachment, type SessionSockets } from "./session-sockets.ts";
import type { StateRows } from "./state-rows.ts";
import { type BridgePoolClient, Failover } from "./failover.ts";
import type { Tickets } from "./tickets.ts";
import { SessionWaiters } from "./waiters.ts";

/** How long a session that was told to stop may take. */
const STOP_TIMEOUT_MS = 10_000;

export type SessionDependencies = {
  sockets: SessionSockets;
  tickets: Tickets;
  stateRows: StateRows;
  progress: CommitProgress;
  instance: Instance;
  commands: CommandChannel;
  commitHandler: CommitHandler;
  /** The connection's UUID. */
  connection: () => string;
  stateKey: () => string;
  settings: () => SessionSettings;
  pool: BridgePoolClient;
  /** A session that can carry commands is here, maybe after a pause: what was asked before may have been lost. */
  onUp(now: number): void;
  /** Something changed outside of an event of the platform: the alarm may have to move. */
  onChange(): void;
};

export class Session {
  readonly #deps: SessionDependencies;
  readonly #waiters: SessionWaiters;
  readonly #failover: Failover;

  constructor(deps: SessionDependencies) {
    this.#deps = deps;
    this.#waiters = new SessionWaiters(deps.instance, () => this.commandSocket() !== null);
    this.#failover = new Failover(deps, this.#waiters, (generation, queued) => {
      this.step({ type: "placed", generation, queued }, Date.now());
    });
  }

  /** A dial with `Authorization: Ticket <ticket>`. */
  dial(request: Request): Response {
    const ticket = /^Ticket ([0-9a-f]{64})$/.exec(request.headers.get("authorization") ?? "")?.[1];
    const generation = ticket === undefined ? null : this.#deps.tickets.redeem(ticket);
    return generation === this.#deps.instance.state.generation ? this.#deps.sockets.accept(generation) : this.#deps.sockets.refuse();
  }

  /** One frame of a bridge, taken in before the next one is looked at. */
  message(socket: WebSocket, text: string, now: number): void {
    const attachment = this.#deps.sockets.attachmentOf(socket);
    const read = readFrame(text);
    if (attachment === null || read === null || (read.frame.type !== "hello" && !attachment.welcomed)) {
      log("session.bad_frame", { connection: this.#deps.connection(), bridge: attachment?.bridge });
      return closeSocket(socket, SESSION_CLOSE.badFrame, "bad frame");
    }
    for (const { key, event, field } of read.invalid) {
      log("session.event_unreadable", { connection: this.#deps.connection(), key, type: event, field });
    }
    this.#dispatch(socket, attachment, read.frame, now);
  }

  closed(socket: WebSocket, now: number): void {
    this.#deps.commands.onSocketLost(socket);
    this.#waiters.recheck();
    const attachment = this.#deps.sockets.attachmentOf(socket);
    if (attachment === null || !attachment.welcomed || this.#deps.sockets.welcomed(attachment.generation) !== null) return;
    this.step({ type: "detached", generation: attachment.generation }, now);
  }

  /** Changes the instance, and does what follows from it. */
  step(trigger: Trigger, now: number): void {
    const before = this.#deps.instance.state;
    this.#failover.apply(this.#deps.commitHandler.step(trigger, now), now);
    if (this.#deps.instance.state !== before) this.#changed();
  }

  /** The socket that commands go to: of the instance's generation, welcomed, and not stopping. */
  commandSocket(): WebSocket | null {
    const { state } = this.#deps.instance;
    return wantsSession(state) ? this.#deps.sockets.welcomed(state.generation) : null;
  }

  /** Waits until commands can be carried out, but for no longer than `deadlineAt` (Unix ms). */
  ready(now: number, deadlineAt: number): Promise<Outcome<WebSocket>> {
    return this.#waiters.untilConnected(now, deadlineAt).then((outcome) => {
      const socket = this.commandSocket();
      if (!outcome.ok) return outcome;
      return socket === null ? fail("instance_reconnecting", { retryAfter: 2 }) : { ok: true, value: socket };
    });
  }

  /** Waits until the status is `scan_qr` or final, but for no longer than `deadlineAt`. */
  waitUntilSettled(now: number, deadlineAt: number): Promise<void> {
    return this.#waiters.untilSettled(now, deadlineAt);
  }

  /** The settings have changed: a session that is here goes by them at once, any other when it comes. */
  pushSettings(): void {
    const socket = this.commandSocket();
    if (socket !== null) send(socket, { type: "settings", settings: this.#deps.settings() });
  }

  request<N extends CommandName>(socket: WebSocket, name: N, input: CommandInput<N>, deadlineMs: number): Promise<Reply<CommandOutput<N>>> {
    return this.#deps.commands.request(socket, name, input, deadlineMs);
  }

  /** Could a session of this generation still put something on the network? Not when its next commit would be refused. */
  mayStillCommit(generation: number): boolean {
    const { instance, sockets } = this.#deps;
    if (generation === instance.state.generation && wantsSession(instance.state)) return true;
    return generation === this.#deps.progress.generation && sockets.open().some(({ attachment }) => attachment.generation === generation);
  }

  /** Compares what is stored with the sockets that are here: after a wake-up, and whenever somebody asks. */
  recheck(now: number): void {
    const { state } = this.#deps.instance;
    if (state.lease.phase === "attached" && this.#deps.sockets.welcomed(state.generation) === null) {
      this.step({ type: "detached", generation: state.generation }, now);
    }
  }

  /** Waits until no session is left here, but for no longer than `ms`. */
  waitUntilClosed(ms: number): Promise<void> {
    return this.#waiters.until(() => this.#deps.sockets.open().length === 0, ms);
  }

  nextDue(): number | null {
    const stopping = this.#deps.sockets
      .open()
      .flatMap(({ attachment }) => (attachment.stoppingAt === null ? [] : [attachment.stoppingAt + STOP_TIMEOUT_MS]));
    const dues = [this.#deps.instance.nextDue(), this.#deps.stateRows.nextDue(), ...stopping].filter((due) => due !== null);
    return dues.length === 0 ? null : Math.min(...dues);
  }

  run(now: number): void {
    this.recheck(now);
    const due = this.#deps.instance.nextDue();
    if (due !== null && due <= now) this.step({ type: "tick" }, now);
    this.#deps.stateRows.run(now);
    for (const { socket, attachment } of this.#deps.sockets.open()) {
      if (attachment.stoppingAt !== null && attachment.stoppingAt + STOP_TIMEOUT_MS <= now)
        closeSocket(socket, SESSION_CLOSE.stopped, "stopped");
    }
  }

  #dispatch(socket: WebSocket, attachment: SocketAttachment, frame: FromBridge, now: number): void {
    switch (frame.type) {
      case "hello":
        return this.#hello(socket, attachment, frame, now);
      case "commit":
        return this.#commit(socket, attachment, frame, now);
      case "fetch":
        return send(socket, { type: "rows", id: frame.id, rows: attachment.rowsUnwanted ? [] : this.#deps.stateRows.fetch(frame.keys) });
      case "result":
      case "failed":
        return this.#deps.commands.answer(frame);
    }
  }

  #hello(socket: WebSocket, attachment: SocketAttachment, hello: Extract<FromBridge, { type: "hello" }>, now: number): void {
    const { instance, progress, stateRows, sockets, tickets } = this.#deps;
    const { generation } = attachment;
    if (generation !== instance.state.generation || !wantsSession(instance.state))
      return closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
    const redialled = progress.generation === generation;
    if (hello.generation !== generation || (hello.has_state && !redialled)) return closeSocket(socket, SESSION_CLOSE.badFrame, "bad frame");
    this.#fence(socket, generation);
    if (!redialled) progress.begin(generation);
    sockets.attach(socket, { ...attachment, bridge: hello.bridge_id, welcomed: true });
    send(socket, {
      type: "welcome",
      state_key: this.#deps.stateKey(),
      resume_ticket: tickets.issue(generation),
      stored_through: progress.seq,
      settings: this.#deps.settings(),
    });
    if (!hello.has_state) for (const slice of stateRows.slices()) send(socket, { type: "load", ...slice });
    log("session.attached", { connection: this.#deps.connection(), bridge: hello.bridge_id, generation, redialled });
    this.step({ type: "attached", generation }, now);
    if (instance.state.status === "connected") this.#deps.onUp(now);
  }

  /** The newest holder alone goes on. A redial takes the place of its own older socket without a word of fencing. */
  #fence(newest: WebSocket, generation: number): void {
    for (const { socket, attachment } of this.#deps.sockets.open()) {
      if (socket === newest || attachment.rowsUnwanted) continue;
      this.#deps.commands.onSocketLost(socket);
      if (attachment.generation === generation) closeSocket(socket, 1001, "dialled again");
      else closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
    }
  }

  #commit(
    socket: WebSocket,
    attachment: SocketAttachment,
    { seq, rows, events }: Extract<FromBridge, { type: "commit" }>,
    now: number,
  ): void {
    const { instance, commitHandler, progress } = this.#deps;
    const before = instance.state;
    const unwanted = attachment.rowsUnwanted;
    if (!unwanted && attachment.generation !== progress.generation) return closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
    if (!unwanted && seq > progress.seq + 1) return closeSocket(socket, SESSION_CLOSE.badFrame, "a commit is missing");
    if (!unwanted && seq <= progress.seq) return send(socket, { type: "stored", seq });
    try {
      const current = attachment.generation === before.generation;
      const effects = commitHandler.commit(unwanted ? { seq: null, rows: [], events, current } : { seq, rows, events, current }, now);
      send(socket, { type: "stored", seq });
      this.#failover.apply(effects, now);
    } catch (error) {
      log("session.commit_failed", { connection: this.#deps.connection(), seq, ...errorFields(error) });
      return closeSocket(socket, 1011, "not stored");
    }
    if (instance.state !== before) this.#changed();
    // The close before it may have come in this very commit: what tells of a new line is that it opened, not a changed status.
    const opened = events.some(({ event }) => event.type === "session.open");
    if (opened && attachment.generation === instance.state.generation && instance.state.status === "connected") this.#deps.onUp(now);
  }

  #changed(): void {
    this.#waiters.recheck();
    this.#deps.onChange();
  }
}

function send(socket: WebSocket, frame: ToBridge): void {
  socket.send(JSON.stringify(frame));
}
