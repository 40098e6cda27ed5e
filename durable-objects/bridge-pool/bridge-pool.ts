// The bridge pool tracks live bridges and the sessions they host. One object per deployment, or one per shard.
import { DurableObject } from "cloudflare:workers";
import { isShard } from "@gateway/domain/fleet/shards.ts";
import type { Rollout } from "@gateway/domain/fleet/rollout.ts";
import { bridgeOfAuthorization } from "@gateway/domain/keys/bridge-credential.ts";
import type { ClientVersionSetting, ProxyCheckResult } from "@gateway/protocol/bridge-socket.ts";
import type { FailureCode, Outcome } from "@gateway/protocol/failures.ts";
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import { PING, PONG, SESSION_CLOSE } from "@gateway/protocol/session-socket.ts";
import { earliest } from "@gateway/protocol/units.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { log } from "#root/src/log.ts";
import {
  type BridgePoolStub,
  type BridgeView,
  type FleetView,
  type MailClaim,
  type Moved,
  type Placed,
  PROXY_WATCH_URL,
  type StoredRollout,
} from "#root/src/services/bridges/pool-stub.ts";
import type { ServerOf } from "#root/src/services/object-calls.ts";
import { readFrame } from "./bridge-sockets.ts";
import { troubleOfShare } from "./build-shares/bridge-starts.ts";
import { poolComponents, type PoolComponents } from "./components.ts";
import type { PlacementRequest } from "./placements.ts";
import { POOL_MIGRATIONS, poolTimeColumns } from "./schema.ts";
import { MailClaims } from "./shards/mail-claims.ts";
import { answerClose } from "../shared/answer-close.ts";
import { ClockSteps } from "../shared/clock-steps.ts";
import { type Deployment, PRODUCTION } from "../shared/deployment.ts";
import { migrate } from "../shared/migrate.ts";

export class BridgePool extends DurableObject<Env> implements ServerOf<BridgePoolStub> {
  readonly #parts: PoolComponents;
  readonly #clock: ClockSteps;
  #alarmAt: number | null = null;

  constructor(ctx: DurableObjectState, env: Env, deployment: Deployment = PRODUCTION) {
    super(ctx, env);
    migrate(ctx.storage, [["pool", POOL_MIGRATIONS]]);
    this.#clock = new ClockSteps(ctx.storage.sql, poolTimeColumns(deployment.proxyCheckMs), Date.now());
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
    const host = { name: nameOf(ctx), arm: () => this.#arm(), advance: () => this.#advance() };
    this.#parts = poolComponents(ctx, env, deployment, host);
    this.#parts.frames.restore(Date.now());
    this.#arm();
  }

  /** Requests a bridge for a session. `queued` means that no bridge has capacity at the moment. */
  place(request: PlacementRequest): Placed {
    const placed = this.#parts.pool.place(request, Date.now());
    if (placed.queued) this.#parts.containers.request();
    this.#arm();
    return placed;
  }

  release({ connection, below }: { connection: string; below: number }): void {
    this.#parts.pool.release(connection, below, Date.now());
    this.#advance();
  }

  redial({ connection, generation }: { connection: string; generation: number }): boolean {
    return this.#parts.pool.redial({ connection, generation });
  }

  list(): { bridges: BridgeView[]; placed: number; queued: number } {
    const { pool, containers } = this.#parts;
    const bridges = pool.views().map((bridge) => ({ ...bridge, container: containers.hosts(bridge.id) }));
    return { bridges, ...pool.placements.counts() };
  }

  move(connection: string, to: string | null): Promise<Outcome<Moved>> {
    return this.#parts.moves.move(connection, to);
  }

  drain(bridge: string, force: boolean): Outcome<{ sessions: number }> {
    return this.#parts.moves.drain(bridge, force);
  }

  restart(bridge: string): Promise<Outcome<{ sessions: number }>> {
    return this.#parts.containers.restart(bridge);
  }

  metrics(bridge: string): Promise<Outcome<string>> {
    return this.#parts.containers.metrics(bridge);
  }

  fleet(): FleetView {
    const sessions = this.#parts.pool.placements.counts().placed;
    const { rollout } = this.#parts.pool.buildShare;
    return {
      sessions,
      away: this.#parts.fleet.away(),
      troubles: this.#parts.fleet.troubles(),
      alarms: this.#parts.fleet.alarms(),
      rollout,
    };
  }

  setRollout(rollout: Rollout | null): { before: StoredRollout | null } {
    const before = this.#parts.pool.buildShare.rollout;
    this.#changeShare(rollout, Date.now());
    return { before };
  }

  takeAway(connection: string): boolean {
    const taken = this.#parts.fleet.takeAway(connection, Date.now());
    this.#arm();
    return taken;
  }

  clientVersion(): ClientVersionSetting {
    return this.#parts.clientVersion.get();
  }

  setClientVersion(setting: ClientVersionSetting): ClientVersionSetting {
    const before = this.#parts.clientVersion.get();
    this.#parts.clientVersion.set(setting, Date.now());
    for (const { id } of this.#parts.pool.bridges.all()) this.#parts.frames.sendClientVersion(id);
    return before;
  }

  checkProxy(id: string): Promise<boolean> {
    return this.#parts.proxyChecks.check(id, Date.now());
  }

  judgeProxy(url: string): Promise<ProxyCheckResult | null> {
    return this.#parts.proxyChecks.judge(url);
  }

  claimMails(claim: MailClaim): Omit<MailClaim, "pool"> {
    return new MailClaims(this.ctx.storage.sql).claim(claim, Date.now());
  }

  proxiesChecked(): void {
    this.#parts.proxyWatchers.changed();
  }

  /** Called every minute. Runs overdue work, and starts enough containers if this deployment runs its own bridges. */
  async keepBridges(): Promise<void> {
    this.#parts.moves.reconsider();
    this.#parts.pool.clearDead();
    this.#run(Date.now());
    void this.#parts.sweep.run(Date.now());
    await this.#parts.containers.keep();
    await this.#parts.summary.write(Date.now());
  }

  /** Accepts a WebSocket from a bridge or from an administrator's proxy page. Only the worker can request the second kind. */
  override fetch(request: Request): Response {
    if (request.url === PROXY_WATCH_URL) return this.#parts.proxyWatchers.accept();
    const shown = bridgeOfAuthorization(settingsOf(this.env).BRIDGE_SECRET, request.headers.get("authorization"));
    if (shown === null) return refusal(401, "unauthorized");
    const { bridge, current, pool } = shown;
    if (pool === nameOf(this.ctx)) return this.#parts.sockets.accept({ bridge, current });
    log("pool.bridge_refused", { bridge, pool: nameOf(this.ctx), wanted: pool });
    return refusal(403, "forbidden");
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    if (this.#parts.proxyWatchers.has(socket)) return;
    const frame = readFrame(message);
    const { registered } = this.#parts.sockets.of(socket);
    if (frame === null || (frame.type !== "hello" && !registered)) return socket.close(SESSION_CLOSE.badFrame, "bad frame");
    const now = Date.now();
    if (frame.type !== "hello") this.#parts.frames.received(socket, frame, now);
    else if (this.#parts.frames.register(socket, frame, now)) {
      this.#parts.moves.sharesChanged();
      void this.#parts.summary.write(now);
    }
    this.#watchFleet(now);
    this.#advance();
  }

  override webSocketClose(socket: WebSocket): void {
    this.#detach(socket);
    answerClose(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.#detach(socket);
  }

  override alarm(): void {
    this.#alarmAt = null;
    this.#run(Date.now());
  }

  #run(now: number): void {
    const dead = this.#parts.pool.expire(now);
    for (const bridge of dead) this.#parts.fleet.removed(bridge);
    for (const bridge of dead) this.#parts.sockets.close(bridge, "silent");
    if (dead.length > 0) this.#parts.containers.request();
    this.#parts.pool.fill(now);
    this.#parts.proxyChecks.run(now);
    this.#watchFleet(now);
    this.#advance();
  }

  #watchFleet(now: number): void {
    this.#parts.fleet.run(now);
    this.#parts.fleetMails.run(now);
    this.#judgeBuild(now);
  }

  /** Withdraws the new build's share if its sessions have a problem that other builds do not have. */
  #judgeBuild(now: number): void {
    const { rollout } = this.#parts.pool.buildShare;
    const trouble = troubleOfShare(this.#parts.pool, this.#parts.fleet, this.#parts.starts, now);
    if (rollout === null || trouble === null) return;
    log("pool.build_rejected", { build: rollout.build, percent: rollout.percent, trouble });
    this.#changeShare({ build: rollout.build, percent: 0, connections: [] }, now, trouble);
    this.#parts.fleet.mailRejected(rollout.build, trouble, now);
  }

  #changeShare(rollout: Rollout | null, now: number, rejectedFor: string | null = null): void {
    this.#parts.pool.buildShare.set(rollout, now, rejectedFor);
    this.#parts.pool.fill(now);
    this.#parts.moves.sharesChanged();
    this.#advance();
  }

  #advance(): void {
    this.#parts.moves.run(Date.now());
    this.#parts.lostSessions.notify();
    this.#arm();
  }

  #detach(socket: WebSocket): void {
    if (this.#parts.proxyWatchers.has(socket)) return;
    if (!this.#parts.sockets.isLast(socket)) return;
    this.#parts.pool.bridges.detach(this.#parts.sockets.of(socket).bridge, Date.now());
    this.#arm();
  }

  #arm(): void {
    const now = Date.now();
    if (this.#clock.wasSetBack(now)) {
      const parts = [
        this.#parts.times,
        this.#parts.pool,
        this.#parts.moves,
        this.#parts.lostSessions,
        this.#parts.fleet,
        this.#parts.fleetMails,
        this.#parts.proxyChecks,
      ];
      for (const part of parts) part.clockSetBack(now);
      this.#alarmAt = null;
    }
    const next = earliest([
      this.#parts.pool.nextDue(),
      this.#parts.proxyChecks.nextDue(),
      this.#parts.lostSessions.nextDue(),
      this.#parts.moves.nextDue(),
      this.#parts.fleet.nextDue(),
      this.#parts.fleetMails.nextDue(),
    ]);
    if (next === null) return;
    const due = Math.max(now, next);
    // Keeps an earlier alarm unless it is overdue. The platform may have lost an overdue alarm, so it is set again.
    if (this.#alarmAt !== null && this.#alarmAt <= due && this.#alarmAt > now) return;
    this.#alarmAt = due;
    void this.ctx.storage.setAlarm(due);
  }
}

/** Bridges assume that a response without this body comes from a proxy in front of the gateway. */
const refusal = (status: number, code: FailureCode): Response => Response.json({ error: { code } }, { status });

const nameOf = ({ id: { name = "" } }: DurableObjectState): string => (isShard(name) ? name : DEFAULT_POOL);
