// The connection's removal. It continues until nothing is left, even after a crash.
import type { Trigger } from "@gateway/domain/instance/advance.ts";
import type { InstanceState } from "@gateway/domain/instance/state.ts";
import type { ConnectionKind } from "@gateway/protocol/operations.ts";
import type { Env } from "#root/src/env.ts";
import { forgetConnection } from "#root/src/services/connections/remove.ts";
import { removeMediaOf } from "#root/src/services/media/purge.ts";
import { notAhead } from "@gateway/domain/clock-set-back.ts";
import type { Migrations } from "../../shared/migrate.ts";

export const REMOVAL_MIGRATIONS: Migrations = [
  // This row exists during the removal. It stores the `uuid` for the alarm. `unlinked_at` is null while the device may still be linked.
  "CREATE TABLE removal (one INTEGER PRIMARY KEY CHECK (one = 1), uuid TEXT NOT NULL, asked_at INTEGER NOT NULL, unlinked_at INTEGER)",
];

const TRY_AGAIN_MS = 10_000;

type Asked = { uuid: string; asked_at: number; unlinked_at: number | null };

export class Removal {
  readonly #sql: SqlStorage;
  #asked: Asked | null;
  #triedAt = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#asked = sql.exec<Asked>("SELECT uuid, asked_at, unlinked_at FROM removal").toArray()[0] ?? null;
  }

  get connection(): string | null {
    return this.#asked?.uuid ?? null;
  }

  ask(uuid: string, now: number): void {
    this.#sql.exec("INSERT OR IGNORE INTO removal (one, uuid, asked_at) VALUES (1, ?, ?)", uuid, now);
    this.#asked ??= { uuid, asked_at: now, unlinked_at: null };
  }

  /** True if the device may still have to be unlinked when its session reconnects. */
  get unlinks(): boolean {
    return this.#asked !== null && this.#asked.unlinked_at === null;
  }

  unlinkEnded(now: number): void {
    this.#sql.exec("UPDATE removal SET unlinked_at = ?", now);
    if (this.#asked !== null) this.#asked.unlinked_at = now;
  }

  nextDue(now: number): number | null {
    if (this.#asked === null) return null;
    return notAhead(Math.max(this.#asked.asked_at, this.#triedAt) + TRY_AGAIN_MS, TRY_AGAIN_MS, now);
  }

  run(now: number): void {
    this.#triedAt = now;
  }
}

const UNLINK_TIMEOUT_MS = 5_000;

type RemovalTarget = {
  cloud: { upkeep: { forget(): Promise<void> } };
  deliveries: { dispatcher: { stop(): void } };
  identity: { readonly uuid: string; readonly kind: ConnectionKind; forget(): void };
  instance: { readonly state: InstanceState };
  link: { untilDialled(ms: number): Promise<void>; untilClosed(ms: number): Promise<void> };
  removal: Removal;
  session: { step(trigger: Trigger, now: number): void };
  statistics: { push(connection: string, before: number): Promise<void> };
};

/** Ends the session, then deletes files and D1 rows. All steps repeat after a crash. Calls `onStopped` once the connection is unusable. */
export async function removeConnection(target: RemovalTarget, env: Env, onStopped: () => void): Promise<void> {
  const { cloud, deliveries, identity, instance, link, removal, session, statistics } = target;
  const connection = removal.connection ?? identity.uuid;
  // True if a crash or deploy closed the socket, because then the bridge reconnects.
  const dialsAgain = removal.connection !== null || instance.state.lease.phase === "detached";
  if (removal.connection === null) {
    // A Cloud API number is only disconnected, because it has no device to unlink.
    session.step({ type: identity.kind === "session" ? "logout" : "disconnect" }, Date.now());
    removal.ask(connection, Date.now());
    identity.forget();
    deliveries.dispatcher.stop();
    onStopped();
  }
  if (removal.unlinks) {
    if (dialsAgain) await link.untilDialled(UNLINK_TIMEOUT_MS);
    await link.untilClosed(UNLINK_TIMEOUT_MS);
    await cloud.upkeep.forget();
    removal.unlinkEnded(Date.now());
  }
  await removeMediaOf(env.MEDIA, connection);
  await statistics.push(connection, Number.POSITIVE_INFINITY);
  await forgetConnection(env.DB, connection);
}
