// Subscribes to everything that the library and the network report. A failure here must never stop the library's own work.
import { type BaileysEventMap, type BinaryNode, getBinaryNodeChild } from "baileys";
import { errorFacts } from "#bridge/log.ts";
import { identityOf } from "../addressing/own-identity.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import { groupRetry } from "../outbound/group-resends.ts";
import { sendsOf } from "../outbound/sends.ts";
import { historyChunksOf } from "../memory/history-chunks.ts";
import { historyWaitsOf } from "../memory/history-waits.ts";
import { readMissingSalt, saltOfHistory, saltOfSettings } from "../memory/nct-salt.ts";
import { restoreOwnPresence, presenceSubscriptionsOf } from "../memory/presence.ts";
import { quotaOf, reportQuota } from "../queries/new-chat-quota.ts";
import { withoutAt } from "../queries/network-query.ts";
import type { SessionContext } from "../session/session-context.ts";
import { historySet, historyStatus } from "./history-sync.ts";
import { initialSync } from "./initial-sync.ts";
import { callChanged } from "./calls.ts";
import { channelNotification, channelParticipants, channelSettings } from "./channels.ts";
import { chatsDelete, chatsUpdate, chatState, presence } from "./chats.ts";
import { blocklistUpdate, contactsUpdate, contactsUpsert } from "./contacts.ts";
import { groupNotification, groupPicture, groupsUpdate } from "./group-notifications.ts";
import { lateFilesOf, readLeftFiles } from "./late-files.ts";
import { messagesDelete, messagesStar, messagesUpsert } from "./messages.ts";
import { nameViewOnce, resumePlaceholders } from "./undecryptable-messages.ts";
import { receipt } from "./receipts.ts";
import { perSession } from "../session/per-session.ts";
import { labelAssociation, labelEdit } from "./labels.ts";

const profileOf = perSession(() => ({ name: "" }));

function credsUpdate(ctx: SessionContext, { me }: BaileysEventMap["creds.update"]): void {
  const name = me?.name;
  const known = profileOf(ctx.session);
  // "~" is Baileys' placeholder for an unknown name, as after pairing by code.
  if (!name || name === "~") return;
  announceWithoutAt(ctx, name);
  if (name === known.name) return;
  known.name = name;
  ctx.emit([{ key: null, event: { type: "profile.updated", name } }]);
}

/** The library announces a name only if it differs from the one in the credentials, and would encode this one as a JID. */
function announceWithoutAt({ auth, sock }: SessionContext, name: string): void {
  const { creds } = auth;
  if (!name.includes("@") || creds.me === undefined || creds.me.name === name) return;
  creds.me = { ...creds.me, name };
  sock.sendNode({ tag: "presence", attrs: { name: withoutAt(name) } }).catch(() => undefined);
}

/** The library caches the privacy settings that control read receipts, and misses changes made on another device. */
function accountSync({ sock, logger }: SessionContext, notification: BinaryNode): void {
  if (getBinaryNodeChild(notification, "privacy") === undefined) return;
  sock.fetchPrivacySettings(true).catch((error: unknown) => logger.info(errorFacts(error), "privacy.unread"));
}

type Listeners = { [E in keyof BaileysEventMap]?: (ctx: SessionContext, data: BaileysEventMap[E]) => void };

/** Handlers for library events. The missing events are internal to the library, or are derived from a more detailed stanza below. */
const EVENTS: Listeners = {
  "messages.upsert": (ctx, upsert) => {
    for (const message of upsert.messages) historyChunksOf(ctx.session).announced(message);
    messagesUpsert(ctx, upsert);
  },
  "messages.update": messagesStar,
  "messages.delete": messagesDelete,
  "chats.update": chatsUpdate,
  "chats.delete": chatsDelete,
  "contacts.upsert": contactsUpsert,
  "contacts.update": contactsUpdate,
  "blocklist.update": blocklistUpdate,
  "groups.upsert": groupsUpdate,
  "groups.update": groupsUpdate,
  "lid-mapping.update": (ctx, { lid, pn }) => lidMappingOf(ctx.session).learn(lid, pn, true),
  "labels.edit": labelEdit,
  "labels.association": labelAssociation,
  "messaging-history.set": (ctx, set) => {
    saltOfHistory(ctx, set);
    historyChunksOf(ctx.session).came(set);
    historySet(ctx, set);
  },
  "messaging-history.status": historyStatus,
  "settings.update": saltOfSettings,
  "newsletter-settings.update": channelSettings,
  "newsletter-participants.update": channelParticipants,
  "creds.update": credsUpdate,
  "message-capping.update": (ctx, info) => reportQuota(ctx, quotaOf(info)),
  "connection.update": (ctx, { connection }) => {
    if (connection !== "open") return;
    initialSync(ctx);
    waitForHistory(ctx);
    readMissingSalt(ctx);
    restoreOwnPresence(ctx);
    void lateFilesOf(ctx.session).resume(ctx);
    void presenceSubscriptionsOf(ctx.session).resubscribe(ctx);
  },
  call: (ctx, calls) => calls.forEach((one) => callChanged(ctx, one)),
};

/** Handlers for raw stanzas that have more details than the library's events. Subscribe by plain tag to any stanza that may be replayed. */
const STANZAS: Record<string, (ctx: SessionContext, node: BinaryNode) => void | Promise<void>> = {
  "CB:message": (_ctx, node) => nameViewOnce(node),
  "CB:receipt": (ctx, node) => {
    const resent = groupRetry(ctx, node);
    receipt(ctx, node);
    return resent;
  },
  "CB:notification": (ctx, node) => NOTIFICATIONS[node.attrs["type"] ?? ""]?.(ctx, node),
  "CB:presence": presence,
  "CB:chatstate": chatState,
  "CB:ack,class:message": (ctx, node) => sendsOf(ctx.session).acknowledged(ctx, node),
};

const NOTIFICATIONS: typeof STANZAS = {
  "w:gp2": groupNotification,
  picture: groupPicture,
  mex: channelNotification,
  account_sync: accountSync,
};

/** Handles library events one by one. The library's buffer would merge successive events and discard them when the socket ends. */
export function listen(ctx: SessionContext): () => void {
  identityOf(ctx.session).readFrom(ctx.auth);
  followLidMappings(ctx);
  resumePlaceholders(ctx.session);
  readLeftFiles(ctx.session);
  const { ev, ws } = ctx.sock;
  const emit = ev.emit.bind(ev);
  ev.emit = (event, data) => {
    dispatch(ctx, event, data);
    return emit(event, data);
  };
  const stanzas = Object.entries(STANZAS).map(
    ([name, take]) => [name, (node: BinaryNode) => guarded(ctx, name, () => take(ctx, node))] as const,
  );
  for (const [name, listener] of stanzas) ws.prependListener(name, listener);
  return () => {
    ev.emit = emit;
    for (const [name, listener] of stanzas) ws.off(name, listener);
  };
}

function waitForHistory({ session, auth, settings }: SessionContext): void {
  const waits = historyWaitsOf(session);
  if (settings.sync_history !== "none" && !(auth.creds.accountSyncCounter > 0)) waits.linked();
}

function dispatch<E extends keyof BaileysEventMap>(ctx: SessionContext, event: E, data: BaileysEventMap[E]): void {
  const listener = EVENTS[event];
  if (listener) guarded(ctx, event, () => listener(ctx, data));
}

// An error here must not stop the library's own work (acks, receipts, keys).
function guarded<T>(ctx: SessionContext, what: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    ctx.logger.error({ ...errorFacts(error), what }, "inbound.failed");
    ctx.metrics.troubled("stanza", "inbound", ctx.connection);
    return undefined;
  }
}

/** Stores the mappings that the library learns from device lists, envelopes and migrations. */
function followLidMappings({ sock, session }: SessionContext): void {
  const { lidMapping } = sock.signalRepository;
  const lids = lidMappingOf(session);
  const store = lidMapping.storeLIDPNMappings.bind(lidMapping);
  lidMapping.storeLIDPNMappings = (pairs) => {
    for (const { lid, pn } of pairs) lids.learn(lid, pn);
    // A copy of our own message may list our number as the recipient's. That pair would be stored permanently.
    return store(lids.own().lid === null ? pairs : pairs.filter(({ lid, pn }) => lids.isOwn(lid) === lids.isOwn(pn)));
  };
}
