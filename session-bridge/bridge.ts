// Owns the sessions of this process, and follows the pool's instructions. It never chooses a session itself: the pool places each one.
import { Semaphore } from "async-mutex";
import type { Logger } from "pino";
import type { Placement, ToBridgeControl, ProxyCheck } from "@gateway/protocol/bridge-socket.ts";
import { INTERNAL } from "@gateway/protocol/internal-http.ts";
import { CheckQueue } from "./check-queue.ts";
import { DialQueue } from "./gateway/dial-queue.ts";
import { ControlSocket } from "./gateway/control-socket.ts";
import { sessionSocketLosses } from "./gateway/session-socket.ts";
import { BridgeMetrics, addProcessMetrics } from "./metrics/bridge-metrics.ts";
import type { NetworkLibrary } from "./networks/network.ts";
import { OpenSockets } from "./open-sockets.ts";
import { Session, SESSION_STATES } from "./session.ts";
import type { Settings } from "./settings.ts";
import { createTracer } from "./tracing.ts";
import type { Tracer } from "@gateway/tracing/span.ts";

export const CONNECT_CONCURRENCY = 8;
export const createConnectSlots = (): Semaphore => new Semaphore(CONNECT_CONCURRENCY);
/** Exit code that tells the supervisor not to restart without a different credential. */
const CREDENTIAL_DEAD = 3;
const STORE_CHECK_INTERVAL_MS = 1_000;
const OBJECT_DECISION_TIMEOUT_MS = 10_000;

export type BridgeHealth = {
  sessions: number;
  connected: number;
  pending_commits: number;
  pool_connected: boolean;
  draining: boolean;
  rss_mb: number;
};

export class Bridge {
  readonly #settings: Settings;
  readonly #logger: Logger;
  readonly #library: NetworkLibrary;
  readonly #metrics = new BridgeMetrics();
  readonly #tracer: Tracer | null;
  readonly #connectSlots = createConnectSlots();
  readonly #openSockets = new OpenSockets();
  readonly #losses = sessionSocketLosses();
  readonly #dials = new DialQueue();
  readonly #checks: CheckQueue;
  readonly #sessions = new Map<string, Session>();
  readonly #control: ControlSocket;
  readonly #leave: (exitCode: number) => void;
  #storeTimer: NodeJS.Timeout | undefined;
  #drained: Promise<void> | null = null;
  /** Time until which the pool may move the sessions (Unix ms). Null unless this process is shutting down. */
  #leavesBy: number | null = null;
  readonly #startedAt = Date.now();
  #cpu = process.cpuUsage();
  #cpuAt = performance.now();

  /** `leave` drains the bridge and exits the process, after the pool has retired this bridge or rejected its credential for good. */
  constructor(settings: Settings, logger: Logger, library: NetworkLibrary, leave: (exitCode: number) => void) {
    this.#settings = settings;
    this.#logger = logger;
    this.#library = library;
    this.#leave = leave;
    const exitAddress = new URL(INTERNAL.exitAddress, settings.gatewayUrl);
    this.#checks = new CheckQueue((check) => library.checkProxy(check, exitAddress));
    this.#tracer = createTracer(settings, logger, this.#metrics);
    this.#control = new ControlSocket({
      gatewayUrl: settings.gatewayUrl,
      credential: settings.credential,
      pool: settings.pool,
      hello: () => ({
        type: "hello",
        bridge_id: settings.bridgeId,
        network: settings.network.kind,
        capacity: settings.capacity,
        sessions: this.#placements(),
        started_at: this.#startedAt,
        region: settings.region,
        build: settings.build,
        version: settings.version,
        pings: true,
      }),
      load: () => ({
        type: "load",
        sessions: this.#sessions.size,
        rss_mb: rssMb(),
        client_version: this.#library.clientVersion.announced(),
        served_version: this.#library.clientVersion.served(),
        cpu: this.#cpuShare(),
        away: this.#away(Date.now()),
        troubles: this.#metrics.troubles(),
      }),
      received: (frame) => this.#received(frame),
      rejected: (status, own) => logger.warn({ status, by: own ? "gateway" : "edge" }, "pool.refused"),
      credentialDead: () => {
        logger.error("pool.credential_dead");
        leave(CREDENTIAL_DEAD);
      },
      connected: () => {
        logger.info({ sessions: this.#sessions.size }, "pool.connected");
        this.#announceLeave();
      },
      replaced: (wait_ms) => logger.error({ wait_ms }, "pool.replaced"),
    });
  }

  start(): void {
    this.#observe();
    this.#control.dial();
    this.#storeTimer = setInterval(() => {
      const now = Date.now();
      for (const session of this.#sessions.values()) session.checkStore(now);
    }, STORE_CHECK_INTERVAL_MS);
  }

  health(): BridgeHealth {
    const sessions = [...this.#sessions.values()];
    return {
      sessions: sessions.length,
      connected: sessions.filter((session) => session.open).length,
      pending_commits: sessions.reduce((sum, session) => sum + session.pendingCommits, 0),
      pool_connected: this.#control.connected,
      draining: this.#isDraining,
      rss_mb: rssMb(),
    };
  }

  metrics(): string {
    return this.#metrics.registry.text();
  }

  /** Lets the pool move the sessions to other bridges and exits after `graceMs` at the latest. A second call exits immediately. */
  handOver(graceMs: number): void {
    if (graceMs === 0 || this.#isDraining || this.#sessions.size === 0) return this.#leave(0);
    this.#leavesBy = Date.now() + graceMs;
    setTimeout(() => this.#leave(0), graceMs);
    this.#logger.info({ sessions: this.#sessions.size, grace_ms: graceMs }, "bridge.handing_over");
    this.#announceLeave();
  }

  /** The announcement is sent again after each reconnect, because the pool may have missed it. */
  #announceLeave(): void {
    if (this.#leavesBy === null) return;
    this.#control.send({ type: "draining", grace_ms: Math.max(0, this.#leavesBy - Date.now()) });
  }

  get #isDraining(): boolean {
    return this.#drained !== null || this.#leavesBy !== null;
  }

  /** Accepts no more sessions, then flushes and closes the open ones without unlinking their devices. Resolves when all have ended. */
  drain(): Promise<void> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  async #drain(): Promise<void> {
    this.#control.send({ type: "draining" });
    this.#logger.info({ sessions: this.#sessions.size }, "bridge.draining");
    await Promise.all([...this.#sessions.values()].map((session) => session.stop(false)));
    clearInterval(this.#storeTimer);
    this.#control.close();
  }

  #received(frame: Exclude<ToBridgeControl, { type: "pings" }>): void {
    switch (frame.type) {
      case "open":
        this.#open(frame.placement, frame.ticket);
        return;
      case "close":
        void this.#sessionOf(frame.placement)?.stopUnlessInstructed(OBJECT_DECISION_TIMEOUT_MS);
        return;
      case "redial":
        this.#sessionOf(frame.placement)?.redial();
        return;
      case "check_proxy":
        void this.#checkProxy(frame);
        return;
      case "client_version":
        this.#library.clientVersion.set(frame);
        return;
      case "drain":
        this.#leave(0);
        return;
    }
  }

  async #checkProxy(check: ProxyCheck): Promise<void> {
    const result = await this.#checks.add(check);
    if (result !== null) this.#control.send({ type: "proxy_checked", check: check.check, result });
  }

  #open(placement: Placement, ticket: string): void {
    if (this.#drained !== null) {
      this.#control.send({ type: "gone", placement });
      return;
    }
    const current = this.#sessions.get(placement.connection);
    if (current !== undefined && current.placement.generation >= placement.generation) return;
    // The newer generation wins, because two network sockets of one device would disconnect each other.
    current?.drop();
    const session = new Session(
      {
        settings: this.#settings,
        logger: this.#logger,
        library: this.#library,
        connectSlots: this.#connectSlots,
        openSockets: this.#openSockets,
        losses: this.#losses,
        dials: this.#dials,
        metrics: this.#metrics,
        tracer: this.#tracer,
      },
      placement,
      ticket,
      () => {
        if (this.#sessions.get(placement.connection) === session) this.#sessions.delete(placement.connection);
        this.#control.send({ type: "gone", placement });
      },
    );
    this.#sessions.set(placement.connection, session);
    session.start();
  }

  #sessionOf({ connection, generation }: Placement): Session | undefined {
    const session = this.#sessions.get(connection);
    return session?.placement.generation === generation ? session : undefined;
  }

  #away(now: number): number {
    return [...this.#sessions.values()].filter((session) => session.isAway(now)).length;
  }

  #placements(): Placement[] {
    return [...this.#sessions.values()].map((session) => session.placement);
  }

  #observe(): void {
    const { registry } = this.#metrics;
    const gauge = (name: string, help: string, read: () => number) => registry.observed("gauge", name, help, () => [{ value: read() }]);
    const sum = (read: (session: Session) => number) => [...this.#sessions.values()].reduce((total, session) => total + read(session), 0);
    registry.observed("gauge", "gateway_bridge_sessions", "Sessions by state.", () =>
      SESSION_STATES.map((state) => ({ labels: { state }, value: sum((session) => Number(session.state === state)) })),
    );
    gauge("gateway_bridge_capacity", "Sessions it takes at most.", () => this.#settings.capacity);
    gauge("gateway_bridge_away_sessions", "Linked sessions that have been disconnected for five minutes.", () => this.#away(Date.now()));
    registry.observed("gauge", "gateway_bridge_build_info", "1, with what this process runs.", () => [
      { labels: { build: this.#settings.build, version: this.#settings.version }, value: 1 },
    ]);
    gauge("gateway_bridge_pool_connected", "1 while the pool is connected.", () => Number(this.#control.connected));
    gauge("gateway_bridge_draining", "1 while it hands its sessions over.", () => Number(this.#isDraining));
    gauge("gateway_bridge_pending_commits", "Commits that are not confirmed yet.", () => sum((session) => session.pendingCommits));
    gauge("gateway_bridge_journal_entries", "Stanzas whose events are not all stored yet.", () => sum((session) => session.journalEntries));
    addProcessMetrics(registry);
  }

  #cpuShare(): number {
    const used = process.cpuUsage(this.#cpu);
    const elapsedMs = performance.now() - this.#cpuAt;
    this.#cpu = process.cpuUsage();
    this.#cpuAt = performance.now();
    return Math.round(((used.user + used.system) / 1000 / Math.max(elapsedMs, 1)) * 1000) / 1000;
  }
}

function rssMb(): number {
  return Math.round(process.memoryUsage.rss() / 104_857.6) / 10;
}
