// Writes this object's state to D1 for lists. Skips short-lived changes, because an outage reconnects thousands of numbers at once.
import { errorFields, log } from "#root/src/log.ts";
import type { InstanceState, StatusReason } from "@gateway/domain/instance/state.ts";
import type { DirectoryState, WrittenState } from "#root/src/services/connections/directory-state.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import type { Scheduled } from "../../shared/alarm.ts";
import { BackgroundTask } from "../store/background-task.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";

type DirectoryEntry = {
  status: DirectoryState["status"];
  phone: string | null;
  kid: number;
  reason: StatusReason;
  changedAt: number;
  bridge: string | null;
};

const STABLE_MS = 30_000;
const TRY_AGAIN_MS = MINUTE_MS;

export class DirectoryUpdater implements Scheduled {
  readonly #sql: SqlStorage;
  readonly #write: (state: DirectoryState) => Promise<void>;
  readonly #task: BackgroundTask;
  #lastWritten: DirectoryEntry | null | undefined;
  /** The write in progress. Only one runs at a time, because concurrent writes could arrive in the wrong order. */
  #writing: DirectoryEntry | null = null;
  #pending: { entry: DirectoryEntry; due: number } | null = null;

  constructor(sql: SqlStorage, times: StoredTimes, write: (state: DirectoryState) => Promise<void>, ended: () => void = () => undefined) {
    this.#sql = sql;
    this.#write = write;
    this.#task = new BackgroundTask({
      name: "directory",
      pauseMs: TRY_AGAIN_MS,
      times,
      onFailed: (error) => log("connection.note_failed", errorFields(error)),
      onEnded: ended,
    });
  }

  /** Queues a changed status, reason, phone, bridge or STATE_SECRET entry (`kid`). `bridge` is the bridge of the newest session. */
  update(state: InstanceState, bridge: string | null, kid: number, now: number): void {
    const { status, reason, changedAt, phone } = state;
    const last = this.#writing ?? this.#readLast();
    const entry = { status, phone, kid, reason, changedAt, bridge: hostOf(state, bridge, last?.bridge ?? null) };
    if (last !== null && !isChange(last, entry, isOpening(state))) this.#pending = null;
    else this.#pending = { entry, due: last !== null && isTransient(last, entry) ? changedAt + STABLE_MS : now };
    this.run(now);
  }

  /** Called with the state in D1. If D1 was restored and has another state, the next update writes again. */
  compare(state: WrittenState | null): void {
    const last = this.#readLast();
    if (last !== null && (last.changedAt !== state?.statusChangedAt || last.bridge !== state.bridgeId)) this.#forgetLast();
  }

  nextDue(now: number): number | null {
    if (this.#pending === null && this.#writing === null) return null;
    return this.#task.notBefore(Math.max(this.#pending?.due ?? now, now), now);
  }

  run(now: number): void {
    if ((this.nextDue(now) ?? Number.POSITIVE_INFINITY) <= now) this.#task.start(now, () => this.#flush(now));
  }

  async #flush(now: number): Promise<void> {
    const entry = this.#pending?.entry ?? null;
    if (entry === null) return;
    this.#pending = null;
    this.#writing = entry;
    try {
      await this.#write(stateOf(entry));
      this.#storeLast(entry);
    } catch (error) {
      this.#forgetLast();
      // Keeps a change queued during the write, because it is newer.
      this.#pending ??= { entry, due: now };
      throw error;
    } finally {
      this.#writing = null;
    }
  }

  #readLast(): DirectoryEntry | null {
    if (this.#lastWritten === undefined) {
      const row = this.#sql.exec<{ entry: string }>("SELECT entry FROM noted").toArray()[0];
      this.#lastWritten = row === undefined ? null : (JSON.parse(row.entry) as DirectoryEntry);
    }
    return this.#lastWritten;
  }

  /** Called when the content of D1 is unknown. The next write to D1 is then unconditional. */
  #forgetLast(): void {
    this.#lastWritten = null;
    try {
      this.#sql.exec("DELETE FROM noted");
    } catch (error) {
      // The disk is full, so only this instance knows that D1 must be written. The next instance writes to D1 at its first change.
      log("connection.note_failed", errorFields(error));
    }
  }

  #storeLast(entry: DirectoryEntry): void {
    this.#sql.exec("INSERT OR REPLACE INTO noted (one, entry) VALUES (1, ?)", JSON.stringify(entry));
    this.#lastWritten = entry;
  }
}

/** The session's bridge, or the last known bridge while the session has no socket. */
function hostOf({ lease }: InstanceState, bridge: string | null, last: string | null): string | null {
  if (lease.phase === "attached") return bridge;
  return lease.phase === "none" || lease.phase === "queued" ? null : last;
}

/** True while the session is being opened. Another status follows immediately. */
function isOpening({ status, reason, lease }: InstanceState): boolean {
  return status === "connecting" && reason !== "reconnecting" && lease.phase !== "queued";
}

function isChange(last: DirectoryEntry, entry: DirectoryEntry, opening: boolean): boolean {
  const { status, phone, kid, reason, bridge } = entry;
  if (last.status !== status || last.phone !== phone || last.kid !== kid) return true;
  return !opening && (last.reason !== reason || last.bridge !== bridge);
}

const TRANSIENT_REASONS: ReadonlySet<StatusReason | undefined> = new Set(["moving", "reconnecting", "waiting_for_update"] as const);

/** True while a connected number reconnects or has just returned. User changes, and the end of a move, are not transient. */
function isTransient(last: DirectoryEntry, entry: DirectoryEntry): boolean {
  if (entry.status === "connected" && entry.bridge !== last.bridge) return false;
  const isUpOrOnItsWay = ({ status, reason }: DirectoryEntry) =>
    status === "connected" || (status === "connecting" && TRANSIENT_REASONS.has(reason));
  return isUpOrOnItsWay(last) && isUpOrOnItsWay(entry) && last.phone === entry.phone && last.kid === entry.kid;
}

function stateOf({ status, reason, changedAt, bridge, phone, kid }: DirectoryEntry): DirectoryState {
  return { status, reason, statusChangedAt: changedAt, bridgeId: bridge, phone, stateKid: kid };
}
