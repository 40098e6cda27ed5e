import { type BaileysEventMap, type BinaryNode, getBinaryNodeChild, type WACallEvent } from "baileys";
import { errorFacts } from "#root/log.ts";
import { recordGroup } from "../memory/group-cache.ts";
import { identityOf } from "../addressing/own-identity.ts";
import { chatIdOf, lidMappingOf } from "../addressing/lid-mapping.ts";
import { sendsOf } from "../outbound/sends.ts";
import { historyWaitsOf } from "../memory/history-waits.ts";
import { readMissingSalt, saltOfHistory, saltOfSettings } from "../memory/nct-salt.ts";
import { restoreOwnPresence, presenceSubscriptionsOf } from "../memory/presence.ts";
import { quotaOf, reportQuota } from "../queries/new-chat-quota.ts";
import type { SessionContext } from "../session/session-context.ts";
import { initialSync, historySet, historyStatus } from "./history-sync.ts";
import { channelNotification, channelParticipants, channelSettings } from "./channels.ts";
import { chatsDelete, chatsUpdate, chatState, presence } from "./chats.ts";
import { blocklistUpdate, contactsUpdate, contactsUpsert } from "./contacts.ts";
import { groupNotification, groupPicture } from "./group-notifications.ts";
import { messagesUpsert } from "./messages.ts";
import { nameViewOnce, resumePlaceholders } from "./undecryptable-messages.ts";
import { receipt } from "./receipts.ts";
import { perSession } from "../session/per-session.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { asChatId, personChat } from "../addressing/jids.ts";
import { ringingCallsOf } from "../memory/ringing-calls.ts";

type CallStatus = Extract<NetworkEvent, { type: "call" }>["status"];

const STATUSES: Partial<Record<WACallEvent["status"], CallStatus>> = {
  offer: "received",
  accept: "accepted",
  reject: "rejected",
  timeout: "ended",
  terminate: "ended",
};

function call(ctx: SessionContext, { id, chatId, from, callerPn, groupJid, isVideo, status: networkStatus, date }: WACallEvent): void {
  const status = STATUSES[networkStatus];
  if (status === undefined || !id) return;
  const calls = ringingCallsOf(ctx.session);
  const person = lidMappingOf(ctx.session).person(from || chatId, callerPn);
  if (person === null) return;
  if (status === "received") calls.add(id, { from, at: ctx.now() });
  else calls.remove(id);
  // Calls rejected through the API are not reported as events (docs/use/connection-api.md, "Changes").
  if (status !== "received" && calls.wasRejectedHere(id)) return;
  const group = groupJid === undefined ? null : asChatId(groupJid);
  ctx.emit([
    {
      key: DEDUPE.call(id, status),
      event: {
        type: "call",
        call_id: id,
        chat_id: group ?? personChat(person),
        from: person,
        is_video: isVideo === true,
        is_group: group !== null,
        status,
        timestamp: Math.floor(date.getTime() / 1000),
      },
    },
  ]);
}

function labelEdit(ctx: SessionContext, { id, name, color, deleted, predefinedId }: BaileysEventMap["labels.edit"]): void {
  const timestamp = Math.floor(ctx.now() / 1000);
  if (deleted) return ctx.emit([{ key: null, event: { type: "label.deleted", label_id: id, timestamp } }]);
  const event = {
    type: "label.updated" as const,
    label_id: id,
    name: name ?? "",
    color: color ?? 0,
    predefined: predefinedId !== undefined,
    timestamp,
  };
  ctx.emit([{ key: null, event }]);
}

function labelAssociation(ctx: SessionContext, { association, type }: BaileysEventMap["labels.association"]): void {
  const chat: ChatId | null = chatIdOf(ctx, association.chatId);
  if (chat === null) return;
  const timestamp = Math.floor(ctx.now() / 1000);
  const labelled = { label_id: association.labelId, chat_id: chat, labelled: type === "add", timestamp };
  ctx.emit([
    {
      key: null,
      event:
        "messageId" in association
          ? { type: "label.message", message_id: association.messageId, ...labelled }
          : { type: "label.chat", ...labelled },
    },
  ]);
}

const profileOf = perSession(() => ({ name: "" }));

function credsUpdate(ctx: SessionContext, { me }: BaileysEventMap["creds.update"]): void {
  const name = me?.name;
  const known = profileOf(ctx.session);
  // "~" is Baileys' placeholder for an unknown name (pairing by code).
  if (!name || name === "~" || name === known.name) return;
  known.name = name;
  ctx.emit([{ key: null, event: { type: "profile.updated", name } }]);
}

/** The library caches the privacy settings that control read receipts, and misses changes made on another device. */
function accountSync({ sock, logger }: SessionContext, notification: BinaryNode): void {
  if (getBinaryNodeChild(notification, "privacy") === undefined) return;
  sock.fetchPrivacySettings(true).catch((error: unknown) => logger.info(errorFacts(error), "privacy.unread"));
}

type Listeners = { [E in keyof BaileysEventMap]?: (ctx: SessionContext, data: BaileysEventMap[E]) => void };

/** Library events. Those missing here are internal to the library, or are derived from a more detailed stanza below. */
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
  "message-capping.update": (ctx, info) => reportQuota(ctx, quotaOf(info)),
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

/** Raw stanzas that contain more than the library's events. Subscribe by plain tag to any stanza that may be replayed. */
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

/** Handles library events one by one. The library's buffer merges close events and discards them when the socket ends. */
export function listen(ctx: SessionContext): () => void {
  identityOf(ctx.session).readFrom(ctx.auth);
  followLidMappings(ctx);
  resumePlaceholders(ctx.session);
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
function guarded(ctx: SessionContext, what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    ctx.logger.error({ ...errorFacts(error), what }, "inbound.failed");
    ctx.metrics.troubled("stanza", "inbound", ctx.connection);
  }
}

/** Takes over the mappings that the library learns from device lists, envelopes and migrations. */
function followLidMappings({ sock, session }: SessionContext): void {
  const { lidMapping } = sock.signalRepository;
  const lids = lidMappingOf(session);
  const store = lidMapping.storeLIDPNMappings.bind(lidMapping);
  lidMapping.storeLIDPNMappings = (pairs) => {
    const [own, others] = [lids.own(), pairs];
    for (const { lid, pn } of others) lids.learn(lid, pn);
    // A copy of our own message may list our number as the recipient's. That pair would be stored permanently.
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
