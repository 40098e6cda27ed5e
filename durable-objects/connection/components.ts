// Wires up a Connection object in stages, each component after its dependencies. Sends and commits need each other: the sends reach the
// commit handler through a function.
import { ActionLog } from "./actions/action-log.ts";
import { createCloud } from "./cloud/cloud.ts";
import { makeTicket } from "@gateway/domain/keys/bridge-credential.ts";
import { CatchUp, gridOf } from "@gateway/domain/spread.ts";
import type { RenderContext } from "@gateway/domain/webhooks/style/style.ts";
import { type Env, settingsOf, webhookHosts } from "#root/src/env.ts";
import { log, type Routine } from "#root/src/log.ts";
import { accountGuardStub } from "#root/src/services/accounts/guard.ts";
import { poolOf } from "#root/src/services/bridges/pool-stub.ts";
import { isWabaShared } from "#root/src/services/connections/change.ts";
import { type DirectoryState, writeConnectionState } from "#root/src/services/connections/directory-state.ts";
import { pushCounts } from "#root/src/services/statistics/push.ts";
import { lookUpMedia } from "#root/src/services/media/open.ts";
import { tracersOf } from "#root/src/services/tracing/tracers.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { CLOUD_WEBHOOK_PATH } from "@gateway/protocol/cloud.ts";
import { type Deployment, graphUrl } from "../shared/deployment.ts";
import type { Scheduled } from "./alarm.ts";
import { Admission } from "./admission/admission.ts";
import { RequestLog } from "./requests/request-log.ts";
import { Automations } from "./automations/automations.ts";
import { Listeners } from "./streams/listeners.ts";
import { CommitHandler } from "./commit-handler.ts";
import { Deliveries } from "./delivery/deliveries.ts";
import { DataKeys } from "./store/data-keys.ts";
import { DirectoryUpdater } from "./directory/directory-updater.ts";
import { EventStreams } from "./streams/event-streams.ts";
import { createSends } from "./outbox/sends.ts";
import { createOwnerMails, ownerMailer } from "./owner-mail/owner-mail.ts";
import { Notifications } from "./notifications/notifications.ts";
import { PresenceRestorer } from "./presence/handlers.ts";
import { egressOf, graphFetchOf } from "./delivery/outgoing.ts";
import { EventProjection } from "./projection/event-projection.ts";
import { CommandChannel } from "./session/command-channel.ts";
import { CommitProgress } from "./fewer-writes/commit-progress.ts";
import { Removal } from "./directory/removal.ts";
import { Instance } from "./instance/instance.ts";
import { Identity } from "./instance/identity.ts";
import { NetworkClient } from "./session/network-client.ts";
import { SessionLink } from "./session/session-link.ts";
import { SessionSockets } from "./session/session-sockets.ts";
import { Tickets } from "./session/tickets.ts";
import { SessionControl } from "./session/session-control.ts";
import { StateRows } from "./session/state-rows.ts";
import { RecentFacts } from "./streams/recent-facts.ts";
import { RemovedFiles } from "./files/removed-files.ts";
import { StorePurge } from "./store/purge.ts";
import { Stores } from "./store/stores.ts";
import { StoredTimes } from "../shared/stored-times.ts";
import { Counters } from "./statistics/counters.ts";
import { StatisticsPush } from "./statistics/push.ts";
import { StatusHours } from "./statistics/status-hours.ts";
import { ConnectionTraces } from "./tracing/traces.ts";
import { Uploads } from "./files/uploads.ts";
import { Watchers } from "./streams/watchers.ts";

const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

export type ConnectionComponents = ReturnType<typeof createComponents>;

export function createComponents(ctx: DurableObjectState, env: Env, deployment: Deployment, onChange: () => void) {
  const { sql } = ctx.storage;
  const settings = settingsOf(env);
  const now = Date.now();

  // Stored data.
  const dataKeys = new DataKeys(sql, settings.STATE_SECRET, ctx.id.name ?? "");
  const identity = new Identity(sql, ctx.id.name ?? "", dataKeys, settings.PASSKEY_CEREMONY === "on");
  const statusHours = new StatusHours(sql);
  const instance = new Instance(sql, statusHours, now);
  const instanceRef = () => identity.instanceRef(instance.state.phone);
  const ownerId = () => identity.record?.owner_id ?? null;
  const stores = new Stores(sql);
  const times = new StoredTimes(sql);
  const hours = gridOf(identity.uuid, HOUR_MS);
  const catchUp = new CatchUp(identity.uuid, now, times.of("late_work_found"));
  const progress = new CommitProgress(sql);
  const stateRows = new StateRows(sql, hours);
  const counters = new Counters(sql, progress);
  counters.clockSetBack(now);
  counters.setConnected(instance.state.connectedAt !== null, now);
  counters.flush(now);
  const removal = new Removal(sql);
  const traces = new ConnectionTraces(tracersOf(env)?.object ?? null, identity.uuid);

  // Live viewers, admission of callers, and the log of their calls.
  const recent = new RecentFacts(identity.uuid, progress.facts);
  const renderContext = (): RenderContext => ({
    instance: instanceRef(),
    appUrl: settings.APP_URL,
    networkSuffix: settings.NETWORK_SUFFIX,
  });
  const watchers = new Watchers(ctx, { renderContext, owner: ownerId, history: () => stores.historySync.progress(), recent });
  const eventStreams = new EventStreams(ctx, renderContext, ownerId, recent);

  const admission = new Admission(sql, () => identity.record, deployment.limits);
  const listeners = new Listeners({
    ctx,
    connection: identity.uuid,
    renderContext,
    isActive: (owner) => {
      const hash = /^connection_key:(.+)$/.exec(owner)?.[1];
      return hash === undefined || admission.keys.isActive(hash);
    },
    onChange,
  });
  const keyOf = (hash: string) => admission.keys.idOf(hash);
  const keyNames = () => admission.keys.names();
  const actionLog = new ActionLog({ sql, keyOf, keyNames, links: admission.pairingLinks });
  const requests = new RequestLog({ sql, keyOf, keyNames, onAdded: () => watchers.changed("requests") });

  // Receivers of the connection's events: webhooks, browsers and the owner.
  const mailOwner = ownerMailer(env, identity);
  const policy = { own: [settings.APP_URL, settings.BASE_URL], loopback: deployment.loopbackReceivers, listed: webhookHosts(env) };
  const deliveries = new Deliveries({
    sql,
    transact: (run) => ctx.storage.transactionSync(run),
    counters,
    connection: identity.uuid,
    catchUp,
    times,
    appUrl: settings.APP_URL,
    networkSuffix: settings.NETWORK_SUFFIX,
    policy,
    egressFetch: egressOf(env),
    clock: () => Date.now(),
    traceAttempt: (attempt) => traces.attempt(attempt),
    vault: () => dataKeys.vault(),
    held: () => identity.record?.owner_suspended === true,
    instance: instanceRef,
    mailOwner,
    notifyFailing: async (endpointId) => {
      const owner = ownerId();
      if (owner !== null) await accountGuardStub(env, owner).addFailing(endpointId, identity.uuid);
    },
    // `event` is renamed, because `log` uses that name for the event of the log line.
    log: (what, { event = null, ...fields }, routine) =>
      log(what, { ...fields, type: event }, routine === true ? routineOf(env, identity.uuid) : undefined),
    onStored: () => watchers.changed("deliveries"),
    rearm: onChange,
  });
  const notifications = new Notifications({ env, sql, identity, stores, policy, connection: instanceRef, times, rearm: onChange });
  const ownerMails = createOwnerMails({
    env,
    sql,
    identity,
    instance,
    send: mailOwner,
    webhookFailingSince: () => deliveries.webhook.failingSince(),
    rearm: onChange,
  });

  // Removal, and writes to D1.
  const removedFiles = new RemovedFiles({
    sql,
    times,
    connection: identity.uuid,
    remove: (keys) => env.MEDIA.delete(keys),
    rearm: onChange,
  });
  const onMessagesPurged = (chatId: string) => {
    stores.chats.refreshLastMessage(chatId);
    admission.dropChangedReads([]);
    removedFiles.recheck();
  };
  const purge = new StorePurge(sql, () => identity.settings.message_retention_days, onMessagesPurged, hours, times.of("orphans_searched"));
  const uploads = new Uploads(sql, removedFiles);
  const statistics = new StatisticsPush({
    counters,
    connection: identity.uuid,
    catchUp,
    times,
    waiting: () => deliveries.waiting,
    write: (connection, counts) => pushCounts(env.DB, connection, counts, Date.now()),
    rearm: onChange,
  });
  const writeState = async (state: DirectoryState) => {
    if (identity.record !== null) await writeConnectionState(env.DB, identity.record.id, state, Date.now());
  };
  const directory = new DirectoryUpdater(sql, times, writeState, onChange);

  // Sends, and the application of network events.
  const network = new NetworkClient(() => identity.kind);
  const { limits, outbox, pacing, sends, waiting, waitingRows } = createSends({
    sql,
    identity,
    instance,
    network,
    stores,
    counters,
    times,
    days: gridOf(identity.uuid, DAY_MS),
    commitHandler: () => commitHandler,
    onWaitingChanged: () => watchers.changed("waiting"),
    rearm: onChange,
  });
  const presence = new PresenceRestorer(network, stores.presences, identity);
  const commitHandler = new CommitHandler({
    storage: ctx.storage,
    stateRows,
    progress,
    counters,
    instance,
    projection: new EventProjection(stores),
    participants: [
      counters,
      stateRows,
      progress,
      instance,
      outbox.settlement,
      listeners,
      ownerMails.alerts,
      ...waiting.participants,
      ...deliveries.participants,
    ],
    sends: outbox.settlement,
    deliveries,
    recent,
    watchers,
    eventStreams,
    listeners,
    notifications,
    instanceRef,
    automations: new Automations({ identity, network, stores, outbox }),
    onApplied: (events) => {
      admission.dropChangedReads(events);
      removedFiles.recheck();
      waiting.eventsApplied(events);
    },
    onConnected: (at) => {
      admission.pairingLinks.numberConnected(at);
      // Sets only the phone number. A session reports its LID too, with `session.open`.
      if (instance.state.phone !== null) stores.groups.setSelf(instance.state.phone, null);
    },
    onReconnected: (at) => stores.reconnectLog.add(at),
    onAwayForLong: (at) => {
      if (identity.settings.alerts.stopped) ownerMails.alerts.add(at);
    },
    onNumberChanged: (at) => actionLog.addByGateway("number_changed", instance.state.phone, at),
  });

  // The two ways to reach the network: a session on a bridge, or the Cloud API.
  const link = new SessionLink(
    new SessionSockets(ctx),
    new CommandChannel(new DataView(random(4).buffer).getUint32(0) >>> 1),
    instance,
    progress,
    stateRows,
    (generation) => poolOf(env, identity.record?.home ?? null).redial({ connection: identity.uuid, generation }),
  );
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
    routine: () => routineOf(env, identity.uuid),
    poolOf: (home) => poolOf(env, home),
    onUp: (at) => {
      outbox.sessionUp(at);
      presence.sessionUp();
    },
    onChange: () => {
      admission.gate.clearReadCache();
      onChange();
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
    storePending: () => outbox.storePending(),
    callback: () => `${settings.APP_URL}${CLOUD_WEBHOOK_PATH}/${identity.uuid}`,
    isShared: (wabaId) => isWabaShared(env.DB, wabaId, identity.uuid),
    step: (command, at) => session.step(command, at),
    commit: (events, at) => session.applyEvents(events, at),
    rearm: onChange,
  });
  network.attach({
    session: { driver: link, link },
    cloud_api: { driver: cloud.driver, link: cloud.link },
  });

  /** Components with scheduled work, in the order in which the alarm runs them. */
  const scheduled: Scheduled[] = [
    session,
    cloud,
    ownerMails.alerts,
    ownerMails.warnings,
    sends,
    waiting,
    deliveries,
    ...admission.scheduled,
    purge,
    uploads,
    removedFiles,
    removal,
    statistics,
    requests,
    directory,
    listeners,
    notifications,
  ];
  return {
    actionLog,
    admission,
    listeners,
    catchUp,
    cloud,
    counters,
    dataKeys,
    deliveries,
    directory,
    identity,
    instance,
    limits,
    link,
    eventStreams,
    lookUpMedia: (token: string) => lookUpMedia(env.MEDIA, token, Date.now()),
    network,
    notifications,
    outbox,
    pacing,
    progress,
    removal,
    removedFiles,
    requests,
    scheduled,
    session,
    statistics,
    statusHours,
    stores,
    times,
    traces,
    uploads,
    waiting,
    waitingRows,
    watchers,
  };
}

const routineOf = (env: Env, of: string): Routine => ({ share: settingsOf(env).LOG_SAMPLE, of, at: Date.now() });
