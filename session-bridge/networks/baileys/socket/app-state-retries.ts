import type { WASocket } from "baileys";
import { backoffMs } from "../../../backoff.ts";
import { HOUR_MS } from "../../../../src/protocol/units.ts";

const FIRST_MS = 60_000;
const CAP_MS = HOUR_MS;

type Collections = Parameters<WASocket["resyncAppState"]>[0];

/** Asks again, ever more rarely, for the app state that the network did not answer for. */
export class AppStateRetries {
  readonly #sock: () => WASocket | null;
  readonly #collections = new Set<string>();
  #attempt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(sock: () => WASocket | null) {
    this.#sock = sock;
  }

  unanswered(collections: readonly string[]): void {
    for (const name of collections) this.#collections.add(name);
    this.#attempt += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#again(), backoffMs(this.#attempt, FIRST_MS, CAP_MS)).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #again(): Promise<void> {
    const sock = this.#sock();
    // A new socket syncs by itself only what it is notified of, so the wish is kept.
    if (sock === null) return this.unanswered([]);
    const wanted = [...this.#collections];
    this.#collections.clear();
    try {
      await sock.resyncAppState(wanted as unknown as Collections, false);
      this.#attempt = 0;
    } catch {
      this.unanswered(wanted);
    }
  }
}
