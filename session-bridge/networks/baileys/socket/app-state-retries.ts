import type { WASocket } from "baileys";
import { backoffMs } from "#root/reconnect-delays.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import type { AppStateReport, Unread } from "./app-state-guard.ts";

const FIRST_DELAY_MS = 60_000;
const MAX_DELAY_MS = HOUR_MS;

type Collections = Parameters<WASocket["resyncAppState"]>[0];

/** Reports app-state collections that could not be read, once each, and retries them with backoff. */
export class AppStateRetries implements AppStateReport {
  readonly #sock: () => Pick<WASocket, "resyncAppState"> | null;
  readonly #report: (collection: string, why: Unread) => void;
  readonly #reported = new Map<string, Set<Unread>>();
  readonly #collections = new Set<string>();
  #attempt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(sock: () => Pick<WASocket, "resyncAppState"> | null, report: (collection: string, why: Unread) => void) {
    this.#sock = sock;
    this.#report = report;
  }

  unread(collection: string, why: Unread): void {
    const reported = this.#reported.get(collection) ?? new Set();
    this.#reported.set(collection, reported);
    if (!reported.has(why)) this.#report(collection, why);
    reported.add(why);
    if (why === "wrong_mac") return;
    this.#collections.add(collection);
    this.#schedule();
  }

  read(collection: string, verified: boolean): void {
    this.#collections.delete(collection);
    const reported = this.#reported.get(collection);
    const isWrong = !verified && reported?.has("wrong_mac") === true;
    this.#reported.delete(collection);
    if (isWrong) this.#reported.set(collection, new Set(["wrong_mac"]));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => void this.#retry(), backoffMs(this.#attempt + 1, FIRST_DELAY_MS, MAX_DELAY_MS)).unref();
  }

  async #retry(): Promise<void> {
    this.#attempt += 1;
    const due = [...this.#collections];
    for (const collection of due) {
      // A new socket syncs only what it is notified of, so the collections stay pending.
      const sock = this.#sock();
      if (sock === null) break;
      this.#collections.delete(collection);
      await sock.resyncAppState([collection] as unknown as Collections, false).catch(() => this.#collections.add(collection));
    }
    this.#timer = undefined;
    if (this.#collections.size > 0) this.#schedule();
    else this.#attempt = 0;
  }
}
