import { bindTicket } from "@gateway/domain/keys/bridge-credential.ts";
import { isShard } from "@gateway/domain/fleet/shards.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { poolOf } from "#root/src/services/bridges/pool-stub.ts";
import { connectionStub } from "#root/src/services/connections/stub.ts";
import type { Deployment } from "../shared/deployment.ts";
import { StoredTimes } from "../shared/stored-times.ts";
import { BridgeFrames } from "./bridge-frames.ts";
import { BridgeSockets } from "./bridge-sockets.ts";
import { BridgeStarts } from "./build-shares/bridge-starts.ts";
import { PoolClientVersion } from "./client-version.ts";
import { ContainerStarts } from "./container-starts.ts";
import { FleetMails } from "./fleet-mails.ts";
import { FleetWatch } from "./fleet-watch.ts";
import { LostSessions } from "./lost-sessions.ts";
import { Moves } from "./moves.ts";
import { Pool } from "./pool.ts";
import { ProxyChecks } from "./proxy-checks.ts";
import { ProxyWatchers } from "./proxy-watchers.ts";
import { ShardSummary } from "./shards/shard-summary.ts";
import { Sweep } from "./sweep.ts";

export type PoolComponents = ReturnType<typeof poolComponents>;

type PoolHost = {
  name: string;
  arm: () => void;
  advance: () => void;
};

export function poolComponents(ctx: DurableObjectState, env: Env, { proxyCheckMs, containerAnswerMs }: Deployment, host: PoolHost) {
  const { name, arm, advance } = host;
  const { sql } = ctx.storage;
  const { BRIDGE_NETWORK: network, POOL_SHARDS } = settingsOf(env);
  const sockets = new BridgeSockets(ctx);
  const pool = new Pool(
    sql,
    {
      send: (bridge, frame) => sockets.send(bridge, frame),
      pingedAt: (bridge) => sockets.pingedAt(bridge),
      bindTicket: (ticket, bridge) => bindTicket(settingsOf(env).BRIDGE_SECRET, ticket, bridge),
    },
    network,
  );
  const { placements } = pool;
  const times = new StoredTimes(sql, "fleet_time");
  const starts = new BridgeStarts(sql);
  const fleetMails = new FleetMails(env, sql, arm);
  const fleet = new FleetWatch({ env, sql, times, mails: fleetMails, pool: name, rearm: arm });
  const clientVersion = new PoolClientVersion(sql);
  const containers = new ContainerStarts({
    env,
    name,
    pool,
    answerMs: containerAnswerMs,
    replaced: (bridge, waiting) => fleet.containerReplaced(bridge, waiting),
    kept(names) {
      fleet.keptContainers(names);
      renewCredential();
    },
  });
  const moves = new Moves({
    pool,
    handOver: ({ connection, generation }, connectedOnly) => connectionStub(env, connection).handOver(generation, connectedOnly),
    dismiss: (bridge) => void sockets.send(bridge, { type: "drain" }),
    startContainer: () => containers.request(),
    ended: advance,
  });

  /** Restarts containers whose credential is outdated, one at a time, because they receive the credential only at startup. */
  function renewCredential(): void {
    if (pool.bridges.draining().length > 0) return;
    const outdated = pool.bridges.usable().find((id) => sockets.hasOldCredential(id));
    if (outdated !== undefined) moves.drain(outdated, false);
  }

  const proxyWatchers = new ProxyWatchers(ctx, isShard(name) ? () => poolOf(env, null).proxiesChecked() : null);
  const proxyChecks = new ProxyChecks({
    env,
    sql,
    times,
    intervalMs: proxyCheckMs,
    isShared: isShard(name) || POOL_SHARDS.length > 0,
    bridges: () => pool.bridges.usable(),
    send: (bridge, frame) => sockets.send(bridge, frame),
    rearm: arm,
    recorded: () => proxyWatchers.changed(),
  });
  const lostSessions = new LostSessions({
    placements,
    bridgeLost: ({ connection, generation }) => connectionStub(env, connection).bridgeLost(generation),
    rearm: arm,
  });
  const sweep = new Sweep({
    through: times.of("swept_through"),
    placements,
    poke: (connection) => connectionStub(env, connection).poke(),
  });
  const frames = new BridgeFrames({
    sockets,
    pool,
    starts,
    fleet,
    clientVersion,
    proxyChecks,
    network,
    leaving: (bridge, now) => moves.leaving(bridge, now),
  });
  return {
    sockets,
    pool,
    starts,
    containers,
    lostSessions,
    times,
    sweep,
    clientVersion,
    moves,
    proxyWatchers,
    proxyChecks,
    fleetMails,
    fleet,
    frames,
    summary: new ShardSummary(name, env, pool),
  };
}
