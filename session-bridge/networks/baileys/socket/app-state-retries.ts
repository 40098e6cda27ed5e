// Reads the app state that the library has not read: everything after an interrupted first sync, and unreadable collections.
import { AsyncLocalStorage } from "node:async_hooks";
import { ALL_WA_PATCH_NAMES, type WAPatchName, type WASocket } from "baileys";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { backoffMs } from "#bridge/reconnect-delays.ts";
import type { TextRow } from "../session/session-context.ts";
import type { AppStateReport, Unread } from "./app-state-guard.ts";

const FIRST_DELAY_MS = 60_000;
const MAX_DELAY_MS = HOUR_MS;

type Socket = Pick<WASocket, "authState" | "resyncAppState">;

/** Reports each unreadable app-state collection once, and retries it with backoff. */
export class AppStateRetries implements AppStateReport {
  readonly #row: TextRow;
  readonly #sock: () => Socket | null;
  readonly #report: (collection: string, why: Unread) => void;
  readonly #reported = new Map<string, Set<Unread>>();
  /** Collections to request. They are also stored in the row, which does not exist until the first one has been read. */
  readonly #unread: Set<string>;
  /** A retry must not run in the context of the sync or the key transaction that scheduled it. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #attempt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isRetrying = false;
  #isStopped = false;

  constructor(row: TextRow, sock: () => Socket | null, report: (collection: string, why: Unread) => void) {
    this.#row = row;
    this.#sock = sock;
    this.#report = report;
    const stored = row.read();
    this.#unread = new Set(stored === undefined ? ALL_WA_PATCH_NAMES : (JSON.parse(stored) as string[]));
  }

  /** Call it when the socket has opened, and when the phone has shared a key. The library's own sync usually comes first. */
  wake(): void {
    this.#attempt = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#schedule();
  }

  unread(collection: string, why: Unread): void {
    const reported = this.#reported.get(collection) ?? new Set();
    this.#reported.set(collection, reported);
    if (!reported.has(why)) this.#report(collection, why);
    reported.add(why);
    if (why === "wrong_mac") return this.#done(collection);
    this.#unread.add(collection);
    // Stored at once, because the notification that caused the sync is deleted next.
    if (this.#row.read() !== undefined) this.#save();
    this.#schedule();
  }

  read(collection: string, verified: boolean): void {
    this.#done(collection);
    const reported = this.#reported.get(collection);
    const isWrong = !verified && reported?.has("wrong_mac") === true;
    this.#reported.delete(collection);
    if (isWrong) this.#reported.set(collection, new Set(["wrong_mac"]));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** The row must not be stored before the collection's version and events, which follow in this turn of the event loop. */
  #done(collection: string): void {
    if (this.#unread.delete(collection)) setImmediate(() => this.#save());
  }

  #save(): void {
    const text = JSON.stringify([...this.#unread].toSorted());
    if (text !== this.#row.read()) this.#row.write(text);
  }

  #schedule(): void {
    if (this.#isStopped || this.#isRetrying || this.#unread.size === 0) return;
    const delayMs = backoffMs(this.#attempt + 1, FIRST_DELAY_MS, MAX_DELAY_MS);
    this.#timer ??= setTimeout(() => this.#outside(() => void this.#retry()), delayMs).unref();
  }

  async #retry(): Promise<void> {
    this.#timer = undefined;
    const sock = this.#sock();
    // `wake` continues once there is a socket and a key.
    if (sock === null || sock.authState.creds.myAppStateKeyId === undefined) return;
    this.#isRetrying = true;
    this.#attempt += 1;
    // If the rows cannot be read now, the next retry reads them.
    for (const { names, isInitial } of await this.#requests(sock).catch(() => [])) {
      if (this.#sock() !== sock) break;
      // The guard reports what was read and what was not.
      await sock.resyncAppState(names, isInitial).catch(() => undefined);
    }
    this.#isRetrying = false;
    this.#schedule();
  }

  /** Collections that have failed are requested one by one, because a failure ends the whole request. */
  async #requests({ authState }: Socket): Promise<{ names: WAPatchName[]; isInitial: boolean }[]> {
    const names = [...this.#unread] as WAPatchName[];
    const versions = await authState.keys.get("app-state-sync-version", names);
    const isFirst = (name: WAPatchName): boolean => versions[name] === undefined;
    const failed = names.filter((name) => this.#reported.has(name));
    const others = names.filter((name) => !this.#reported.has(name));
    return [
      { names: others.filter(isFirst), isInitial: true },
      { names: others.filter((name) => !isFirst(name)), isInitial: false },
      ...failed.map((name) => ({ names: [name], isInitial: isFirst(name) })),
    ].filter(({ names }) => names.length > 0);
  }
}
