// What D1 is told of this object, for lists and for the watchdog. Told late or twice it does no harm.
import { errorFields, log } from "../../src/log.ts";
import type { InstanceState } from "../../src/domain/instance/state.ts";
import type { DirectoryState } from "../../src/services/connections/directory-state.ts";
import { MINUTE_MS } from "../../src/protocol/units.ts";

type DirectoryEntry = { status: DirectoryState["status"]; phone: string | null; minute: number | null };

export class DirectoryUpdater {
  readonly #sql: SqlStorage;
  readonly #write: (state: DirectoryState) => Promise<void>;
  #lastWritten: DirectoryEntry | null | undefined;
  /** One write at a time: two at once could end in the wrong order. */
  #writing = false;
  #pending: DirectoryEntry | null = null;

  /** `tell` writes to D1. */
  constructor(sql: SqlStorage, write: (state: DirectoryState) => Promise<void>) {
    this.#sql = sql;
    this.#write = write;
  }

  /** Tells what changed: the status, the phone, or the minute of the next work unless that is near (then the alarm is as good as there). */
  update({ status, phone }: InstanceState, nextDue: number | null, now: number): void {
    const last = this.#pending ?? this.#readLast();
    const far = nextDue === null || nextDue > now + MINUTE_MS;
    const minute = far ? (nextDue === null ? null : Math.floor(nextDue / MINUTE_MS)) : (last?.minute ?? null);
    if (last !== null && last.status === status && last.phone === phone && last.minute === minute) return;
    this.#pending = { status, phone, minute };
    if (!this.#writing) void this.#flush();
  }

  async #flush(): Promise<void> {
    this.#writing = true;
    for (let entry = this.#pending; entry !== null; entry = this.#pending) {
      this.#storeLast(entry);
      this.#pending = null;
      try {
        await this.#write({ status: entry.status, phone: entry.phone, nextDue: entry.minute === null ? null : entry.minute * MINUTE_MS });
      } catch (error) {
        log("connection.note_failed", errorFields(error));
        this.#storeLast(null);
      }
    }
    this.#writing = false;
  }

  #readLast(): DirectoryEntry | null {
    if (this.#lastWritten === undefined) {
      const row = this.#sql.exec<{ told: string }>("SELECT told FROM noted").toArray()[0];
      // Written by this class alone.
      this.#lastWritten = row === undefined ? null : (JSON.parse(row.told) as DirectoryEntry);
    }
    return this.#lastWritten;
  }

  /** null: nothing certain, so the next change tells everything. */
  #storeLast(entry: DirectoryEntry | null): void {
    this.#lastWritten = entry;
    if (entry === null) this.#sql.exec("DELETE FROM noted");
    else this.#sql.exec("INSERT OR REPLACE INTO noted (one, told) VALUES (1, ?)", JSON.stringify(entry));
  }
}
