// What a Connection object is made of, each component after those it uses.
import { Acts } from "./actions/action-log.ts";
import { type Cloud, createCloud } from "./cloud/cloud.ts";
import { makeTicket } from "@gateway/domain/keys/bridge-credential.ts";
import { CatchUp, gridOf } from "@gateway/domain/spread.ts";
import type { RenderContext } from "@gateway/domain/webhooks/style/style.ts";
import { type Env, settingsOf } from "../../src/env.ts";
import { log, type Routine } from "../../src/log.ts";
import type { Kind } from "@gateway/protocol/operations.ts";
import { accountGuardStub } from "../../src/services/accounts/guard.ts";
import { poolOf } from "../../src/services/bridges/pool-stub.ts";
import { isWabaShared } from "../../src/services/connections/cloud-numbers.ts";
import { writeConnectionState } from "../../src/services/connections/directory-state.ts";
import { pushCounts } from "../../src/services/statistics/push.ts";
import { lookUpMedia } from "../../src/services/media/open.ts";
import { tracersOf } from "../../src/services/tracing/tracers.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { CLOUD_WEBHOOK_PATH } from "@gateway/protocol/cloud/credentials.ts";
import { type Deployment, graphUrl } from "../shared/deployment.ts";
import type { Scheduled } from "./alarm.ts";
import { Admission } from "./admission/admission.ts";
import { RequestLog } from "./requests/request-log.ts";
import { Automations } from "./automations.ts";
import { CommitHandler } from "./commit-handler.ts";
import { Deliveries } from "./delivery/deliveries.ts";
import type { DeliveryHost } from "./delivery/host.ts";
import { DataKeys } from "./data-keys.ts";
import { DirectoryUpdater } from "./directory-updater.ts";
import { Listeners } from "./streams/listeners.ts";
import { Outbox, type SendLink } from "./outbox/outbox.ts";
import { Pacing } from "./outbox/pacing.ts";
import { type OwnerMail, OwnerMailer } from "./owner-mail/owner-mailer.ts";
import { PresenceRestorer } from "./presence/handlers.ts";
import { EventProjection } from "./projection/event-projection.ts";
import { OwnSendProjection } from "./messages/own-sends.ts";
import { CommandChannel } from "./session/command-channel.ts";
import { CommitProgress } from "./fewer-writes/commit-progress.ts";
import { Removal } from "./removal.ts";
import { Identity } from "./instance/identity.ts";
import { Instance } from "./instance/instance.ts";
import { type Driver, NetworkClient, sessionDriver } from "./session/network-client.ts";
import { OwnerAlerts } from "./owner-mail/owner-alerts.ts";
import { OwnerWarnings } from "./owner-mail/owner-warnings.ts";
import { SessionLink } from "./session/session-link.ts";
import { SessionSockets } from "./session/session-sockets.ts";
import { Session } from "./session/session.ts";
import { StateRows } from "./session/state-rows.ts";
import { Tickets } from "./session/tickets.ts";
import { RecentFacts } from "./streams/recent-facts.ts";
import { RemovedFiles } from "./store/removed-files.ts";
import { StorePurge } from "./store/purge.ts";
import { Stores } from "./store/stores.ts";
import { StoredTimes } from "../shared/stored-times.ts";
import { Counters } from "./statistics/counters.ts";
import { StatisticsPush } from "./statistics/push.ts";
import { StatusHours } from "./statistics/status-hours.ts";
import { ConnectionTraces } from "./traces.ts";
import { Uploads } from "./uploads.ts";
import { Watchers } from "./streams/watchers.ts";

const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

export type ConnectionComponents = ReturnType<typeof createComponents>;

/** `onChange`: work for later has changed outside of a platform event. */
export function createComponents(ctx: DurableObjectState, env: Env, deployment: Deployment, onChange: () => void) {
  const base = createBase(ctx, env, deployment, onChange);
  const { APP_URL, GRAPH_URL, GRAPH_VERSION: version } = settingsOf(env);
  const cloud = createCloud({
    ...base,
    sql: ctx.storage.sql,
    storage: ctx.storage,
    graph: { baseUrl: graphUrl(GRAPH_URL, deployment), version, fetch: graphFetchOf(env) },
    bucket: env.MEDIA,
    openSend: (messageId) => sending.outbox.openRequest(messageId),
    storePending: () => sending.outbox.storePending(),
    callback: () => `${APP_URL}${CLOUD_WEBHOOK_PATH}/${base.identity.uuid}`,
    isShared: (wabaId) => isWabaShared(env.DB, wabaId, base.identity.uuid),
    step: (command, now) => session.step(command, now),
    commit: (events, now) => session.take(events, now),
    rearm: onChange,
  });
  const sending = createSending(ctx, env, base, cloud, onChange);
  const { admission, alerts, deliveries, purge, removal, removedFiles, requests, statistics, stores, uploads, warnings } = base;
  const { outbox, presence } = sending;
  const commitHandler = new CommitHandler({
    ...base,
    ...sending,
    storage: ctx.storage,
    projection: new EventProjection(stores),
    onApplied: (events) => {
      admission.dropChangedReads(events);
      removedFiles.recheck();
    },
    onConnected: (now) => {
      admission.pairingLinks.numberConnected(now);
      const { phone } = base.instance.state;
      // A session tells more of itself.
      if (phone !== null) stores.groups.setSelf(phone, null);
    },
    onReconnected: (now) => stores.reconnectLog.add(now),
    onAwayForLong: (now) => {
      if (base.identity.settings.alerts.stopped) alerts.add(now);
    },
    onNumberChanged: (now) => base.acts.addByGateway("number_changed", base.instance.state.phone, now),
  });
  const session = new Session({
    ...base,
    ...sending,
    commitHandler,
    tickets: new Tickets(ctx.storage.sql, random, (ticket) => makeTicket(settingsOf(env).BRIDGE_SECRET, ticket, base.identity.uuid)),
    bridgeSecrets: settingsOf(env).BRIDGE_SECRET,
    routine: () => routineOf(env, base.identity.uuid),
    poolOf: (home) => poolOf(env, home),
    onUp: (now) => {
      outbox.sessionUp(now);
      presence.sessionUp();
    },
    onChange: () => {
      admission.gate.clearReadCache();
      onChange();
    },
  });
  const sends: Scheduled = {
    nextDue: () => outbox.nextDue(),
    run: (now) => {
      commitHandler.settleOverdueSends(now);
      outbox.run(now);
    },
    clockSetBack: (now) => outbox.clockSetBack(now),
  };
  // The order in which they run when the alarm rings.
  const { directory } = base;
  const scheduled: Scheduled[] = [
    session,
    cloud,
    alerts,
    warnings,
    sends,
    deliveries,
    admission.gate,
    purge,
    uploads,
    removedFiles,
    removal,
    statistics,
    requests,
    directory,
  ];
  return { ...base, ...sending, cloud, session, scheduled, lookUpMedia: (token: string) => lookUpMedia(env.MEDIA, token, Date.now()) };
}

/** Components that need only storage and the environment. */
function createBase(ctx: DurableObjectState, env: Env, deployment: Deployment, onChange: () => void) {
  const { sql } = ctx.storage;
  const { APP_URL: appUrl, NETWORK_SUFFIX: networkSuffix, PASSKEY_CEREMONY: passkey } = settingsOf(env);
  const dataKeys = new DataKeys(sql, settingsOf(env).STATE_SECRET, ctx.id.name ?? "");
  const identity = new Identity(sql, ctx.id.name ?? "", dataKeys, passkey === "on");
  const statusHours = new StatusHours(sql);
  const instance = new Instance(sql, statusHours, Date.now());
  const instanceRef = () => identity.instanceRef(instance.state.phone);
  const renderContext = (): RenderContext => ({ instance: instanceRef(), appUrl, networkSuffix });
  const ownerId = () => identity.record?.owner_id ?? null;
  const mailer = new OwnerMailer(env, identity);
  const mailOwner = (mail: OwnerMail) => mailer.send(mail);
  /** While many numbers are away, the pool mails each owner once for all of them. */
  const mailAway = async (mail: OwnerMail) => {
    const saysSo = mail.kind === "connection_stopped" || mail.kind === "connection_down";
    const isAway = saysSo && instance.state.status === "connecting";
    return (isAway && (await poolOf(env, identity.record?.home ?? null).takeAway(identity.uuid))) || mailer.send(mail);
  };
  const stores = new Stores(sql);
  const hours = gridOf(identity.uuid, HOUR_MS);
  const times = new StoredTimes(sql);
  const catchUp = new CatchUp(identity.uuid, Date.now(), times.of("late_work_found"));
  const progress = new CommitProgress(sql);
  const recent = new RecentFacts(identity.uuid, progress.facts);
  const watchers = new Watchers(ctx, { renderContext, owner: ownerId, history: () => stores.historySync.progress(), recent });
  const traces = new ConnectionTraces(tracersOf(env)?.object ?? null, identity.uuid);
  const admission = new Admission(sql, () => identity.record, deployment.limits);
  const acts = new Acts({
    sql,
    keyOf: (hash) => admission.keys.idOf(hash),
    keyNames: () => admission.keys.names(),
    links: admission.pairingLinks,
  });
  const requests = new RequestLog({
    sql,
    keyOf: (hash) => admission.keys.idOf(hash),
    keyNames: () => admission.keys.names(),
    onAdded: () => watchers.changed("requests"),
  });
  const counters = new Counters(sql, progress);
  counters.clockSetBack(Date.now());
  counters.setConnected(instance.state.connectedAt !== null, Date.now());
  counters.flush(Date.now());
  const deliveries = createDeliveries(env, deployment, {
    sql,
    counters,
    connection: identity.uuid,
    catchUp,
    times,
    traceAttempt: (attempt) => traces.attempt(attempt),
    vault: () => dataKeys.vault(),
    held: () => identity.record?.owner_suspended === true,
    instance: instanceRef,
    mailOwner,
    notifyFailing: async (endpointId) => {
      const owner = identity.record?.owner_id;
      if (owner !== undefined) await accountGuardStub(env, owner).addFailing(endpointId, identity.uuid);
    },
    onStored: () => watchers.changed("deliveries"),
    rearm: onChange,
  });
  const removedFiles = new RemovedFiles({
    sql,
    times,
    connection: identity.uuid,
    remove: (keys) => env.MEDIA.delete(keys),
    rearm: onChange,
  });
  return {
    catchUp,
    times,
    dataKeys,
    identity,
    instance,
    instanceRef,
    stores,
    traces,
    purge: new StorePurge(
      sql,
      () => identity.settings.message_retention_days,
      (chatId) => {
        stores.chats.refreshLastMessage(chatId);
        admission.dropChangedReads([]);
        removedFiles.recheck();
      },
      hours,
    ),
    removedFiles,
    uploads: new Uploads(sql, removedFiles),
    stateRows: new StateRows(sql, hours),
    progress,
    counters,
    statusHours,
    removal: new Removal(sql),
    admission,
    alerts: new OwnerAlerts({ sql, name: () => instanceRef().name, mailOwner: mailAway, rearm: onChange }),
    warnings: new OwnerWarnings({
      sql,
      settings: () => identity.settings.alerts,
      state: () => instance.state,
      webhookFailingSince: () => deliveries.webhook.failingSince(),
      name: () => instanceRef().name,
      mailOwner: mailAway,
      rearm: onChange,
    }),
    deliveries,
    statistics: new StatisticsPush({
      counters,
      connection: identity.uuid,
      catchUp,
      times,
      waiting: () => deliveries.waiting,
      write: (connection, counts) => pushCounts(env.DB, connection, counts, Date.now()),
      rearm: onChange,
    }),
    recent,
    acts,
    requests,
    watchers,
    listeners: new Listeners(ctx, renderContext, ownerId, recent),
    directory: new DirectoryUpdater(
      sql,
      times,
      async (state) => {
        if (identity.record !== null) await writeConnectionState(env.DB, identity.record.id, state, Date.now());
      },
      onChange,
    ),
  };
}

/** The session as others use it, and what sends over it. */
function createSending(ctx: DurableObjectState, env: Env, base: ReturnType<typeof createBase>, cloud: Cloud, onChange: () => void) {
  const { sql } = ctx.storage;
  const { counters, identity, instance, progress, stateRows, stores } = base;
  const commands = new CommandChannel(new DataView(random(4).buffer).getUint32(0) >>> 1);
  const askRedial = (generation: number) => poolOf(env, identity.record?.home ?? null).redial({ connection: identity.uuid, generation });
  const link = new SessionLink(new SessionSockets(ctx), commands, instance, progress, stateRows, askRedial);
  const drivers: Readonly<Record<Kind, Driver>> = { session: sessionDriver(link), cloud_api: cloud.driver };
  const network = new NetworkClient(() => drivers[identity.kind]);
  const links: Readonly<Record<Kind, SendLink>> = { session: link, cloud_api: cloud.link };
  const sendLink = () => links[identity.kind];
  const outbox = new Outbox(sql, sendLink, new OwnSendProjection(stores), counters, gridOf(identity.uuid, DAY_MS), onChange);
  return {
    link,
    sendLink,
    network,
    outbox,
    pacing: new Pacing(sql, () => identity.settings.pacing, {
      isKnown: (chatId) => stores.chats.isKnown(chatId),
      hasWritten: (chatId) => stores.messages.lastReceived(chatId, 1).length > 0,
    }),
    automations: new Automations({ identity, network, stores, outbox }),
    presence: new PresenceRestorer(network, stores.presences, identity),
  };
}

type OwnDeliveryHost = Pick<
  DeliveryHost,
  | "sql"
  | "counters"
  | "connection"
  | "catchUp"
  | "times"
  | "traceAttempt"
  | "vault"
  | "held"
  | "instance"
  | "mailOwner"
  | "notifyFailing"
  | "onStored"
  | "rearm"
>;

function createDeliveries(env: Env, deployment: Deployment, own: OwnDeliveryHost): Deliveries {
  const { APP_URL, BASE_URL, NETWORK_SUFFIX } = settingsOf(env);
  return new Deliveries({
    ...own,
    appUrl: APP_URL,
    networkSuffix: NETWORK_SUFFIX,
    policy: { own: [APP_URL, BASE_URL], loopback: deployment.loopbackReceivers },
    egressFetch: egressOf(env),
    clock: () => Date.now(),
    // `event` is the name of the log line itself.
    log: (what, { event = null, ...fields }, routine) =>
      log(what, { ...fields, type: event }, routine === true ? routineOf(env, own.connection) : undefined),
  });
}

/** Lines of normal operation of one connection. */
const routineOf = (env: Env, of: string): Routine => ({ share: settingsOf(env).LOG_SAMPLE, of, at: Date.now() });

/** The sandbox's own Graph is on this machine, also where customers' hosts must be public. */
function graphFetchOf(env: Env): typeof fetch {
  return (input, init) => (env.GRAPH === undefined ? fetch(input, init) : env.GRAPH.fetch(input, init));
}

/** What goes to hosts that others name leaves by the sandbox's filter where there is one. */
function egressOf(env: Env): typeof fetch {
  return (input, init) => (env.EGRESS === undefined ? fetch(input, init) : env.EGRESS.fetch(input, init));
}
