// What D1 is told of this object, for lists and for the watchdog. Told late or twice it does no harm.
import { errorFields, log } from "../log.ts";
import type { InstanceState } from "../../src/domain/instance/state.ts";
import type { NotedState } from "../../src/services/connections/note-state.ts";

const MINUTE_MS = 60_000;

type Told = { status: string; phone: string | null; minute: number | null };

export class Projection {
  readonly #sql: SqlStorage;
  readonly #tell: (state: NotedState, now: number) => Promise<void>;
  #told: Told | null | undefined;

  /** `tell` writes to D1. */
  constructor(sql: SqlStorage, tell: (state: NotedState, now: number) => Promise<void>) {
    this.#sql = sql;
    this.#tell = tell;
  }

  /** Tells what changed: the status, the phone, or the minute of the next work unless that is near (then the alarm is as good as there). */
  note({ status, phone }: InstanceState, nextDue: number | null, now: number): void {
    const told = this.#last();
    const far = nextDue === null || nextDue > now + MINUTE_MS;
    const minute = far ? (nextDue === null ? null : Math.floor(nextDue / MINUTE_MS)) : (told?.minute ?? null);
    if (told !== null && told.status === status && told.phone === phone && told.minute === minute) return;
    this.#remember({ status, phone, minute });
    this.#tell({ status, phone, nextDue: minute === null ? null : minute * MINUTE_MS }, now).catch((error: unknown) => {
      log("connection.note_failed", errorFields(error));
      this.#remember(null);
    });
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
