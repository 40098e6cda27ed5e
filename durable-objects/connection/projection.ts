// What D1 is told of this object, for lists and for the watchdog. Told late or twice it does no harm.
import { errorFields, log } from "../../src/log.ts";
import type { InstanceState } from "../../src/domain/instance/state.ts";
import type { DirectoryState } from "../../src/services/connections/directory-state.ts";
import { MINUTE_MS } from "../../src/protocol/units.ts";

type Told = { status: DirectoryState["status"]; phone: string | null; minute: number | null };

export class Projection {
  readonly #sql: SqlStorage;
  readonly #tell: (state: DirectoryState) => Promise<void>;
  #told: Told | null | undefined;
  /** One write at a time: two at once could end in the wrong order. */
  #telling = false;
  #wanted: Told | null = null;

  /** `tell` writes to D1. */
  constructor(sql: SqlStorage, tell: (state: DirectoryState) => Promise<void>) {
    this.#sql = sql;
    this.#tell = tell;
  }

  /** Tells what changed: the status, the phone, or the minute of the next work unless that is near (then the alarm is as good as there). */
  note({ status, phone }: InstanceState, nextDue: number | null, now: number): void {
    const last = this.#wanted ?? this.#last();
    const far = nextDue === null || nextDue > now + MINUTE_MS;
    const minute = far ? (nextDue === null ? null : Math.floor(nextDue / MINUTE_MS)) : (last?.minute ?? null);
    if (last !== null && last.status === status && last.phone === phone && last.minute === minute) return;
    this.#wanted = { status, phone, minute };
    if (!this.#telling) void this.#tellWanted();
  }

  async #tellWanted(): Promise<void> {
    this.#telling = true;
    for (let told = this.#wanted; told !== null; told = this.#wanted) {
      this.#remember(told);
      this.#wanted = null;
      try {
        await this.#tell({ status: told.status, phone: told.phone, nextDue: told.minute === null ? null : told.minute * MINUTE_MS });
      } catch (error) {
        log("connection.note_failed", errorFields(error));
        this.#remember(null);
      }
    }
    this.#telling = false;
  }

  #last(): Told | null {
    if (this.#told === undefined) {
      const row = this.#sql.exec<{ told: string }>("SELECT told FROM noted").toArray()[0];
      // Written by this class alone.
      this.#told = row === undefined ? null : (JSON.parse(row.told) as Told);
    }
    return this.#told;
  }

  /** null: nothing certain, so the next change tells everything. */
  #remember(told: Told | null): void {
    this.#told = told;
    if (told === null) this.#sql.exec("DELETE FROM noted");
    else this.#sql.exec("INSERT OR REPLACE INTO noted (one, told) VALUES (1, ?)", JSON.stringify(told));
  }
}
