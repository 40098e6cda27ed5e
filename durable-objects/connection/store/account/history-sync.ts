// Progress of the phone's history sync, and how much is stored.
import { z } from "zod";
import type { SessionEvent } from "../../../../src/protocol/events.ts";
import type { HistorySyncRecord } from "../../../../src/protocol/records.ts";

type HistorySyncReport = Pick<Extract<SessionEvent, { type: "session.history" }>, "state" | "progress">;
type Row = { state: string; progress: number | null; chats: number; messages: number };

const State = z.enum(["idle", "running", "paused", "complete"]);

export class HistorySync {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  record({ state, progress }: HistorySyncReport): void {
    this.#sql.exec("INSERT OR REPLACE INTO history_sync (one, state, progress) VALUES (1, ?, ?)", state, progress);
  }

  /** A device was newly linked: no history has arrived yet. */
  reset(): void {
    this.#sql.exec("DELETE FROM history_sync");
  }

  status(): HistorySyncRecord {
    const row = this.#sql
      .exec<Row>(
        `SELECT COALESCE((SELECT state FROM history_sync), 'idle') AS state, (SELECT progress FROM history_sync) AS progress,
           (SELECT count(*) FROM chats) AS chats, (SELECT count(*) FROM messages) AS messages`,
      )
      .one();
    return { ...row, state: State.parse(row.state) };
  }
}
