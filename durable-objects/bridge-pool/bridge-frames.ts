import { isAhead } from "@gateway/domain/clock-set-back.ts";
import { log } from "#root/src/log.ts";
import type { FromBridgeControl } from "@gateway/protocol/bridge-socket.ts";
import type { BridgeSockets } from "./bridge-sockets.ts";
import { type Bridge, RECONNECT_AFTER_RESTART_MS, RECONNECT_MS } from "./bridges.ts";
import type { PoolClientVersion } from "./client-version.ts";
import type { FleetWatch } from "./fleet-watch.ts";
import type { Pool } from "./pool.ts";
import type { ProxyChecks } from "./proxy-checks.ts";
import type { BridgeStarts } from "./build-shares/bridge-starts.ts";

type Hello = Extract<FromBridgeControl, { type: "hello" }>;

export type BridgeFramesDependencies = {
  sockets: BridgeSockets;
  pool: Pool;
  starts: BridgeStarts;
  fleet: FleetWatch;
  clientVersion: PoolClientVersion;
  proxyChecks: ProxyChecks;
  network: Bridge["network"];
  leaving(bridge: string, now: number): void;
};

export class BridgeFrames {
  readonly #deps: BridgeFramesDependencies;

  constructor(deps: BridgeFramesDependencies) {
    this.#deps = deps;
  }

  /** Returns true if the bridge joined the pool. Otherwise, closes the bridge's socket. */
  register(socket: WebSocket, hello: Hello, now: number): boolean {
    const { sockets, pool, starts, network } = this.#deps;
    const { bridge, current } = sockets.of(socket);
    if (hello.bridge_id !== bridge) {
      log("pool.bridge_refused", { bridge, claimed: hello.bridge_id });
      socket.close(1008, "another bridge's id");
      return false;
    }
    if (hello.network !== network) {
      log("pool.bridge_refused", { bridge, network: hello.network, wanted: network });
      socket.close(1008, "another network");
      return false;
    }
    sockets.register(socket);
    log("pool.bridge_registered", { bridge, capacity: hello.capacity, sessions: hello.sessions.length, current_secret: current });
    if (hello.pings === true) sockets.send(bridge, { type: "pings" });
    // The version must arrive before any session is placed on this bridge.
    this.sendClientVersion(bridge);
    this.#deps.fleet.connected(bridge);
    starts.record(bridge, hello, now);
    pool.register(hello, now);
    return true;
  }

  received(socket: WebSocket, frame: Exclude<FromBridgeControl, Hello>, now: number): void {
    const { sockets, pool, starts, fleet, proxyChecks } = this.#deps;
    const { bridge } = sockets.of(socket);
    switch (frame.type) {
      case "load":
        sockets.storeReport(socket, frame, now);
        fleet.reported(bridge, frame);
        return pool.bridges.recordLoad(bridge, frame, now);
      case "gone":
        return pool.gone(bridge, frame.placement, now);
      case "proxy_checked":
        return proxyChecks.answered(bridge, frame.check, frame.result, now);
      case "draining":
        starts.ending(bridge);
        if ((frame.grace_ms ?? 0) === 0) return pool.leave(bridge);
        log("pool.bridge_leaving", { bridge, sessions: pool.placements.assigned(bridge), grace_ms: frame.grace_ms });
        return this.#deps.leaving(bridge, now);
    }
  }

  sendClientVersion(bridge: string): void {
    const frame = this.#deps.clientVersion.frame();
    if (frame !== null) this.#deps.sockets.send(bridge, frame);
  }

  /** Restores reports from before hibernation. Detaches bridges whose sockets a restart dropped without a close event. */
  restore(now: number): void {
    const { sockets, fleet } = this.#deps;
    const { bridges } = this.#deps.pool;
    for (const { bridge, load, at } of sockets.reports()) {
      bridges.recordLoad(bridge, load, isAhead(at, 0, now) ? 0 : at);
      fleet.reported(bridge, load);
    }
    for (const id of bridges.ids()) {
      if (!sockets.isConnected(id)) bridges.detach(id, now + RECONNECT_AFTER_RESTART_MS - RECONNECT_MS);
    }
    bridges.restored();
  }
}
