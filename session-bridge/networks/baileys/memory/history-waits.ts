// Tracks history that the phone has yet to send. The phone may be off, so an expired wait is reported as paused.
import { perSession } from "../session/per-session.ts";
import type { NetworkSession } from "../session/session-context.ts";

export const HISTORY_LIMIT_MS = { initial: 600_000, asked: 120_000 } as const;

export type HistoryWait = keyof typeof HISTORY_LIMIT_MS;

const WAITS = ["initial", "asked"] as const satisfies readonly HistoryWait[];
/** Contains the deadline (ms) or `SETTLED`. Deleted with the credentials, so that a new pairing waits again. */
const rowKeyOf = (wait: HistoryWait): string => `bridge|history-${wait}`;
const SETTLED = "settled";

class HistoryWaits {
  readonly #session: NetworkSession;
  readonly #timers = new Map<HistoryWait, NodeJS.Timeout>();

  constructor(session: NetworkSession) {
    this.#session = session;
    for (const wait of WAITS) {
      const dueAt = Number(this.#row(wait));
      if (dueAt > 0) this.#arm(wait, dueAt);
    }
  }

  linked(): void {
    if (this.#row("initial") === undefined) this.begin("initial");
  }

  begin(wait: HistoryWait): void {
    const dueAt = this.#session.now() + HISTORY_LIMIT_MS[wait];
    this.#session.rows.put(rowKeyOf(wait), String(dueAt));
    this.#arm(wait, dueAt);
  }

  came(wait: HistoryWait): void {
    if (this.#row(wait) === SETTLED) return;
    clearTimeout(this.#timers.get(wait));
    this.#timers.delete(wait);
    this.#session.rows.put(rowKeyOf(wait), SETTLED);
  }

  #row(wait: HistoryWait): string | undefined {
    return this.#session.rows.get(rowKeyOf(wait))?.toString();
  }

  #arm(wait: HistoryWait, dueAt: number): void {
    clearTimeout(this.#timers.get(wait));
    this.#timers.set(wait, setTimeout(() => this.#isOver(wait), Math.max(0, dueAt - this.#session.now())).unref());
  }

  #isOver(wait: HistoryWait): void {
    const { logger, ended } = this.#session;
    const row = this.#row(wait);
    if (ended.aborted || row === undefined || row === SETTLED) return;
    this.came(wait);
    logger.warn({ wait }, "history.unanswered");
    const timestamp = Math.floor(this.#session.now() / 1000);
    this.#session.emit([{ key: null, event: { type: "session.history", state: "paused", progress: null, timestamp } }]);
  }
}

export const historyWaitsOf = perSession((session) => new HistoryWaits(session));
