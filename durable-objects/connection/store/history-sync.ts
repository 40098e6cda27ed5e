import { HistoryProgress, type HistorySyncRecord } from "@gateway/protocol/records.ts";

export class HistorySync {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  record({ state, progress }: HistoryProgress): void {
    this.#sql.exec("INSERT OR REPLACE INTO history_sync (one, state, progress) VALUES (1, ?, ?)", state, progress);
  }

  reset(): void {
    this.#sql.exec("DELETE FROM history_sync");
  }

  progress(): HistoryProgress {
    const [row] = this.#sql.exec("SELECT state, progress FROM history_sync").toArray();
    return row === undefined ? { state: "idle", progress: null } : HistoryProgress.parse(row);
  }

  status(): HistorySyncRecord {
    const stored = this.#sql
      .exec<{ chats: number; messages: number }>(
        "SELECT (SELECT count(*) FROM chats) AS chats, (SELECT count(*) FROM messages) AS messages",
      )
      .one();
    return { ...this.progress(), ...stored };
  }
}
