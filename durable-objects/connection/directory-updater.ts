// Writes this object's state to D1, for lists and for the watchdog. A late or repeated write does no harm.
import { errorFields, log } from "../../src/log.ts";
import { IMPLIED_KID } from "../../src/domain/keys/secrets.ts";
import type { InstanceState } from "../../src/domain/instance/state.ts";
import type { DirectoryState } from "../../src/services/connections/directory-state.ts";
import { MINUTE_MS } from "../../src/protocol/units.ts";

/** `kid` is missing in entries of an earlier release. */
type DirectoryEntry = { status: DirectoryState["status"]; phone: string | null; minute: number | null; kid?: number };

export class DirectoryUpdater {
  readonly #sql: SqlStorage;
  readonly #write: (state: DirectoryState) => Promise<void>;
  #lastWritten: DirectoryEntry | null | undefined;
  /** One write at a time: two concurrent ones could arrive in the wrong order. */
  #writing = false;
  #pending: DirectoryEntry | null = null;

  /** `write` writes to D1. */
  constructor(sql: SqlStorage, write: (state: DirectoryState) => Promise<void>) {
    this.#sql = sql;
    this.#write = write;
  }

  /**
   * Writes a changed status, phone, entry of STATE_SECRET (`kid`) or minute of the next due work; the minute only when it is not near, as
   * the alarm rings soon then.
   */
  update({ status, phone }: InstanceState, kid: number, nextDue: number | null, now: number): void {
    const last = this.#pending ?? this.#readLast();
    const far = nextDue === null || nextDue > now + MINUTE_MS;
    const minute = far ? (nextDue === null ? null : Math.floor(nextDue / MINUTE_MS)) : (last?.minute ?? null);
    if (last !== null && last.status === status && last.phone === phone && last.minute === minute && last.kid === kid) return;
    this.#pending = { status, phone, minute, kid };
    if (!this.#writing) void this.#flush();
  }

  async #flush(): Promise<void> {
    this.#writing = true;
    for (let entry = this.#pending; entry !== null; entry = this.#pending) {
      this.#pending = null;
      try {
        this.#storeLast(entry);
        const { status, phone, minute, kid } = entry;
        await this.#write({ status, phone, stateKid: kid ?? IMPLIED_KID, nextDue: minute === null ? null : minute * MINUTE_MS });
      } catch (error) {
        log("connection.note_failed", errorFields(error));
        this.#forgetLast();
      }
    }
    this.#writing = false;
  }

  #readLast(): DirectoryEntry | null {
    if (this.#lastWritten === undefined) {
      const row = this.#sql.exec<{ told: string }>("SELECT told FROM noted").toArray()[0];
      // Only this class writes it.
      this.#lastWritten = row === undefined ? null : (JSON.parse(row.told) as DirectoryEntry);
    }
    return this.#lastWritten;
  }

  #storeLast(entry: DirectoryEntry): void {
    this.#lastWritten = entry;
    this.#sql.exec("INSERT OR REPLACE INTO noted (one, told) VALUES (1, ?)", JSON.stringify(entry));
  }

  /** It is unknown what D1 has, so the next update writes everything. */
  #forgetLast(): void {
    this.#lastWritten = null;
    try {
      this.#sql.exec("DELETE FROM noted");
    } catch (error) {
      // Nothing can be stored: this instance knows, and the next one writes with its first change.
      log("connection.note_failed", errorFields(error));
    }
  }
}
