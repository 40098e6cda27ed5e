// One session follows another: the older ones are ended, and a bridge is found for the next (effects of the state machine).
import { type Effect, wantsSession } from "../../../src/domain/instance/state.ts";
import { SESSION_CLOSE, type ToBridge } from "../../../src/protocol/session-socket.ts";
import { errorFields, log } from "../../../src/log.ts";
import type { Commands } from "./commands.ts";
import type { Instance } from "./instance.ts";
import { closeSocket, type Seats } from "./seats.ts";
import type { Tickets } from "./tickets.ts";
import type { SessionWaiters } from "./waiters.ts";

/** How long the next session waits for the last one's end: to hand over what it has, or to unlink its device. */
const HANDOVER_MS = 1_000;
const UNLINK_MS = 5_000;

/** The pool of bridges. */
export type BridgeSeeker = {
  /** Finds a bridge for a session. `queued`: there is none with room yet, and the wish is kept. */
  place(wish: { connection: string; generation: number; ticket: string }): Promise<{ queued: boolean }>;
  /** No session below this generation is wanted any more. */
  release(ended: { connection: string; below: number }): Promise<void>;
};

export type SuccessionParts = {
  seats: Seats;
  tickets: Tickets;
  instance: Instance;
  commands: Commands;
  pool: BridgeSeeker;
  /** The connection's UUID. */
  connection: () => string;
};

export class Succession {
  readonly #parts: SuccessionParts;
  readonly #waiters: SessionWaiters;
  readonly #onPlaced: (generation: number, queued: boolean) => void;

  constructor(parts: SuccessionParts, waiters: SessionWaiters, onPlaced: (generation: number, queued: boolean) => void) {
    this.#parts = parts;
    this.#waiters = waiters;
    this.#onPlaced = onPlaced;
  }

  /** Ends older sessions and starts the next, as the step of the instance at `now` (Unix ms) demands. */
  carryOut(effects: readonly Effect[], now: number): void {
    const { generation } = this.#parts.instance.state;
    const has = (type: Effect["type"]) => effects.some((effect) => effect.type === type);
    const unlinks = effects.some((effect) => effect.type === "stop" && effect.logout);
    if (has("stop")) this.#stop(unlinks, now);
    if (has("wipe")) this.#forgetRowsOfOlder(generation);
    if (has("place")) void this.#placeAfterOlder(generation, unlinks ? UNLINK_MS : HANDOVER_MS);
    else if (has("stop")) this.#release(generation);
  }

  /** A living bridge ends the older session first; a dead one has closed its socket, and nothing is waited for. */
  async #placeAfterOlder(generation: number, ms: number): Promise<void> {
    const older = () => this.#parts.seats.taken().some(({ seat }) => seat.welcomed && seat.generation < generation);
    if (older()) await this.#waiters.until(() => !older(), ms);
    const { state } = this.#parts.instance;
    if (state.generation === generation && wantsSession(state)) this.#place(generation);
  }

  #stop(logout: boolean, now: number): void {
    const { generation } = this.#parts.instance.state;
    for (const { socket, seat } of this.#parts.seats.taken()) {
      if (seat.generation >= generation || seat.stoppingAt !== null) continue;
      this.#parts.commands.lost(socket);
      if (!seat.welcomed) closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
      else {
        this.#parts.seats.change(socket, { ...seat, stoppingAt: now });
        socket.send(JSON.stringify({ type: "stop", logout } satisfies ToBridge));
      }
    }
  }

  #forgetRowsOfOlder(generation: number): void {
    for (const { socket, seat } of this.#parts.seats.taken()) {
      if (seat.generation < generation) this.#parts.seats.change(socket, { ...seat, rowsUnwanted: true });
    }
  }

  #place(generation: number): void {
    const ticket = this.#parts.tickets.issue(generation);
    this.#parts.pool.place({ connection: this.#parts.connection(), generation, ticket }).then(
      ({ queued }) => this.#onPlaced(generation, queued),
      // The lease's own deadline asks again.
      (error: unknown) => log("session.place_failed", { connection: this.#parts.connection(), generation, ...errorFields(error) }),
    );
  }

  #release(below: number): void {
    this.#parts.pool.release({ connection: this.#parts.connection(), below }).catch((error: unknown) => {
      log("session.release_failed", { connection: this.#parts.connection(), below, ...errorFields(error) });
    });
  }
}
