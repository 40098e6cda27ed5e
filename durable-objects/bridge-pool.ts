// The bridge pool: which bridges are alive and which sessions they host. One object per deployment, or one per shard.
import { DurableObject } from "cloudflare:workers";
import { bindTicket, bridgeOfAuthorization } from "@gateway/domain/keys/bridge-credential.ts";
import { type Env, settingsOf } from "../src/env.ts";
import type { ClientVersionSetting, ProxyCheckResult } from "@gateway/protocol/bridge-socket.ts";
import { PING, PONG, SESSION_CLOSE } from "@gateway/protocol/session-socket.ts";
import { BridgeFrames } from "./bridge-pool/bridge-frames.ts";
import { BridgeSockets, readFrame } from "./bridge-pool/bridge-sockets.ts";
import { FleetMails } from "./bridge-pool/fleet-mails.ts";
import { FleetWatch } from "./bridge-pool/fleet-watch.ts";
import { isShard } from "@gateway/domain/fleet/shards.ts";
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import type { Rollout } from "@gateway/domain/fleet/rollout.ts";
import { troubleOfShare, BridgeStarts } from "./bridge-pool/build-shares/bridge-starts.ts";
import { PoolClientVersion } from "./bridge-pool/client-version.ts";
import { ContainerStarts } from "./bridge-pool/container-starts.ts";
import { LostSessions } from "./bridge-pool/lost-sessions.ts";
import type { PlacementRequest } from "./bridge-pool/placements.ts";
import { MailClaims } from "./bridge-pool/shards/mail-claims.ts";
import { Moves } from "./bridge-pool/moves.ts";
import { Pool } from "./bridge-pool/pool.ts";
import { POOL_MIGRATIONS, poolTimeColumns } from "./bridge-pool/schema.ts";
import { ProxyChecks } from "./bridge-pool/proxy-checks.ts";
import { ProxyWatchers } from "./bridge-pool/proxy-watchers.ts";
import { ShardSummary } from "./bridge-pool/shards/shard-summary.ts";
import { Sweep } from "./bridge-pool/sweep.ts";
import { ClockSteps } from "./shared/clock-steps.ts";
import { type Deployment, PRODUCTION } from "./shared/deployment.ts";
import { answerClose } from "./shared/answer-close.ts";
import { migrate } from "./shared/migrate.ts";
import { StoredTimes } from "./shared/stored-times.ts";
import type { ServerOf } from "../src/services/object-stubs.ts";
import {
  type BridgePoolStub,
  type BridgeView,
  type FleetView,
  type MailClaim,
  type Moved,
  type Placed,
  poolOf,
  PROXY_WATCH_URL,
  type StoredRollout,
} from "../src/services/bridges/pool-stub.ts";
import { connectionStub } from "../src/services/connections/stub.ts";
import type { FailureCode, Outcome } from "@gateway/protocol/failures.ts";
import { earliest } from "@gateway/protocol/units.ts";
import { log } from "../src/log.ts";

export class BridgePool extends DurableObject<Env> implements ServerOf<BridgePoolStub> {
  readonly #sockets: BridgeSockets;
  readonly #frames: BridgeFrames;
  readonly #pool: Pool;
  readonly #moves: Moves;
  readonly #starts: BridgeStarts;
  readonly #containers: ContainerStarts;
  readonly #lostSessions: LostSessions;
  readonly #clientVersion: PoolClientVersion;
  readonly #proxyChecks: ProxyChecks;
  readonly #proxyWatchers: ProxyWatchers;
  readonly #fleetMails: FleetMails;
  readonly #fleet: FleetWatch;
  readonly #summary: ShardSummary;
  readonly #sweep: Sweep;
  readonly #clock: ClockSteps;
  readonly #times: StoredTimes;
  #alarmAt: number | null = null;

  constructor(ctx: DurableObjectState, env: Env, { proxyCheckMs, containerAnswerMs }: Deployment = PRODUCTION) {
    super(ctx, env);
    migrate(ctx.storage, [["pool", POOL_MIGRATIONS]]);
    this.#clock = new ClockSteps(ctx.storage.sql, poolTimeColumns(proxyCheckMs), Date.now());
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
    const sockets = new BridgeSockets(ctx);
    this.#sockets = sockets;
    this.#pool = new Pool(
      ctx.storage.sql,
      {
        send: (bridge, frame) => sockets.send(bridge, frame),
        pingedAt: (bridge) => sockets.pingedAt(bridge),
        bindTicket: (ticket, bridge) => bindTicket(settingsOf(env).BRIDGE_SECRET, ticket, bridge),
      },
      settingsOf(env).BRIDGE_NETWORK,
    );
    this.#starts = new BridgeStarts(ctx.storage.sql);
    this.#containers = new ContainerStarts({
      env,
      name: nameOf(ctx),
      pool: this.#pool,
      answerMs: containerAnswerMs,
      kept: () => this.#renewCredential(),
    });
    this.#lostSessions = new LostSessions({
      placements: this.#pool.placements,
      bridgeLost: ({ connection, generation }) => connectionStub(env, connection).bridgeLost(generation),
      rearm: () => this.#arm(),
    });
    const times = new StoredTimes(ctx.storage.sql, "fleet_time");
    this.#times = times;
    this.#sweep = new Sweep({
      through: times.of("swept_through"),
      placements: this.#pool.placements,
      poke: (connection) => connectionStub(env, connection).poke(),
    });
    this.#clientVersion = new PoolClientVersion(ctx.storage.sql);
    this.#moves = new Moves({
      pool: this.#pool,
      handOver: ({ connection, generation }, connectedOnly) => connectionStub(env, connection).handOver(generation, connectedOnly),
      dismiss: (bridge) => void sockets.send(bridge, { type: "drain" }),
      startContainer: () => this.#startContainer(),
      ended: () => this.#advance(),
    });
    this.#proxyWatchers = new ProxyWatchers(ctx, isShard(nameOf(ctx)) ? () => poolOf(env, null).proxiesChecked() : null);
    this.#proxyChecks = new ProxyChecks({
      env,
      sql: ctx.storage.sql,
      times,
      intervalMs: proxyCheckMs,
      isShared: isShard(nameOf(ctx)) || settingsOf(env).POOL_SHARDS.length > 0,
      bridges: () => this.#pool.bridges.usable(),
      send: (bridge, frame) => sockets.send(bridge, frame),
      rearm: () => this.#arm(),
      recorded: () => this.#proxyWatchers.changed(),
    });
    this.#fleetMails = new FleetMails(env, ctx.storage.sql, () => this.#arm());
    this.#fleet = new FleetWatch({ env, sql: ctx.storage.sql, times, mails: this.#fleetMails, pool: nameOf(ctx) });
    this.#summary = new ShardSummary(nameOf(ctx), env, this.#pool);
    this.#frames = new BridgeFrames({
      sockets,
      pool: this.#pool,
      starts: this.#starts,
      fleet: this.#fleet,
      clientVersion: this.#clientVersion,
      proxyChecks: this.#proxyChecks,
      network: settingsOf(env).BRIDGE_NETWORK,
    });
    this.#frames.restore(Date.now());
    this.#arm();
  }

  /** Requests a bridge for a session. `queued`: no bridge has capacity yet. */
  place(request: PlacementRequest): Placed {
    const placed = this.#pool.place(request, Date.now());
    if (placed.queued) this.#containers.request();
    this.#arm();
    return placed;
  }

  release({ connection, below }: { connection: string; below: number }): void {
    this.#pool.release(connection, below, Date.now());
    this.#advance();
  }

  redial({ connection, generation }: { connection: string; generation: number }): boolean {
    return this.#pool.redial({ connection, generation });
  }

  list(): { bridges: BridgeView[]; placed: number; queued: number } {
    return { bridges: this.#pool.views(), ...this.#pool.placements.counts() };
  }

  move(connection: string, to: string | null): Promise<Outcome<Moved>> {
    return this.#moves.move(connection, to);
  }

  drain(bridge: string, force: boolean): Outcome<{ sessions: number }> {
    return this.#moves.drain(bridge, force);
  }

  fleet(): FleetView {
    const sessions = this.#pool.placements.counts().placed;
    const { rollout } = this.#pool.buildShare;
    return { sessions, away: this.#fleet.away(), troubles: this.#fleet.troubles(), alarms: this.#fleet.alarms(), rollout };
  }

  setRollout(rollout: Rollout | null): { before: StoredRollout | null } {
    const before = this.#pool.buildShare.rollout;
    this.#changeShare(rollout, Date.now());
    return { before };
  }

  takeAway(connection: string): boolean {
    const taken = this.#fleet.takeAway(connection, Date.now());
    this.#arm();
    return taken;
  }

  clientVersion(): ClientVersionSetting {
    return this.#clientVersion.get();
  }

  setClientVersion(setting: ClientVersionSetting): ClientVersionSetting {
    const before = this.#clientVersion.get();
    this.#clientVersion.set(setting, Date.now());
    for (const { id } of this.#pool.bridges.all()) this.#frames.sendClientVersion(id);
    return before;
  }

  checkProxy(id: string): Promise<boolean> {
    return this.#proxyChecks.check(id, Date.now());
  }

  judgeProxy(url: string): Promise<ProxyCheckResult | null> {
    return this.#proxyChecks.judge(url);
  }

  claimMails(claim: MailClaim): Omit<MailClaim, "pool"> {
    return new MailClaims(this.ctx.storage.sql).claim(claim, Date.now());
  }

  proxiesChecked(): void {
    this.#proxyWatchers.changed();
  }

  /** Called every minute. Runs overdue work and, where this deployment starts its own bridges, keeps enough containers running. */
  async keepBridges(): Promise<void> {
    this.#moves.reconsider();
    this.#pool.clearDead();
    this.#run(Date.now());
    void this.#sweep.run(Date.now());
    await this.#containers.keep();
    await this.#summary.write(Date.now());
  }

  /** Upgrades a bridge's control socket, or the socket of an administrator's page, which only the worker requests. */
  override fetch(request: Request): Response {
    if (request.url === PROXY_WATCH_URL) return this.#proxyWatchers.accept();
    const shown = bridgeOfAuthorization(settingsOf(this.env).BRIDGE_SECRET, request.headers.get("authorization"));
    if (shown === null) return refusal(401, "unauthorized");
    const { bridge, current, pool } = shown;
    if (pool === nameOf(this.ctx)) return this.#sockets.accept({ bridge, current });
    log("pool.bridge_refused", { bridge, pool: nameOf(this.ctx), wanted: pool });
    return refusal(403, "forbidden");
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    if (this.#proxyWatchers.has(socket)) return;
    const frame = readFrame(message);
    const { registered } = this.#sockets.of(socket);
    if (frame === null || (frame.type !== "hello" && !registered)) return socket.close(SESSION_CLOSE.badFrame, "bad frame");
    const now = Date.now();
    if (frame.type !== "hello") this.#frames.received(socket, frame, now);
    else if (this.#frames.register(socket, frame, now)) {
      this.#moves.sharesChanged();
      void this.#summary.write(now);
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
    const dead = this.#pool.expire(now);
    for (const bridge of dead) this.#fleet.removed(bridge);
    for (const bridge of dead) this.#sockets.close(bridge, "silent");
    if (dead.length > 0) this.#containers.request();
    this.#pool.fill(now);
    this.#proxyChecks.run(now);
    this.#watchFleet(now);
    this.#advance();
  }

  #watchFleet(now: number): void {
    this.#fleet.run(now);
    this.#fleetMails.run(now);
    this.#judgeBuild(now);
  }

  /** Takes the new build's share back when its sessions have a problem that the other builds do not have. */
  #judgeBuild(now: number): void {
    const { rollout } = this.#pool.buildShare;
    const trouble = troubleOfShare(this.#pool, this.#fleet, this.#starts, now);
    if (rollout === null || trouble === null) return;
    log("pool.build_rejected", { build: rollout.build, percent: rollout.percent, trouble });
    this.#changeShare({ build: rollout.build, percent: 0, connections: [] }, now, trouble);
    this.#fleet.mailRejected(rollout.build, trouble, now);
  }

  #changeShare(rollout: Rollout | null, now: number, rejectedFor: string | null = null): void {
    this.#pool.buildShare.set(rollout, now, rejectedFor);
    this.#pool.fill(now);
    this.#moves.sharesChanged();
    this.#advance();
  }

  #advance(): void {
    this.#moves.run(Date.now());
    this.#lostSessions.notify();
    this.#arm();
  }

  /** Starts a container for sessions that must leave another one; returns false where bridges run elsewhere. */
  #startContainer(): boolean {
    if (!this.#containers.startsBridges) return false;
    this.#containers.request();
    return true;
  }

  /** Restarts containers with an outdated credential, one at a time, because containers receive their credential at start. */
  #renewCredential(): void {
    const { bridges } = this.#pool;
    if (bridges.draining().length > 0) return;
    const outdated = bridges.usable().find((id) => this.#sockets.hasOldCredential(id));
    if (outdated !== undefined) this.drain(outdated, false);
  }

  #detach(socket: WebSocket): void {
    if (this.#proxyWatchers.has(socket)) return;
    if (!this.#sockets.isLast(socket)) return;
    this.#pool.bridges.detach(this.#sockets.of(socket).bridge, Date.now());
    this.#arm();
  }

  #arm(): void {
    const now = Date.now();
    if (this.#clock.wasSetBack(now)) {
      const parts = [this.#times, this.#pool, this.#moves, this.#lostSessions, this.#fleet, this.#fleetMails, this.#proxyChecks];
      for (const part of parts) part.clockSetBack(now);
      this.#alarmAt = null;
    }
    const next = earliest([
      this.#pool.nextDue(),
      this.#proxyChecks.nextDue(),
      this.#lostSessions.nextDue(),
      this.#moves.nextDue(),
      this.#fleet.nextDue(),
      this.#fleetMails.nextDue(),
    ]);
    if (next === null) return;
    const due = Math.max(now, next);
    // Keeps an earlier alarm, unless it did not fire in time: then it may be lost, so it is set again.
    if (this.#alarmAt !== null && this.#alarmAt <= due && this.#alarmAt > now) return;
    this.#alarmAt = due;
    void this.ctx.storage.setAlarm(due);
  }
}

/** Bridges assume that a response without such a body comes from an edge in front of the gateway. */
const refusal = (status: number, code: FailureCode): Response => Response.json({ error: { code } }, { status });

const nameOf = ({ id: { name = "" } }: DurableObjectState): string => (isShard(name) ? name : DEFAULT_POOL);
