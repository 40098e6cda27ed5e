import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import { jidOfChat } from "../addressing/jids.ts";
import { historyWaitsOf } from "../memory/history-waits.ts";
import { keyInChat, rangeOf } from "../memory/message-secrets.ts";
import { resolveRecipient } from "../addressing/recipient.ts";
import type { SessionContext } from "../session/session-context.ts";
import { changeAppState } from "./app-state.ts";
import type { CommandHandlers } from "./command-handlers.ts";
import { fail } from "@gateway/protocol/failures.ts";
import { errorFacts } from "#bridge/log.ts";
import { type ChatState, sendChatState } from "../queries/network-query.ts";
import { perSession } from "../session/per-session.ts";

class Typing {
  readonly #ends = new Map<string, NodeJS.Timeout>();

  /** Sends the state now, and "paused" after `durationMs`. If `durationMs` is 0, the caller sends "paused" itself. */
  async show(ctx: SessionContext, jid: string, state: ChatState, durationMs: number): Promise<void> {
    clearTimeout(this.#ends.get(jid));
    this.#ends.delete(jid);
    await sendChatState(ctx, jid, state);
    if (state === "paused" || durationMs === 0) return;
    const end = setTimeout(() => {
      this.#ends.delete(jid);
      sendChatState(ctx, jid, "paused").catch((error: unknown) => ctx.logger.debug(errorFacts(error), "typing.not_ended"));
    }, durationMs);
    this.#ends.set(jid, end.unref());
  }
}

const typingOf = perSession(() => new Typing());

type ReportedEvent = Extract<NetworkEvent, { type: "chat.updated" | "chat.deleted" }>;

/** Mutes permanently. The library interprets any other value as Unix milliseconds. */
const FOR_EVER = -1;

const MAX_KEYS_PER_RECEIPT = 250;

export const chatCommands: CommandHandlers<"chats"> = {
  "chats.archive": (ctx, { chat_id, archived, range }) =>
    changeChat(ctx, chat_id, { archive: archived, lastMessages: rangeOf(ctx.session, range) }, { type: "chat.updated", chat_id, archived }),

  "chats.pin": (ctx, { chat_id, pinned }) => changeChat(ctx, chat_id, { pin: pinned }, { type: "chat.updated", chat_id, pinned }),

  "chats.mute": (ctx, { chat_id, until }) => {
    const mute = until === null ? null : until === FOR_EVER ? FOR_EVER : until * 1000;
    return changeChat(ctx, chat_id, { mute }, { type: "chat.updated", chat_id, muted_until: until });
  },

  "chats.seen": async (ctx, { chat_id, unread, range }) => {
    const keys = unread.map((ref) => keyInChat(ctx.session, ref)).filter((key) => key !== null);
    for (let at = 0; at < keys.length; at += MAX_KEYS_PER_RECEIPT) await ctx.sock.readMessages(keys.slice(at, at + MAX_KEYS_PER_RECEIPT));
    const read = { markRead: true, lastMessages: rangeOf(ctx.session, range) };
    return changeChat(ctx, chat_id, read, { type: "chat.updated", chat_id, unread_count: 0, marked_unread: false });
  },

  "chats.unread": (ctx, { chat_id, range }) =>
    changeChat(
      ctx,
      chat_id,
      { markRead: false, lastMessages: rangeOf(ctx.session, range) },
      { type: "chat.updated", chat_id, marked_unread: true },
    ),

  "chats.delete": (ctx, { chat_id, range }) =>
    changeChat(ctx, chat_id, { delete: true, lastMessages: rangeOf(ctx.session, range) }, { type: "chat.deleted", chat_id }),

  "chats.history": async (ctx, { ref, timestamp, count }) => {
    const key = keyInChat(ctx.session, ref);
    if (key === null) return fail("chat_not_found");
    const waits = historyWaitsOf(ctx.session);
    // The phone may answer before the network acknowledges the request.
    waits.begin("asked");
    try {
      await ctx.sock.fetchMessageHistory(count, key, timestamp * 1000);
    } catch (error) {
      waits.came("asked");
      throw error;
    }
    return { ok: true, value: {} };
  },

  "chats.typing": async (ctx, { chat_id, state, duration_ms }) => {
    const found = await resolveRecipient(ctx, chat_id);
    if (!found.ok) return found;
    await typingOf(ctx.session).show(ctx, found.value.lidJid ?? found.value.jid, state, duration_ms);
    return { ok: true, value: {} };
  },
};

async function changeChat(
  ctx: SessionContext,
  chatId: ChatId,
  change: Parameters<typeof changeAppState>[1],
  event: ReportedEvent,
): ReturnType<typeof changeAppState> {
  const changed = await changeAppState(ctx, change, jidOfChat(chatId));
  if (changed.ok) ctx.emit([{ key: null, event }]);
  return changed;
}

// Labels of a business account. The network cannot list them and does not echo our changes.
const COLLECTION = "regular";

export const labelCommands: CommandHandlers<"labels"> = {
  "labels.put": async (ctx, { label_id, name, color, predefined }) => {
    const changed = await changeAppState(ctx, { addLabel: { id: label_id, name, color } }, "");
    if (changed.ok) report(ctx, { type: "label.updated", label_id, name, color, predefined, timestamp: seconds(ctx) });
    return changed;
  },

  "labels.remove": async (ctx, { label_id, name, color }) => {
    const changed = await changeAppState(ctx, { addLabel: { id: label_id, name, color, deleted: true } }, "");
    if (changed.ok) report(ctx, { type: "label.deleted", label_id, timestamp: seconds(ctx) });
    return changed;
  },

  "labels.chat": async (ctx, { chat_id, add, remove }) => {
    const found = await resolveRecipient(ctx, chat_id);
    if (!found.ok) return found.failure.code === "number_not_on_network" ? fail("chat_not_found") : found;
    const { jid, lidJid, chatId } = found.value;
    // Phones show a label only under the chat's current address, so the label is removed under both addresses.
    const names = lidJid === null ? [jid] : [lidJid, jid];
    const changes = [
      ...add.map((labelId) => ({ labelId, labelled: true, under: names.slice(0, 1) })),
      ...remove.map((labelId) => ({ labelId, labelled: false, under: names })),
    ];
    for (const { labelId, labelled, under } of changes) {
      for (const name of under) {
        const changed = await changeAppState(ctx, labelled ? { addChatLabel: { labelId } } : { removeChatLabel: { labelId } }, name);
        if (!changed.ok) return changed;
      }
      report(ctx, { type: "label.chat", label_id: labelId, chat_id: chatId, labelled, timestamp: seconds(ctx) });
    }
    return { ok: true, value: { chat_id: chatId } };
  },

  "labels.message": async (ctx, { chat_id, message_id, label_id, labelled }) => {
    const target = { messageId: message_id, labelId: label_id };
    const change = labelled ? { addMessageLabel: target } : { removeMessageLabel: target };
    const changed = await changeAppState(ctx, change, jidOfChat(chat_id));
    if (changed.ok) report(ctx, { type: "label.message", label_id, chat_id, message_id, labelled, timestamp: seconds(ctx) });
    return changed;
  },

  "labels.resync": async (ctx) => {
    await ctx.sock.resyncAppState([COLLECTION], false);
    return { ok: true, value: {} };
  },
};

function report(ctx: SessionContext, event: NetworkEvent): void {
  ctx.emit([{ key: null, event }]);
}

function seconds(ctx: SessionContext): number {
  return Math.floor(ctx.now() / 1000);
}
