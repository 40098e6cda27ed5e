// Which bridges are alive and who hosts which session (docs/architecture.md, "One home for every fact"). One object per region.
import { DurableObject } from "cloudflare:workers";
import { type Env, settingsOf } from "../src/env.ts";
import { FromBridgeControl, type Placement, type ToBridgeControl } from "../src/protocol/bridge-socket.ts";
import { PING, PONG, SESSION_CLOSE } from "../src/protocol/session-socket.ts";
import { REDIAL_AFTER_PAUSE_MS, REDIAL_MS } from "./bridge-pool/bridges.ts";
import { containersNeeded } from "./bridge-pool/containers.ts";
import type { Wish } from "./bridge-pool/placements.ts";
import { Pool } from "./bridge-pool/pool.ts";
import { POOL_MIGRATIONS } from "./bridge-pool/schema.ts";
import { migrate } from "./shared/migrate.ts";
import { errorFields, log } from "../src/log.ts";

/** Connections told at once that their bridge is gone. */
const TOLD_AT_ONCE = 50;
/** A connection that could not be told is told again after so long. */
const TELL_AGAIN_MS = 2_000;

/** A bridge as administrators see it. Times in Unix ms. */
export type BridgeView = {
  id: string;
  network: string;
  capacity: number;
  assigned: number;
  sessions: number;
  rss_mb: number;
  cpu: number;
  draining: boolean;
  connected: boolean;
  heard_at: number;
};

export class BridgePool extends DurableObject<Env> {
  readonly #pool: Pool;
  #alarmAt: number | null = null;
  #telling = false;
  #tellAgainAt: number | null = null;
  #keepingContainers = false;
  /** Somebody began to wait while containers were being started: they are looked after once more. */
  #containersMissed = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage, [["pool", POOL_MIGRATIONS]]);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
    this.#pool = new Pool(ctx.storage.sql, { send: (bridge, frame) => this.#send(bridge, frame) }, settingsOf(env).BRIDGE_NETWORK);
    this.#missAbsent(Date.now());
    this.#arm();
  }

  /** A connection wants its session on a bridge. `queued`: none has room; the wish is kept. */
  place(wish: Wish): { queued: boolean } {
    const placed = this.#pool.place(wish, Date.now());
    if (placed.queued) this.#startContainers();
    this.#arm();
    return placed;
  }

  /** A connection wants no session below this generation any more. */
  release({ connection, below }: { connection: string; below: number }): void {
    this.#pool.release(connection, below, Date.now());
  }

  list(): { bridges: BridgeView[]; placed: number; wishes: number } {
    const bridges = this.#pool.bridges
      .all()
      .map(({ id, network, capacity, sessions, rss_mb, cpu, draining, heardAt, detachedAt }): BridgeView => ({
        id,
        network,
        capacity,
        assigned: this.#pool.placements.assigned(id),
        sessions,
        rss_mb,
        cpu,
        draining,
        connected: detachedAt === null,
        heard_at: heardAt,
      }));
    return { bridges, ...this.#pool.placements.counts() };
  }

  /** Moves everything off the bridge and tells it to end. False when it is not known. */
  drain(bridge: string): boolean {
    if (!this.#pool.bridges.all().some(({ id }) => id === bridge)) return false;
    this.#send(bridge, { type: "drain" });
    this.#pool.drain(bridge);
    this.#tellLost();
    return true;
  }

  /** Called every minute: does what is overdue, and keeps enough containers running where bridges are ours to start. */
  async keepBridges(): Promise<void> {
    this.#run(Date.now());
    await this.#keepContainers();
  }

  /** The upgrade of a bridge's control socket; the worker has checked its secret. */
  override fetch(): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.ctx.acceptWebSocket(ours);
    return new Response(null, { status: 101, webSocket: theirs });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const frame = readFrame(message);
    const bridge = bridgeOf(socket);
    if (frame === null || (frame.type !== "hello" && bridge === null)) return socket.close(SESSION_CLOSE.badFrame, "bad frame");
    const now = Date.now();
    if (frame.type === "hello") this.#greet(socket, frame, now);
    else if (bridge !== null) this.#hear(bridge, frame, now);
    this.#tellLost();
    this.#arm();
  }

  override webSocketClose(socket: WebSocket): void {
    this.#detach(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.#detach(socket);
  }

  override alarm(): void {
    this.#alarmAt = null;
    this.#run(Date.now());
  }

  #run(now: number): void {
    const dead = this.#pool.bury(now);
    for (const bridge of dead) for (const socket of this.#socketsOf(bridge)) socket.close(1001, "silent");
    if (dead.length > 0) this.#startContainers();
    this.#pool.fill(now);
    this.#tellLost();
    this.#arm();
  }

  async #keepContainers(): Promise<void> {
    if (settingsOf(this.env).BRIDGE_HOST !== "cloudflare") return;
    const { placed, wishes } = this.#pool.placements.counts();
    const names = Array.from({ length: containersNeeded(placed + wishes) }, (_, n) => `bridge-${n}`);
    await Promise.all(names.map((name) => this.env.BRIDGE_CONTAINER.getByName(name).keep(name)));
  }

  /** Somebody waits, or a bridge has died: the next minute is too far away. What fails here is tried again then. */
  #startContainers(): void {
    this.#containersMissed = true;
    if (!this.#keepingContainers) void this.#keepMissedContainers();
  }

  /** One round at a time: after an outage thousands begin to wait at once, and each round asks every container. */
  async #keepMissedContainers(): Promise<void> {
    this.#keepingContainers = true;
    while (this.#containersMissed) {
      this.#containersMissed = false;
      await this.#keepContainers().catch((error: unknown) => log("pool.containers_failed", errorFields(error)));
    }
    this.#keepingContainers = false;
  }

  #greet(socket: WebSocket, hello: Extract<FromBridgeControl, { type: "hello" }>, now: number): void {
    const { BRIDGE_NETWORK } = settingsOf(this.env);
    if (hello.network !== BRIDGE_NETWORK) {
      log("pool.bridge_refused", { bridge: hello.bridge_id, network: hello.network, wanted: BRIDGE_NETWORK });
      return socket.close(1008, "another network");
    }
    for (const older of this.#socketsOf(hello.bridge_id)) if (older !== socket) older.close(1001, "dialled again");
    socket.serializeAttachment({ bridge: hello.bridge_id });
    log("pool.bridge_here", { bridge: hello.bridge_id, capacity: hello.capacity, sessions: hello.sessions.length });
    this.#pool.greet(hello, now);
  }

  #hear(bridge: string, frame: Exclude<FromBridgeControl, { type: "hello" }>, now: number): void {
    switch (frame.type) {
      case "load":
        return this.#pool.bridges.hear(bridge, frame, now);
      case "gone":
        return this.#pool.gone(bridge, frame.placement, now);
      case "draining":
        return this.#pool.drain(bridge);
    }
  }

  #detach(socket: WebSocket): void {
    const bridge = bridgeOf(socket);
    if (bridge === null || this.#socketsOf(bridge).some((other) => other !== socket)) return;
    this.#pool.bridges.detach(bridge, Date.now());
    this.#arm();
  }

  /** After a pause of this object no socket is left, and nobody was told that they closed. */
  #missAbsent(now: number): void {
    for (const { id, detachedAt } of this.#pool.bridges.all()) {
      if (detachedAt === null && this.#socketsOf(id).length === 0) this.#pool.bridges.detach(id, now + REDIAL_AFTER_PAUSE_MS - REDIAL_MS);
    }
  }

  /** Tells connections that their bridge is gone; whoever cannot be told is told again. */
  #tellLost(): void {
    if (this.#telling) return;
    const lost = this.#pool.placements.lost(TOLD_AT_ONCE);
    this.#tellAgainAt = null;
    if (lost.length === 0) return;
    void this.#tellAll(lost);
  }

  async #tellAll(lost: readonly Placement[]): Promise<void> {
    this.#telling = true;
    const told = await Promise.all(lost.map((placement) => this.#tell(placement)));
    this.#telling = false;
    if (told.includes(false)) this.#tellAgainAt = Date.now() + TELL_AGAIN_MS;
    else this.#tellLost();
    this.#arm();
  }

  async #tell(placement: Placement): Promise<boolean> {
    try {
      await this.env.CONNECTION.getByName(placement.connection).bridgeLost(placement.generation);
      this.#pool.placements.told(placement);
      return true;
    } catch (error) {
      this.#pool.placements.tellLater(placement, Date.now());
      log("pool.tell_failed", { connection: placement.connection, ...errorFields(error) });
      return false;
    }
  }

  /** The alarm is derived, never remembered; one that comes early finds nothing to do and is set again. */
  #arm(): void {
    const dues = [this.#pool.nextDue(), this.#tellAgainAt].filter((due) => due !== null);
    if (dues.length === 0) return;
    const due = Math.min(...dues);
    if (this.#alarmAt !== null && this.#alarmAt <= due) return;
    this.#alarmAt = due;
    void this.ctx.storage.setAlarm(due);
  }

  #send(bridge: string, frame: ToBridgeControl): boolean {
    const socket = this.#socketsOf(bridge)[0];
    socket?.send(JSON.stringify(frame));
    return socket !== undefined;
  }

  #socketsOf(bridge: string): WebSocket[] {
    return this.ctx.getWebSockets().filter((socket) => socket.readyState === WebSocket.OPEN && bridgeOf(socket) === bridge);
  }
}

function bridgeOf(socket: WebSocket): string | null {
  // Attached by this file alone.
  return (socket.deserializeAttachment() as { bridge: string } | null)?.bridge ?? null;
}

function readFrame(message: string | ArrayBuffer): FromBridgeControl | null {
  if (typeof message !== "string") return null;
  try {
    return FromBridgeControl.safeParse(JSON.parse(message)).data ?? null;
  } catch {
    return null;
  }
}
