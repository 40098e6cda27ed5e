// History syncs deliver chats from before the pairing. Every event is marked as history and triggers no webhook.
import { setImmediate as nextTurn } from "node:timers/promises";
import { proto, type BaileysEventMap, type Chat, type WAMessage } from "baileys";
import type { KeyedEvent, NetworkEvent } from "@gateway/protocol/events.ts";
import { chatKind } from "@gateway/protocol/ids.ts";
import { networkMessage, sourceOf } from "../content/network-message.ts";
import { viewOf } from "../content/view.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { disappearingTimersOf } from "../memory/disappearing-timers.ts";
import { chatIdOf, lidMappingOf } from "../addressing/lid-mapping.ts";
import { historyWaitsOf } from "../memory/history-waits.ts";
import { messageSecretsOf } from "../memory/message-secrets.ts";
import { pollsOf } from "../memory/polls.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";
import { historyChat } from "./chats.ts";
import { historyContact } from "./contacts.ts";

const SLICE_SIZE = 200;

const { HistorySyncType } = proto.HistorySync;

const CHUNKED = new Set<unknown>([HistorySyncType.RECENT, HistorySyncType.FULL]);

type HistorySet = BaileysEventMap["messaging-history.set"];

/** Chunks are stored concurrently, so the last one may be stored before earlier ones. */
type ChunkedSync = { storing: number; lastAnnounced: boolean; lastCame: boolean };

const syncsOf = perSession(() => new Map<unknown, ChunkedSync>());

function chunkedSync(ctx: SessionContext, syncType: unknown): ChunkedSync | null {
  if (!CHUNKED.has(syncType)) return null;
  const syncs = syncsOf(ctx.session);
  const sync = syncs.get(syncType) ?? { storing: 0, lastAnnounced: false, lastCame: false };
  syncs.set(syncType, sync);
  return sync;
}

export function historySet(ctx: SessionContext, set: HistorySet): void {
  const lids = lidMappingOf(ctx.session);
  for (const { lid, pn } of set.lidPnMappings ?? []) lids.learn(lid, pn, true);
  const sync = chunkedSync(ctx, set.syncType);
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
  const sync = chunkedSync(ctx, syncType);
  if (sync !== null && status === "complete") sync.lastAnnounced = true;
  else emitState(ctx, status, status === "complete" ? 100 : null);
}

async function store(ctx: SessionContext, set: HistorySet, sync: ChunkedSync | null): Promise<void> {
  try {
    await emitInSlices(ctx, set);
  } finally {
    if (sync !== null) sync.storing -= 1;
  }
  if (set.syncType === HistorySyncType.ON_DEMAND) emitState(ctx, "complete", 100);
  if (sync === null) return;
  if (!sync.lastCame) {
    if (typeof set.progress === "number") emitState(ctx, "running", set.progress);
  } else if (sync.storing === 0) emitState(ctx, "complete", 100);
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

function emitState(ctx: SessionContext, state: Extract<NetworkEvent, { type: "session.history" }>["state"], progress: number | null): void {
  ctx.emit([{ key: null, event: { type: "session.history", state, progress, timestamp: Math.floor(ctx.now() / 1000) } }]);
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
    if (view.poll) pollsOf(ctx.session).store(ctx.rows, id, source.sender, message.message, secret);
    const editable = { chatId: source.chatId, id, type: view.type, timestamp, raw: message.message };
    messageSecretsOf(ctx.session).store(ctx.rows, editable, ctx.now(), secret ?? undefined);
  }
  return {
    key: DEDUPE.message(source.chatId, source.fromMe, stored.message_id),
    event: { type: "message.upsert", origin: "history", message: stored },
  };
}
