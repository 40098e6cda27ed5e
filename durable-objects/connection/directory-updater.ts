// Writes this object's state to D1, for lists and for the watchdog. A late or repeated write does no harm.
import { errorFields, log } from "../../src/log.ts";
import type { InstanceState, StatusReason } from "../../src/domain/instance/state.ts";
import type { DirectoryState } from "../../src/services/connections/directory-state.ts";
import { MINUTE_MS } from "../../src/protocol/units.ts";

/** `kid`, then `reason`, `changedAt` and `bridge`, are missing in entries of earlier releases. */
type DirectoryEntry = {
  status: DirectoryState["status"];
  phone: string | null;
  minute: number | null;
  kid?: number;
  reason?: StatusReason;
  changedAt?: number;
  bridge?: string | null;
};

type WholeEntry = Required<DirectoryEntry>;

export class DirectoryUpdater {
  readonly #sql: SqlStorage;
  readonly #write: (state: DirectoryState) => Promise<void>;
  #lastWritten: DirectoryEntry | null | undefined;
  /** One write at a time: two concurrent ones could arrive in the wrong order. */
  #writing = false;
  #pending: WholeEntry | null = null;

  /** `write` writes to D1. */
  constructor(sql: SqlStorage, write: (state: DirectoryState) => Promise<void>) {
    this.#sql = sql;
    this.#write = write;
  }

  /**
   * Writes a changed status, reason, phone, bridge, entry of STATE_SECRET (`kid`) or minute of the next due work; the minute only when it is
   * not near, as the alarm rings soon then. `bridge`: of the newest session.
   */
  update(state: InstanceState, bridge: string | null, kid: number, nextDue: number | null, now: number): void {
    const { status, reason, changedAt, phone } = state;
    const last = this.#pending ?? this.#readLast();
    const far = nextDue === null || nextDue > now + MINUTE_MS;
    const minute = far ? (nextDue === null ? null : Math.floor(nextDue / MINUTE_MS)) : (last?.minute ?? null);
    const entry = { status, phone, minute, kid, reason, changedAt, bridge: hostOf(state, bridge, last?.bridge ?? null) };
    if (last !== null && !isNews(last, entry, isPassing(state))) return;
    this.#pending = entry;
    if (!this.#writing) void this.#flush();
  }

  async #flush(): Promise<void> {
    this.#writing = true;
    for (let entry = this.#pending; entry !== null; entry = this.#pending) {
      this.#pending = null;
      try {
        this.#storeLast(entry);
        await this.#write(stateOf(entry));
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

  #storeLast(entry: WholeEntry): void {
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

/** Which bridge has the session: while one is being opened or its socket is away, the one that is known. */
function hostOf({ lease }: InstanceState, bridge: string | null, last: string | null): string | null {
  if (lease.phase === "attached") return bridge;
  return lease.phase === "none" || lease.phase === "queued" ? null : last;
}

/** A session is being opened: another status follows at once, and tells its bridge and its reason too. */
function isPassing({ status, reason, lease }: InstanceState): boolean {
  return status === "connecting" && reason !== "reconnecting" && lease.phase !== "queued";
}

function isNews(last: DirectoryEntry, entry: WholeEntry, passing: boolean): boolean {
  const { status, phone, minute, kid, reason, bridge } = entry;
  if (last.status !== status || last.phone !== phone || last.minute !== minute || last.kid !== kid) return true;
  return !passing && (last.reason !== reason || last.bridge !== bridge);
}

function stateOf({ status, reason, changedAt, bridge, phone, minute, kid }: WholeEntry): DirectoryState {
  const nextDue = minute === null ? null : minute * MINUTE_MS;
  return { status, reason, statusChangedAt: changedAt, bridgeId: bridge, phone, stateKid: kid, nextDue };
}
