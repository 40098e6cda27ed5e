import type { BaileysEventMap, BinaryNode } from "baileys";
import { errorFacts } from "#root/log.ts";
import { recordGroup } from "../memory/group-cache.ts";
import { identityOf } from "../addressing/own-identity.ts";
import { chatIdOf, lidMappingOf } from "../addressing/lid-mapping.ts";
import { sendsOf } from "../outbound/sends.ts";
import { historyWaitsOf } from "../memory/history-waits.ts";
import { readMissingSalt, saltOfHistory, saltOfSettings } from "../memory/nct-salt.ts";
import { restoreOwnPresence } from "../memory/own-presence.ts";
import type { SessionContext } from "../session/session-context.ts";
import { presenceSubscriptionsOf } from "../memory/presence-subscriptions.ts";
import { accountSync, credsUpdate } from "./account.ts";
import { call } from "./calls.ts";
import { initialSync } from "./initial-sync.ts";
import { channelNotification, channelParticipants, channelSettings } from "./channels.ts";
import { chatsDelete, chatsUpdate } from "./chats.ts";
import { blocklistUpdate, contactsUpdate, contactsUpsert } from "./contacts.ts";
import { groupNotification, groupPicture } from "./group-notifications.ts";
import { historySet, historyStatus } from "./history-sync.ts";
import { labelAssociation, labelEdit } from "./labels.ts";
import { messagesUpsert } from "./messages.ts";
import { nameViewOnce, resumeStandIns } from "./undecryptable-messages.ts";
import { chatState, presence } from "./presence.ts";
import { receipt } from "./receipts.ts";

type Listeners = { [E in keyof BaileysEventMap]?: (ctx: SessionContext, data: BaileysEventMap[E]) => void };

/** Library events. Missing ones are derived from a stanza below, which says more, or are internal to the library. */
const EVENTS: Listeners = {
  "messages.upsert": messagesUpsert,
  "messages.update": messagesStar,
  "messages.delete": messagesDelete,
  "chats.update": chatsUpdate,
  "chats.delete": chatsDelete,
  "contacts.upsert": contactsUpsert,
  "contacts.update": contactsUpdate,
  "blocklist.update": blocklistUpdate,
  "groups.upsert": (ctx, groups) => groupsUpdate(ctx, groups),
  "groups.update": (ctx, groups) => groupsUpdate(ctx, groups),
  "lid-mapping.update": (ctx, { lid, pn }) => lidMappingOf(ctx.session).learn(lid, pn, true),
  "labels.edit": labelEdit,
  "labels.association": labelAssociation,
  "messaging-history.set": (ctx, set) => {
    saltOfHistory(ctx, set);
    historySet(ctx, set);
  },
  "messaging-history.status": historyStatus,
  "settings.update": saltOfSettings,
  "newsletter-settings.update": channelSettings,
  "newsletter-participants.update": channelParticipants,
  "creds.update": credsUpdate,
  "connection.update": (ctx, { connection }) => {
    if (connection !== "open") return;
    initialSync(ctx);
    waitForHistory(ctx);
    readMissingSalt(ctx);
    restoreOwnPresence(ctx);
    void presenceSubscriptionsOf(ctx.session).resubscribe(ctx);
  },
  call: (ctx, calls) => calls.forEach((one) => call(ctx, one)),
};

/**
 * Raw stanzas whose library events say less. Stanzas that the journal replays must be subscribed by their plain tag, because it calls only
 * these listeners.
 */
const STANZAS: Record<string, (ctx: SessionContext, node: BinaryNode) => void> = {
  "CB:message": (_ctx, node) => nameViewOnce(node),
  "CB:receipt": receipt,
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

/**
 * Handles library events one by one at the time they are emitted. The library's buffer merges events that are close together and discards
 * them when the socket ends (docs/internals/durability.md, "Wire protocol: messages and receipts"): a deletion swallows its message, and
 * of two changes to a group one survives.
 */
export function listen(ctx: SessionContext): () => void {
  identityOf(ctx.session).readFrom(ctx.auth);
  followLidMappings(ctx);
  resumeStandIns(ctx.session);
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
  // The library increments this counter with the first sync.
  if (settings.sync_history !== "none" && !(auth.creds.accountSyncCounter > 0)) waits.linked();
}

function dispatch<E extends keyof BaileysEventMap>(ctx: SessionContext, event: E, data: BaileysEventMap[E]): void {
  const listener = EVENTS[event];
  if (listener) guarded(ctx, event, () => listener(ctx, data));
}

// An error here must not stop the library's own work (acks, receipts, keys).
function guarded(ctx: SessionContext, what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    ctx.logger.error({ ...errorFacts(error), what }, "inbound.failed");
    ctx.metrics.troubled("stanza", "inbound", ctx.connection);
  }
}

// Fourth of the five LID sources: what the library learns itself from device lists, envelopes and migrations.
function followLidMappings({ sock, session }: SessionContext): void {
  const { lidMapping } = sock.signalRepository;
  const lids = lidMappingOf(session);
  const store = lidMapping.storeLIDPNMappings.bind(lidMapping);
  lidMapping.storeLIDPNMappings = (pairs) => {
    const [own, others] = [lids.own(), pairs];
    for (const { lid, pn } of others) lids.learn(lid, pn);
    // An own message's copy may carry our number where the recipient's belongs (docs/internals/durability.md, "Who is behind a LID"). Such
    // a pair would be stored for ever.
    return store(own.lid === null ? others : others.filter(({ lid, pn }) => lids.isOwn(lid) === lids.isOwn(pn)));
  };
}

function groupsUpdate(ctx: SessionContext, groups: BaileysEventMap["groups.update"]): void {
  if (ctx.settings.ignore_groups) return;
  for (const group of groups) {
    // Partial updates lack the members and were already reported by `groupNotification`.
    if (group.id && group.participants && group.subject !== undefined) {
      recordGroup(ctx.session, { ...group, id: group.id, owner: group.owner, subject: group.subject, participants: group.participants });
    }
  }
}

function messagesDelete(ctx: SessionContext, deletion: BaileysEventMap["messages.delete"]): void {
  const keys = "keys" in deletion ? deletion.keys : [];
  for (const { remoteJid, id } of keys) {
    const chatId = chatIdOf(ctx, remoteJid);
    if (chatId !== null && id) ctx.emit([{ key: null, event: { type: "message.removed", chat_id: chatId, message_id: id } }]);
  }
}

function messagesStar(ctx: SessionContext, updates: BaileysEventMap["messages.update"]): void {
  for (const { key, update } of updates) {
    if (typeof update.starred !== "boolean" || !key.id) continue;
    const chatId = chatIdOf(ctx, key.remoteJid);
    if (chatId !== null)
      ctx.emit([{ key: null, event: { type: "message.starred", chat_id: chatId, message_id: key.id, starred: update.starred } }]);
  }
}
