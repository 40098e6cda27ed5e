// One end of a WebSocket in a test: frames in order of arrival, and the final close.
import { PONG } from "@gateway/protocol/session-socket.ts";

export type Closed = { code: number; reason: string };

export class Frames<F extends { type: string }> {
  readonly socket: WebSocket;
  readonly #kept: F[] = [];
  readonly #wanted: { fits: (frame: F) => boolean; resolve: (frame: F) => void }[] = [];
  readonly closed: Promise<Closed>;
  /** Types of all frames that arrived, in order. */
  readonly types: F["type"][] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
    const closed = Promise.withResolvers<Closed>();
    this.closed = closed.promise;
    socket.accept();
    socket.addEventListener("message", ({ data }) => {
      if (data !== PONG) this.#received(JSON.parse(String(data)) as F);
    });
    socket.addEventListener("close", ({ code, reason }) => closed.resolve({ code, reason }));
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  /** The first unread frame of this type, now or later. */
  next<T extends F["type"]>(type: T, fits: (frame: Extract<F, { type: T }>) => boolean = () => true): Promise<Extract<F, { type: T }>> {
    type Wanted = Extract<F, { type: T }>;
    const matches = (frame: F) => frame.type === type && fits(frame as Wanted);
    const at = this.#kept.findIndex(matches);
    if (at >= 0) return Promise.resolve(this.#kept.splice(at, 1)[0] as Wanted);
    return new Promise((resolve) => this.#wanted.push({ fits: matches, resolve: resolve as (frame: F) => void }));
  }

  /** Resolves once a frame of this type has arrived, without reading it. */
  seen(type: F["type"]): Promise<void> {
    return new Promise((resolve) => {
      this.socket.addEventListener("message", ({ data }) => {
        if ((JSON.parse(String(data)) as F).type === type) resolve();
      });
    });
  }

  /** Unread frames. */
  get rest(): readonly F[] {
    return this.#kept;
  }

  #received(frame: F): void {
    this.types.push(frame.type);
    const at = this.#wanted.findIndex(({ fits }) => fits(frame));
    if (at < 0) this.#kept.push(frame);
    else this.#wanted.splice(at, 1)[0]?.resolve(frame);
  }
}
