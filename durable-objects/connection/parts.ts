// What a Connection object is made of, and how the parts know each other.
import { bytesToHex } from "@noble/hashes/utils.js";
import type { InstanceRef } from "../../src/domain/gateway-event.ts";
import type { RenderContext } from "../../src/domain/webhooks/style/style.ts";
import { type Env, settingsOf } from "../../src/env.ts";
import { DEFAULT_INSTANCE_SETTINGS, type InstanceSettings } from "../../src/protocol/instance-settings.ts";
import { writeConnectionState } from "../../src/services/connections/directory-state.ts";
import { lookUpMedia, type MediaFacts } from "../../src/services/media/open.ts";
import { bridgePoolStub } from "../../src/services/bridges/pool-stub.ts";
import { sendMail } from "../../src/services/mail/send.ts";
import { findUser } from "../../src/services/users/user-table.ts";
import { errorFields, log } from "../../src/log.ts";
import { Admission } from "./admission/admission.ts";
import { ADMISSION_MIGRATIONS } from "./admission/schema.ts";
import { Deliveries } from "./delivery/deliveries.ts";
import { DELIVERY_MIGRATIONS } from "./delivery/schema.ts";
import type { Deployment } from "../shared/deployment.ts";
import { OwnSendProjection } from "./projection/own-sends.ts";
import { EventProjection } from "./projection/event-projection.ts";
import { CommitHandler } from "./commit-handler.ts";
import { markSeen } from "./operations/chats.ts";
import { rejectCall } from "./operations/calls.ts";
import { Outbox } from "./outbox/outbox.ts";
import { Pacing } from "./outbox/pacing.ts";
import { OUTBOX_MIGRATIONS } from "./outbox/schema.ts";
import { PresenceRestorer } from "./presence-restorer.ts";
import { DirectoryUpdater } from "./directory-updater.ts";
import type { Migrations } from "../shared/migrate.ts";
import { CommandChannel } from "./session/command-channel.ts";
import { Identity } from "./session/identity.ts";
import { Instance } from "./session/instance.ts";
import { OwnerAlerts } from "./session/owner-alerts.ts";
import { NetworkClient } from "./session/network-client.ts";
import { CommitProgress } from "./session/commit-progress.ts";
import { SESSION_MIGRATIONS } from "./session/schema.ts";
import { SessionSockets } from "./session/session-sockets.ts";
import { Session } from "./session/session.ts";
import { sessionSettings } from "./session/settings.ts";
import { stateKey } from "./session/state-key.ts";
import { StateRows } from "./session/state-rows.ts";
import { Tickets } from "./session/tickets.ts";
import { Automations } from "./automations.ts";
import { StorePurge } from "./store/purge.ts";
import { STORE_MIGRATIONS } from "./store/schema.ts";
import { Stores } from "./store/stores.ts";
import { Listeners } from "./listeners.ts";
import { Watchers } from "./watchers.ts";
import { DAY_MS } from "../../src/protocol/units.ts";

/** The order is the order in which they are brought up to date. */
export const CONCERNS: readonly (readonly [concern: string, Migrations])[] = [
  ["session", SESSION_MIGRATIONS],
  ["store", STORE_MIGRATIONS],
  ["outbox", OUTBOX_MIGRATIONS],
  ["admission", ADMISSION_MIGRATIONS],
  ["delivery", DELIVERY_MIGRATIONS],
];

export type Parts = {
  identity: Identity;
  instance: Instance;
  session: Session;
  alerts: OwnerAlerts;
  network: NetworkClient;
  stores: Stores;
  purge: StorePurge;
  outbox: Outbox;
  pacing: Pacing;
  deliveries: Deliveries;
  admission: Admission;
  projection: DirectoryUpdater;
  watchers: Watchers;
  listeners: Listeners;
  /** What is kept under a media token; null when it is gone. */
  keptMedia: (token: string) => Promise<MediaFacts | null>;
  /** How long the owner wants files kept. */
  retentionMs: () => number;
  uuid: () => string;
};

const LIFE_BYTES = 6;

const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

/** `onChange`: what is due may have changed outside of an event of the platform. */
export function compose(ctx: DurableObjectState, env: Env, deployment: Deployment, onChange: () => void): Parts {
  const { storage } = ctx;
  const { sql } = storage;
  const settings = settingsOf(env);
  const pool = () => bridgePoolStub(env);

  const identity = new Identity(sql);
  const instance = new Instance(sql, Date.now());
  const uuid = (): string => identity.record?.uuid ?? ctx.id.name ?? "";
  const face = (): InstanceRef => {
    const { phone } = instance.state;
    const { id = 0, name = "" } = identity.record ?? {};
    return { id, uuid: uuid(), name, phone };
  };

  const owners = (): InstanceSettings => identity.record?.settings ?? DEFAULT_INSTANCE_SETTINGS;

  const stores = new Stores(sql);
  const stateRows = new StateRows(sql);
  const progress = new CommitProgress(sql);
  const commands = new CommandChannel(new DataView(random(4).buffer).getUint32(0) >>> 1);
  const eventProjection = new EventProjection(stores);
  const admission = new Admission(sql, () => identity.record, deployment.limits);
  const tellOwner = (subject: string, text: string) => mailOwner(env, identity.record?.owner_id ?? null, subject, text);
  const alerts = new OwnerAlerts({ sql, name: () => face().name, mailOwner: tellOwner, rearm: onChange });
  const deliveries = new Deliveries({
    sql,
    connection: uuid(),
    stateSecret: settings.STATE_SECRET,
    instance: face,
    appUrl: settings.APP_URL,
    networkSuffix: settings.NETWORK_SUFFIX,
    policy: { own: [settings.APP_URL, settings.BASE_URL], loopback: deployment.loopbackReceivers },
    egressFetch: (url, init) => (env.EGRESS === undefined ? fetch(url, init) : env.EGRESS.fetch(url, init)),
    clock: () => Date.now(),
    mailOwner: tellOwner,
    // `event` is the name of the log line itself.
    log: (what, { event = null, ...fields }) => log(what, { ...fields, type: event }),
    rearm: onChange,
  });
  const outbox: Outbox = new Outbox(
    sql,
    {
      ready: (now, deadlineAt) => session.ready(now, deadlineAt),
      holder: () => session.commandSocket(),
      generation: () => instance.state.generation,
      mayStillCommit: (generation) => session.mayStillCommit(generation),
      send: (socket, request, deadlineMs) => commands.post(socket, "send", request, deadlineMs),
      recall: (socket, message_ids) => commands.post(socket, "recall", { message_ids }, RECALL_MS),
      wasWritten: (messageId) => stateRows.hasSent(messageId),
    },
    new OwnSendProjection(stores),
  );
  const scene = (): RenderContext => ({ instance: face(), appUrl: settings.APP_URL, networkSuffix: settings.NETWORK_SUFFIX });
  const watchers = new Watchers(ctx, scene);
  const listeners = new Listeners(ctx, scene, bytesToHex(random(LIFE_BYTES)));
  const commitHandler = new CommitHandler({
    storage,
    stateRows,
    progress,
    instance,
    projection: eventProjection,
    outbox,
    deliveries,
    watchers,
    listeners,
    instanceRef: face,
    automations: { onFacts: (facts, now) => orders.onFacts(facts, now) },
    onReconnected: (now) => stores.reconnects.add(now),
    onGaveUp: (now) => alerts.add(now),
  });
  const session: Session = new Session({
    sockets: new SessionSockets(ctx),
    tickets: new Tickets(sql, random),
    stateRows,
    progress,
    instance,
    commitHandler,
    commands,
    connection: uuid,
    stateKey: () => stateKey(settings.STATE_SECRET, uuid()),
    settings: () => sessionSettings(identity.record),
    pool: { place: (wish) => pool().place(wish), release: (ended) => pool().release(ended) },
    onUp: (now) => {
      outbox.sessionUp(now);
      presence.sessionUp(now);
    },
    onChange: () => {
      admission.clearReadCache();
      onChange();
    },
  });
  const network = new NetworkClient(session, () => identity.record?.kind ?? "session");
  const asked = { network, stores, now: (): number => Date.now() };
  const orders = new Automations({
    settings: owners,
    markSeen: (chatId) => markSeen(asked, chatId),
    rejectCall: (callId) => rejectCall(asked, callId, null),
    send: (request) => outbox.send(request, { to: null, reference: null, source: "api" }, Date.now()),
    connection: uuid,
  });
  const presence = new PresenceRestorer({ network, presences: stores.presences, connection: uuid });
  const projection = new DirectoryUpdater(sql, async (state) => {
    if (identity.record !== null) await writeConnectionState(env.DB, identity.record.id, state, Date.now());
  });
  return {
    identity,
    instance,
    session,
    alerts,
    network,
    stores,
    purge: new StorePurge(sql),
    outbox,
    pacing: new Pacing(sql, () => owners().pacing, {
      isKnown: (chatId) => stores.chats.isKnown(chatId),
      hasWritten: (chatId) => stores.messages.lastReceived(chatId, 1).length > 0,
    }),
    deliveries,
    admission,
    projection,
    watchers,
    listeners,
    uuid,
    retentionMs: () => owners().media_retention_days * DAY_MS,
    keptMedia: (token) => lookUpMedia(env.MEDIA, token, Date.now()),
  };
}

/** A bridge answers a recall by events; this is how long its receipt may take. */
const RECALL_MS = 10_000;

/** False when it could not be sent now. */
async function mailOwner(env: Env, ownerId: string | null, subject: string, text: string): Promise<boolean> {
  try {
    const owner = ownerId === null ? null : await findUser(env.DB, ownerId);
    if (owner === null) return false;
    await sendMail(env, { to: owner.email, subject, text });
    return true;
  } catch (error) {
    log("connection.mail_failed", errorFields(error));
    return false;
  }
}
