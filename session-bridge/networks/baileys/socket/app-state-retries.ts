import type { WASocket } from "baileys";
import { backoffMs } from "#root/backoff.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import type { AppStateReport, Unread } from "./app-state-guard.ts";

const FIRST_DELAY_MS = 60_000;
const MAX_DELAY_MS = HOUR_MS;

type Collections = Parameters<WASocket["resyncAppState"]>[0];

/** Tells of collections of the app state that could not be read, once each, and reads them again with increasing delays. */
export class AppStateRetries implements AppStateReport {
  readonly #sock: () => Pick<WASocket, "resyncAppState"> | null;
  readonly #report: (collection: string, why: Unread) => void;
  readonly #told = new Map<string, Set<Unread>>();
  readonly #collections = new Set<string>();
  #attempt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(sock: () => Pick<WASocket, "resyncAppState"> | null, report: (collection: string, why: Unread) => void) {
    this.#sock = sock;
    this.#report = report;
  }

  unread(collection: string, why: Unread): void {
    const told = this.#told.get(collection) ?? new Set();
    this.#told.set(collection, told);
    if (!told.has(why)) this.#report(collection, why);
    told.add(why);
    // It was read, as far as it can be.
    if (why === "wrong_mac") return;
    this.#collections.add(collection);
    this.#schedule();
  }

  read(collection: string, verified: boolean): void {
    this.#collections.delete(collection);
    const told = this.#told.get(collection);
    const isWrong = !verified && told?.has("wrong_mac") === true;
    this.#told.delete(collection);
    if (isWrong) this.#told.set(collection, new Set(["wrong_mac"]));
  }

  /** For good: what is under way may still report. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => void this.#retry(), backoffMs(this.#attempt + 1, FIRST_DELAY_MS, MAX_DELAY_MS)).unref();
  }

  /** One at a time: what one of them ends with is not the trouble of the others. */
  async #retry(): Promise<void> {
    this.#attempt += 1;
    const due = [...this.#collections];
    for (const collection of due) {
      // A new socket syncs only what it is notified of, so the collections stay pending.
      const sock = this.#sock();
      if (sock === null) break;
      this.#collections.delete(collection);
      // What it could not read is reported again.
      await sock.resyncAppState([collection] as unknown as Collections, false).catch(() => this.#collections.add(collection));
    }
    this.#timer = undefined;
    if (this.#collections.size > 0) this.#schedule();
    else this.#attempt = 0;
  }
}
