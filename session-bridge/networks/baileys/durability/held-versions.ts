// App-state versions are written only after the events of their patches have been emitted and all work on them has ended.
import type { WASocket } from "baileys";
import type { AuthState } from "./auth-state.ts";

/** Baileys buffers events for 100 ms. */
const EVENT_BUFFER_MS = 150;
/** On a busy line its buffer may never be seen empty: then it is emptied. */
const HELD_TIMEOUT_MS = 60_000;

export type HeldVersionsDependencies = {
  auth: () => Pick<AuthState, "held" | "release">;
  /** Null while no socket is open. */
  events: () => Pick<WASocket["ev"], "isBuffering" | "flush"> | null;
  /** Resolves when all work on events so far has ended. */
  tasksDone: () => Promise<void>;
};

export class HeldVersions {
  readonly #deps: HeldVersionsDependencies;
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: HeldVersionsDependencies) {
    this.#deps = deps;
  }

  releaseSoon(): void {
    if (this.#timer === null) this.#wait(performance.now());
  }

  #wait(since: number): void {
    this.#timer = setTimeout(() => this.#release(since), EVENT_BUFFER_MS).unref();
  }

  #release(since: number): void {
    const { auth, events, tasksDone } = this.#deps;
    const ev = events();
    if (performance.now() - since >= HELD_TIMEOUT_MS) ev?.flush();
    if ((ev === null || ev.isBuffering()) && auth().held().length > 0) return this.#wait(since);
    this.#timer = null;
    const held = auth().held();
    void tasksDone().then(() => auth().release(held));
  }
}
