// Moves sessions between working bridges: a single session, or all sessions of a draining bridge.
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { Placement } from "@gateway/protocol/bridge-socket.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { Moved } from "#root/src/services/bridges/pool-stub.ts";
import type { HandOver } from "#root/src/services/connections/stub.ts";
import type { Bridge } from "./bridges.ts";
import type { Pool } from "./pool.ts";

/** Concurrent moves from draining bridges. With more moves, each session would be offline for longer. */
const CONCURRENCY = 4;
/** Concurrent moves off a build whose share of the sessions was withdrawn. Its bridges must be empty within a minute. */
const RETURN_CONCURRENCY = 16;
/** Time after which the remaining sessions of a withdrawn build are marked lost. */
export const RETURN_WITHIN_MS = 30_000;
/** Pause before retrying a session that could not be moved to its build. */
const PLACE_AGAIN_MS = MINUTE_MS;
const RETRY_MS = 2_000;

export type MovesDependencies = {
  pool: Pool;
  /** Asks the connection's object to hand the session over. Resolves when another bridge hosts it. */
  handOver: (placement: Placement, connectedOnly: boolean) => Promise<HandOver>;
  dismiss: (bridge: string) => void;
  /** Starts a container if this deployment runs its own bridges. Otherwise, returns false. */
  startContainer: () => boolean;
  ended: () => void;
};

export class Moves {
  readonly #deps: MovesDependencies;
  readonly #leaving = new Set<string>();
  #retryAt: number | null = null;
  /** True until this instance has checked the bridges that an earlier instance was draining. */
  #isFresh = true;
  readonly #waiting = new Map<string, number>();
  #isSettled = false;
  #loggedAt: number | null = null;

  constructor(deps: MovesDependencies) {
    this.#deps = deps;
  }

  /** Fails for the same reasons as `Pool.reserve`, and with `instance_not_connected` if the session is not connected. */
  async move(connection: string, to: string | null): Promise<Outcome<Moved>> {
    const { pool, handOver } = this.#deps;
    const reserved = pool.reserve(connection, to);
    if (!reserved.ok) return reserved;
    try {
      const end = await handOver(reserved.value.placement, true);
      if (end === "not_connected" || end === "ended") return fail("instance_not_connected");
      const { from, to: reservedAt } = reserved.value;
      return succeed({ from, to: pool.placements.find(connection)?.bridge ?? reservedAt, arrived: end === "moved" });
    } finally {
      pool.cancelReservation(connection);
      this.#deps.ended();
    }
  }

  /** Drains the bridge, which exits after its last session. Fails with `bridge_not_found`, or `bridge_full` without `force`. */
  drain(bridge: string, force: boolean): Outcome<{ sessions: number }> {
    const { pool } = this.#deps;
    const known = pool.bridges.find(bridge);
    if (known === undefined) return fail("bridge_not_found");
    const sessions = pool.placements.assigned(bridge);
    const free = pool.slotsBeside(bridge);
    if (!force && !known.draining && sessions > free && !this.#deps.startContainer())
      return fail("bridge_full", { details: { sessions, room: free } });
    pool.bridges.drain(bridge, force || (known.draining && known.drainForced));
    this.#deps.ended();
    return succeed({ sessions });
  }

  /** Moves sessions off a bridge whose host is about to stop it, if other bridges get capacity in time. */
  leaving(bridge: string, now: number): void {
    this.#deps.pool.bridges.leaving(bridge, now);
    this.#deps.startContainer();
  }

  /** Moves sessions off draining bridges, a few at a time and only where there is capacity. Dismisses empty bridges. */
  run(now: number): void {
    this.#isFresh = false;
    if (this.#retryAt !== null && this.#retryAt <= now) this.#retryAt = null;
    for (const bridge of this.#deps.pool.bridges.draining()) this.#clear(bridge, now);
    if (!this.#isSettled) this.#followShares(now);
  }

  nextDue(): number | null {
    if (this.#isFresh && this.#deps.pool.bridges.draining().length > 0) return 0;
    const returnDue = this.#returnDue();
    if (this.#retryAt === null || returnDue === null) return this.#retryAt ?? returnDue;
    return Math.min(this.#retryAt, returnDue);
  }

  clockSetBack(now: number): void {
    if (this.#retryAt !== null) this.#retryAt = now;
    this.#waiting.clear();
    this.#loggedAt = null;
  }

  sharesChanged(): void {
    this.#isSettled = false;
    this.#waiting.clear();
  }

  reconsider(): void {
    this.#isSettled = false;
  }

  #returnDue(): number | null {
    const { buildShare } = this.#deps.pool;
    if (this.#isSettled || buildShare.rollout === null || !buildShare.takenBack) return null;
    return buildShare.rollout.changedAt + RETURN_WITHIN_MS;
  }

  /** Moves some sessions to the build on which they should run. Sessions that stay too long on a withdrawn build are marked lost. */
  #followShares(now: number): void {
    const { pool } = this.#deps;
    const { takenBack } = pool.buildShare;
    if (takenBack && now >= (this.#returnDue() ?? now)) {
      pool.takeFromRejected();
      this.#isSettled = true;
      return;
    }
    const most = takenBack ? RETURN_CONCURRENCY : CONCURRENCY;
    if (this.#leaving.size >= most) return;
    let moved = 0;
    for (const placement of pool.misplaced()) {
      if (this.#leaving.size >= most) return;
      if (this.#leaving.has(placement.connection) || (this.#waiting.get(placement.connection) ?? 0) > now) continue;
      if (!pool.reserve(placement.connection, null).ok) continue;
      this.#waiting.set(placement.connection, now + PLACE_AGAIN_MS);
      moved += 1;
      this.#leaving.add(placement.connection);
      void this.#handOver(placement, !takenBack);
    }
    if (moved === 0 && this.#leaving.size === 0 && !takenBack) this.#isSettled = true;
  }

  #clear(bridge: Bridge, now: number): void {
    const { pool, dismiss } = this.#deps;
    const left = pool.placements.ofBridge(bridge.id);
    if (left.length === 0) return dismiss(bridge.id);
    if (this.#retryAt !== null) return;
    for (const placement of left) {
      if (this.#leaving.size >= CONCURRENCY) return;
      if (this.#leaving.has(placement.connection)) continue;
      if (pool.awaitsSuccessor(bridge, now) && this.#deps.startContainer()) return;
      const reserved = pool.reserve(placement.connection, null);
      if (!reserved.ok && reserved.failure.code !== "bridge_full") continue;
      if (!reserved.ok && !bridge.drainForced) return this.#wait(bridge, left.length, now);
      this.#leaving.add(placement.connection);
      void this.#handOver(placement);
    }
  }

  #wait({ id }: Bridge, sessions: number, now: number): void {
    this.#deps.startContainer();
    if (this.#loggedAt !== null && now - this.#loggedAt < MINUTE_MS) return;
    this.#loggedAt = now;
    log("pool.drain_waits", { bridge: id, sessions });
  }

  /** `connectedOnly` prevents a move of a session that is being paired. */
  async #handOver(placement: Placement, connectedOnly = false): Promise<void> {
    const { pool, handOver, ended } = this.#deps;
    try {
      const end = await handOver(placement, connectedOnly);
      if (end === "ended") pool.placements.removeEnded(placement);
      else if (end === "not_connected") this.#waiting.set(placement.connection, Date.now() + PLACE_AGAIN_MS);
      else if (pool.placements.find(placement.connection)?.generation === placement.generation) this.#retryAt = Date.now() + RETRY_MS;
    } catch (error) {
      this.#retryAt = Date.now() + RETRY_MS;
      log("pool.notify_failed", { connection: placement.connection, ...errorFields(error) });
    }
    this.#leaving.delete(placement.connection);
    pool.cancelReservation(placement.connection);
    ended();
  }
}
