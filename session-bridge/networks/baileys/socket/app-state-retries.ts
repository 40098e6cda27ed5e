import type { WASocket } from "baileys";
import { backoffMs } from "../../../backoff.ts";
import { HOUR_MS } from "../../../../src/protocol/units.ts";

const FIRST_DELAY_MS = 60_000;
const MAX_DELAY_MS = HOUR_MS;

type Collections = Parameters<WASocket["resyncAppState"]>[0];

/** Retries app-state syncs that the network did not answer, with increasing delays. */
export class AppStateRetries {
  readonly #sock: () => WASocket | null;
  readonly #collections = new Set<string>();
  #attempt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(sock: () => WASocket | null) {
    this.#sock = sock;
  }

  schedule(collections: readonly string[]): void {
    for (const name of collections) this.#collections.add(name);
    this.#attempt += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#retry(), backoffMs(this.#attempt, FIRST_DELAY_MS, MAX_DELAY_MS)).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #retry(): Promise<void> {
    const sock = this.#sock();
    // A new socket syncs only what it is notified of, so the collections stay pending.
    if (sock === null) return this.schedule([]);
    const collections = [...this.#collections];
    this.#collections.clear();
    try {
      await sock.resyncAppState(collections as unknown as Collections, false);
      this.#attempt = 0;
    } catch {
      this.schedule(collections);
    }
  }
}
