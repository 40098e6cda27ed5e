// The two ways to reach the network: a session on a bridge, or the Cloud API.
import { createCloud } from "../cloud/cloud.ts";
import { makeTicket } from "@gateway/domain/keys/bridge-credential.ts";
import { settingsOf } from "#root/src/env.ts";
import { poolOf } from "#root/src/services/bridges/pool-stub.ts";
import { isWabaShared, showCloudCredentials } from "#root/src/services/connections/change.ts";
import { CLOUD_WEBHOOK_PATH } from "@gateway/protocol/cloud.ts";
import { graphUrl } from "../../shared/deployment.ts";
import { graphFetchOf } from "../delivery/outgoing.ts";
import { CommandChannel } from "../session/command-channel.ts";
import { SessionLink } from "../session/session-link.ts";
import { SessionSockets } from "../session/session-sockets.ts";
import { Tickets } from "../session/tickets.ts";
import { SessionControl } from "../session/session-control.ts";
import type { ObjectHost } from "./object-host.ts";
import type { Callers } from "./callers.ts";
import type { Commits } from "./commits.ts";
import type { StoredData } from "./stored-data.ts";

const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

export function createLinks(
  { ctx, env, deployment, rearm }: ObjectHost,
  data: StoredData,
  { admission }: Callers,
  { commitHandler, network, outbox, presence }: Commits,
) {
  const { sql, dataKeys, identity, instance, progress, removal, stateRows, stores, times, traces } = data;
  const settings = settingsOf(env);
  const link = new SessionLink({
    sockets: new SessionSockets(ctx),
    commands: new CommandChannel(new DataView(random(4).buffer).getUint32(0) >>> 1),
    instance,
    progress,
    stateRows,
    askRedial: (generation) => poolOf(env, identity.record?.home ?? null).redial({ connection: identity.uuid, generation }),
  });
  const session = new SessionControl({
    link,
    tickets: new Tickets(sql, random, (ticket) => makeTicket(settings.BRIDGE_SECRET, ticket, identity.uuid)),
    instance,
    identity,
    stateRows,
    progress,
    commitHandler,
    removal,
    dataKeys,
    traces,
    bridgeSecrets: settings.BRIDGE_SECRET,
    routine: data.routine,
    poolOf: (home) => poolOf(env, home),
    onUp: (at) => {
      outbox.sessionUp(at);
      presence.sessionUp();
    },
    onChange: () => {
      admission.gate.clearReadCache();
      rearm();
    },
  });
  const cloud = createCloud({
    sql,
    storage: ctx.storage,
    times,
    identity,
    instance,
    stores,
    dataKeys,
    graph: { baseUrl: graphUrl(settings.GRAPH_URL, deployment), version: settings.GRAPH_VERSION, fetch: graphFetchOf(env) },
    bucket: env.MEDIA,
    openSend: (messageId) => outbox.openRequest(messageId),
    storePending: () => outbox.settlement.storePending(),
    callback: () => `${settings.APP_URL}${CLOUD_WEBHOOK_PATH}/${identity.uuid}`,
    isShared: (wabaId) => isWabaShared(env.DB, wabaId, identity.uuid),
    show: (credentials) => showCloudCredentials(env.DB, identity.uuid, credentials),
    step: (command, at) => session.step(command, at),
    commit: (events, at) => session.applyEvents(events, at),
    rearm,
  });
  network.attach({
    session: { driver: link, link },
    cloud_api: { driver: cloud.driver, link: cloud.link },
  });
  return { link, session, cloud };
}
