// History syncs deliver chats from before the pairing. Every event is marked as history and triggers no webhook.
import { setImmediate as nextTurn } from "node:timers/promises";
import { proto, type BaileysEventMap, type Chat, type WAMessage } from "baileys";
import type { KeyedEvent, NetworkEvent } from "@gateway/protocol/events.ts";
import { chatKind } from "@gateway/protocol/ids.ts";
import type { Unfinished } from "../durability/journal.ts";
import { networkMessage, sourceOf } from "../content/network-message.ts";
import { viewOf } from "../content/view.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { disappearingTimersOf } from "../memory/disappearing-timers.ts";
import { chatIdOf, lidMappingOf } from "../addressing/lid-mapping.ts";
import { historyChunksOf } from "../memory/history-chunks.ts";
import { historyWaitsOf } from "../memory/history-waits.ts";
import { messageSecretsOf } from "../memory/message-secrets.ts";
import { pollsOf } from "../memory/polls.ts";
import { perSession } from "../session/per-session.ts";
import type { NetworkSession, SessionContext } from "../session/session-context.ts";
import { historyChat } from "./chats.ts";
import { historyContact } from "./contacts.ts";

const SLICE_SIZE = 200;

const { HistorySyncType } = proto.HistorySync;

/** Set while the end of the history is withheld because a chunk is missing. Deleted with the credentials. */
const WITHHELD_ROW = "bridge|history-withheld";

const CHUNKED = new Set<unknown>([HistorySyncType.RECENT, HistorySyncType.FULL]);

type HistorySet = BaileysEventMap["messaging-history.set"];

/** Chunks are stored concurrently, so the last one may be stored before earlier ones. */
type ChunkedSync = { storing: number; lastAnnounced: boolean; lastCame: boolean };

const syncsOf = perSession(() => new Map<unknown, ChunkedSync>());

function chunkedSync(session: NetworkSession, syncType: unknown): ChunkedSync | null {
  if (!CHUNKED.has(syncType)) return null;
  const syncs = syncsOf(session);
  const sync = syncs.get(syncType) ?? { storing: 0, lastAnnounced: false, lastCame: false };
  syncs.set(syncType, sync);
  return sync;
}

export function historySet(ctx: SessionContext, set: HistorySet): void {
  const lids = lidMappingOf(ctx.session);
  for (const { lid, pn } of set.lidPnMappings ?? []) lids.learn(lid, pn, true);
  const sync = chunkedSync(ctx.session, set.syncType);
  if (sync !== null) {
    sync.storing += 1;
    // If chunks report no progress, the sync's end is known only from the announcement.
    if (set.progress === 100 || (sync.lastAnnounced && typeof set.progress !== "number")) sync.lastCame = true;
  }
  takeWait(ctx, set, sync);
  ctx.task(() => store(ctx, set, sync));
}

/** Every chunk except the last starts the timer for the next one. */
function takeWait(ctx: SessionContext, { syncType, progress }: HistorySet, sync: ChunkedSync | null): void {
  const waits = historyWaitsOf(ctx.session);
  if (syncType === HistorySyncType.ON_DEMAND) waits.came("asked");
  else if (sync !== null && !sync.lastCame && typeof progress === "number") waits.begin("initial");
  else if (sync !== null || syncType === HistorySyncType.INITIAL_BOOTSTRAP) waits.came("initial");
}

/** The library reports "complete" as soon as the last chunk is announced. The state is emitted only once all chunks are stored. */
export function historyStatus(ctx: SessionContext, { syncType, status }: BaileysEventMap["messaging-history.status"]): void {
  if (syncType === HistorySyncType.INITIAL_BOOTSTRAP) return;
  const sync = chunkedSync(ctx.session, syncType);
  if (sync !== null && status === "complete") sync.lastAnnounced = true;
  else emitState(ctx.session, status, status === "complete" ? 100 : null);
}

async function store(ctx: SessionContext, set: HistorySet, sync: ChunkedSync | null): Promise<void> {
  try {
    await emitInSlices(ctx, set);
  } finally {
    if (sync !== null) sync.storing -= 1;
  }
  const { session } = ctx;
  if (set.syncType === HistorySyncType.ON_DEMAND) emitState(session, "complete", 100);
  if (hasEnded(session, sync)) complete(session);
  else if (sync !== null && !sync.lastCame && typeof set.progress === "number") emitState(session, "running", set.progress);
}

/** Keeps the stanza of a chunk until the chunk has arrived. */
export function unfinishedHistory(session: () => NetworkSession): Unfinished {
  return {
    isKept: ({ attrs }) => attrs["id"] !== undefined && historyChunksOf(session()).isMissing(attrs["id"]),
    keeps: ({ tag, attrs }) => tag === "message" && attrs["id"] !== undefined && isUnfinished(session(), attrs["id"]),
  };
}

function isUnfinished(session: NetworkSession, id: string): boolean {
  const ended = historyChunksOf(session).ended(id);
  if (typeof ended === "string") return ended === "missing";
  const sync = chunkedSync(session, ended.sync_type);
  if (sync !== null && ended.progress === 100) sync.lastCame = true;
  if (hasEnded(session, sync)) complete(session);
  return false;
}

function hasEnded(session: NetworkSession, sync: ChunkedSync | null): boolean {
  if (sync?.lastCame === true) return sync.storing === 0;
  const isLate = session.rows.get(WITHHELD_ROW) !== undefined && !historyChunksOf(session).anyMissing();
  return isLate && [...syncsOf(session).values()].every(({ storing }) => storing === 0);
}

function complete(session: NetworkSession): void {
  const { rows } = session;
  if (historyChunksOf(session).anyMissing()) {
    rows.put(WITHHELD_ROW, "1");
    historyWaitsOf(session).begin("initial");
    return;
  }
  if (rows.get(WITHHELD_ROW) !== undefined) rows.put(WITHHELD_ROW, null);
  historyWaitsOf(session).came("initial");
  emitState(session, "complete", 100);
}

async function emitInSlices(ctx: SessionContext, { chats, contacts, messages }: HistorySet): Promise<void> {
  const builders = [
    ...contacts.map((contact) => () => historyContact(ctx, contact)),
    ...chats.map((chat) => () => chatEvent(ctx, chat)),
    ...messages.map((message) => () => messageEvent(ctx, message)),
  ];
  for (let at = 0; at < builders.length; at += SLICE_SIZE) {
    if (at > 0) await nextTurn();
    const events = builders
      .slice(at, at + SLICE_SIZE)
      .map((make) => make())
      .filter((event) => event !== null);
    if (events.length > 0) ctx.emit(events);
  }
}

function emitState(
  session: NetworkSession,
  state: Extract<NetworkEvent, { type: "session.history" }>["state"],
  progress: number | null,
): void {
  session.emit([{ key: null, event: { type: "session.history", state, progress, timestamp: Math.floor(session.now() / 1000) } }]);
}

function chatEvent(ctx: SessionContext, chat: Chat): KeyedEvent | null {
  const chatId = chatIdOf(ctx, chat.id);
  if (chatId === null) return null;
  if (chatId.endsWith("@newsletter")) {
    return ctx.settings.ignore_channels
      ? null
      : { key: null, event: { type: "channel.updated", channel_id: chatId, ...(chat.name && { name: chat.name }) } };
  }
  if (chatId.endsWith("@g.us") && ctx.settings.ignore_groups) return null;
  if (chat.ephemeralExpiration && chatKind(chatId) === "direct") disappearingTimersOf(ctx.session).set(chatId, chat.ephemeralExpiration);
  return { key: null, event: { type: "chat.updated", chat_id: chatId, ...historyChat(chat) } };
}

function messageEvent(ctx: SessionContext, message: WAMessage): KeyedEvent | null {
  const lids = lidMappingOf(ctx.session);
  const view = viewOf(message.message);
  const source = view && message.key?.id ? sourceOf(message, lids) : null;
  if (view === null || source === null) return null;
  if (source.chatId === "status@broadcast" || (source.chatId.endsWith("@g.us") && ctx.settings.ignore_groups)) return null;
  const stored = networkMessage(message, view, source, lids);
  if (message.message) {
    const { message_id: id, timestamp } = stored;
    const secret = message.message.messageContextInfo?.messageSecret ?? message.messageSecret;
    if (view.poll) pollsOf(ctx.session).store(ctx.rows, id, source, message.message, secret);
    const editable = { chatId: source.chatId, id, type: view.type, timestamp, raw: message.message };
    messageSecretsOf(ctx.session).store(ctx.rows, editable, ctx.now(), secret ?? undefined);
  }
  return {
    key: DEDUPE.message(source.chatId, source.fromMe, stored.message_id),
    event: { type: "message.upsert", origin: "history", message: stored },
  };
}
