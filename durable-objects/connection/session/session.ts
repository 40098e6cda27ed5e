// The session of this connection: its socket, its generation, and the bridge that holds it. The socket is the lease: only the
// newest generation that was welcomed may change state rows.
import { wantsSession } from "../../../src/domain/instance/state.ts";
import type { Trigger } from "../../../src/domain/instance/advance.ts";
import type { CommandInput, CommandName, CommandOutput } from "../../../src/protocol/commands.ts";
import { fail, type Outcome } from "../../../src/protocol/failures.ts";
import { type FromBridge, SESSION_CLOSE, type SessionSettings, type ToBridge } from "../../../src/protocol/session-socket.ts";
import { errorFields, log } from "../../../src/log.ts";
import type { Intake } from "../intake.ts";
import { type Commands, type Reply } from "./commands.ts";
import { readFrame } from "./frames.ts";
import type { Instance } from "./instance.ts";
import type { Progress } from "./progress.ts";
import { closeSocket, type Seat, type Seats } from "./seats.ts";
import type { StateRows } from "./state-rows.ts";
import { type BridgeSeeker, Succession } from "./succession.ts";
import type { Tickets } from "./tickets.ts";
import { SessionWaiters } from "./waiters.ts";

/** How long a session that was told to stop may take. */
const STOP_MS = 10_000;

export type SessionParts = {
  seats: Seats;
  tickets: Tickets;
  rows: StateRows;
  progress: Progress;
  instance: Instance;
  commands: Commands;
  intake: Intake;
  /** The connection's UUID. */
  connection: () => string;
  stateKey: () => string;
  settings: () => SessionSettings;
  pool: BridgeSeeker;
  /** A session that can carry commands is here, maybe after a pause: what was asked before may have been lost. */
  onUp(now: number): void;
  /** Something changed outside of an event of the platform: the alarm may have to move. */
  onChange(): void;
};

export class Session {
  readonly #parts: SessionParts;
  readonly #waiters: SessionWaiters;
  readonly #succession: Succession;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#waiters = new SessionWaiters(parts.instance, () => this.holder() !== null);
    this.#succession = new Succession(parts, this.#waiters, (generation, queued) => {
      this.step({ type: "placed", generation, queued }, Date.now());
    });
  }

  /** A dial with `Authorization: Ticket <ticket>`. */
  dial(request: Request): Response {
    const ticket = /^Ticket ([0-9a-f]{64})$/.exec(request.headers.get("authorization") ?? "")?.[1];
    const generation = ticket === undefined ? null : this.#parts.tickets.take(ticket);
    return generation === this.#parts.instance.state.generation ? this.#parts.seats.accept(generation) : this.#parts.seats.refuse();
  }

  /** One frame of a bridge, taken in before the next one is looked at. */
  message(socket: WebSocket, text: string, now: number): void {
    const seat = this.#parts.seats.of(socket);
    const read = readFrame(text);
    if (seat === null || read === null || (read.frame.type !== "hello" && !seat.welcomed)) {
      log("session.bad_frame", { connection: this.#parts.connection(), bridge: seat?.bridge });
      return closeSocket(socket, SESSION_CLOSE.badFrame, "bad frame");
    }
    for (const { key, event, field } of read.unreadable) {
      log("session.event_unreadable", { connection: this.#parts.connection(), key, type: event, field });
    }
    this.#dispatch(socket, seat, read.frame, now);
  }

  closed(socket: WebSocket, now: number): void {
    this.#parts.commands.lost(socket);
    this.#waiters.look();
    const seat = this.#parts.seats.of(socket);
    if (seat === null || !seat.welcomed || this.#parts.seats.holder(seat.generation) !== null) return;
    this.step({ type: "detached", generation: seat.generation }, now);
  }

  /** Changes the instance, and does what follows from it. */
  step(trigger: Trigger, now: number): void {
    const before = this.#parts.instance.state;
    this.#succession.carryOut(this.#parts.intake.step(trigger, now), now);
    if (this.#parts.instance.state !== before) this.#changed();
  }

  /** The socket that commands go to: of the instance's generation, welcomed, and not stopping. */
  holder(): WebSocket | null {
    const { state } = this.#parts.instance;
    return wantsSession(state) ? this.#parts.seats.holder(state.generation) : null;
  }

  /** Waits until commands can be carried out, but for no longer than `deadlineAt` (Unix ms). */
  ready(now: number, deadlineAt: number): Promise<Outcome<WebSocket>> {
    return this.#waiters.connected(now, deadlineAt).then((outcome) => {
      const socket = this.holder();
      if (!outcome.ok) return outcome;
      return socket === null ? fail("instance_reconnecting", { retryAfter: 2 }) : { ok: true, value: socket };
    });
  }

  /** Waits until the status is `scan_qr` or final, but for no longer than `deadlineAt`. */
  settled(now: number, deadlineAt: number): Promise<void> {
    return this.#waiters.settled(now, deadlineAt);
  }

  /** The settings have changed: a session that is here goes by them at once, any other when it comes. */
  tellSettings(): void {
    const socket = this.holder();
    if (socket !== null) send(socket, { type: "settings", settings: this.#parts.settings() });
  }

  ask<N extends CommandName>(socket: WebSocket, name: N, input: CommandInput<N>, deadlineMs: number): Promise<Reply<CommandOutput<N>>> {
    return this.#parts.commands.ask(socket, name, input, deadlineMs);
  }

  tell<N extends "send" | "recall">(socket: WebSocket, name: N, input: CommandInput<N>, deadlineMs: number): void {
    this.#parts.commands.tell(socket, name, input, deadlineMs);
  }

  /** Could a session of this generation still put something on the network? Not when its next commit would be refused. */
  mayStillCommit(generation: number): boolean {
    const { instance, seats } = this.#parts;
    if (generation === instance.state.generation && wantsSession(instance.state)) return true;
    return generation === this.#parts.progress.generation && seats.taken().some(({ seat }) => seat.generation === generation);
  }

  /** Compares what is stored with the sockets that are here: after a wake-up, and whenever somebody asks. */
  recheck(now: number): void {
    const { state } = this.#parts.instance;
    if (state.lease.phase === "attached" && this.#parts.seats.holder(state.generation) === null) {
      this.step({ type: "detached", generation: state.generation }, now);
    }
  }

  /** Waits until no session is left here, but for no longer than `ms`. */
  gone(ms: number): Promise<void> {
    return this.#waiters.until(() => this.#parts.seats.taken().length === 0, ms);
  }

  nextDue(): number | null {
    const stopping = this.#parts.seats.taken().flatMap(({ seat }) => (seat.stoppingAt === null ? [] : [seat.stoppingAt + STOP_MS]));
    const dues = [this.#parts.instance.nextDue(), this.#parts.rows.nextDue(), ...stopping].filter((due) => due !== null);
    return dues.length === 0 ? null : Math.min(...dues);
  }

  run(now: number): void {
    this.recheck(now);
    const due = this.#parts.instance.nextDue();
    if (due !== null && due <= now) this.step({ type: "tick" }, now);
    this.#parts.rows.run(now);
    for (const { socket, seat } of this.#parts.seats.taken()) {
      if (seat.stoppingAt !== null && seat.stoppingAt + STOP_MS <= now) closeSocket(socket, SESSION_CLOSE.stopped, "stopped");
    }
  }

  #dispatch(socket: WebSocket, seat: Seat, frame: FromBridge, now: number): void {
    switch (frame.type) {
      case "hello":
        return this.#hello(socket, seat, frame, now);
      case "commit":
        return this.#commit(socket, seat, frame, now);
      case "fetch":
        return send(socket, { type: "rows", id: frame.id, rows: seat.rowsUnwanted ? [] : this.#parts.rows.fetch(frame.keys) });
      case "result":
      case "failed":
        return this.#parts.commands.answer(frame);
    }
  }

  #hello(socket: WebSocket, seat: Seat, hello: Extract<FromBridge, { type: "hello" }>, now: number): void {
    const { instance, progress, rows, seats, tickets } = this.#parts;
    const { generation } = seat;
    if (generation !== instance.state.generation || !wantsSession(instance.state))
      return closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
    const redialled = progress.generation === generation;
    if (hello.generation !== generation || (hello.has_state && !redialled)) return closeSocket(socket, SESSION_CLOSE.badFrame, "bad frame");
    this.#fence(socket, generation);
    if (!redialled) progress.begin(generation);
    seats.change(socket, { ...seat, bridge: hello.bridge_id, welcomed: true });
    send(socket, {
      type: "welcome",
      state_key: this.#parts.stateKey(),
      resume_ticket: tickets.issue(generation),
      stored_through: progress.seq,
      settings: this.#parts.settings(),
    });
    if (!hello.has_state) for (const slice of rows.slices()) send(socket, { type: "load", ...slice });
    log("session.attached", { connection: this.#parts.connection(), bridge: hello.bridge_id, generation, redialled });
    this.step({ type: "attached", generation }, now);
    if (instance.state.status === "connected") this.#parts.onUp(now);
  }

  /** The newest holder alone goes on. A redial takes the place of its own older socket without a word of fencing. */
  #fence(newest: WebSocket, generation: number): void {
    for (const { socket, seat } of this.#parts.seats.taken()) {
      if (socket === newest || seat.rowsUnwanted) continue;
      this.#parts.commands.lost(socket);
      if (seat.generation === generation) closeSocket(socket, 1001, "dialled again");
      else closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
    }
  }

  #commit(socket: WebSocket, seat: Seat, { seq, rows, events }: Extract<FromBridge, { type: "commit" }>, now: number): void {
    const { instance, intake, progress } = this.#parts;
    const before = instance.state;
    const unwanted = seat.rowsUnwanted;
    if (!unwanted && seat.generation !== progress.generation) return closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
    if (!unwanted && seq > progress.seq + 1) return closeSocket(socket, SESSION_CLOSE.badFrame, "a commit is missing");
    if (!unwanted && seq <= progress.seq) return send(socket, { type: "stored", seq });
    try {
      const current = seat.generation === before.generation;
      const effects = intake.commit(unwanted ? { seq: null, rows: [], events, current } : { seq, rows, events, current }, now);
      send(socket, { type: "stored", seq });
      this.#succession.carryOut(effects, now);
    } catch (error) {
      log("session.commit_failed", { connection: this.#parts.connection(), seq, ...errorFields(error) });
      return closeSocket(socket, 1011, "not stored");
    }
    if (instance.state !== before) this.#changed();
    // The close before it may have come in this very commit: what tells of a new line is that it opened, not a changed status.
    const opened = events.some(({ event }) => event.type === "session.open");
    if (opened && seat.generation === instance.state.generation && instance.state.status === "connected") this.#parts.onUp(now);
  }

  #changed(): void {
    this.#waiters.look();
    this.#parts.onChange();
  }
}

function send(socket: WebSocket, frame: ToBridge): void {
  socket.send(JSON.stringify(frame));
}
