// Chat operations. The bridge reports each change before it responds to the command, so the store is up to date by then.
import { LIMITS } from "@gateway/domain/limits.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import type { OperationName } from "@gateway/protocol/operations.ts";
import type { ChatRecord } from "@gateway/protocol/records.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";
import type { HandlersOf } from "../handlers.ts";

type EmptyOutcome = Outcome<Record<string, never>>;

const FOREVER = -1;
/** Maximum number of messages for which read receipts are sent. The chat is always marked as read. */
const MAX_RECEIPTS = 1_000;

export function chatHandlers(network: NetworkClient, stores: Stores): HandlersOf<Extract<OperationName, `chats.${string}`>> {
  const pins = new Pins(stores);
  const inChat = <T>(chatId: ChatId, work: (chat: ChatRecord) => T): T | Outcome<never> => {
    const chat = stores.chatQueries.get(chatId);
    return chat === null ? fail("chat_not_found") : work(chat);
  };
  const range = (chatId: ChatId) => ({ chat_id: chatId, range: stores.messages.range(chatId) });

  return {
    "chats.list": (input) => {
      const page = stores.chatQueries.list(input);
      return page.ok ? succeed({ ...page.value, items: page.value.items.map((chat) => withExpiredMute(chat, Date.now())) }) : page;
    },

    "chats.get": ({ chat_id }) => {
      const chat = stores.chatQueries.get(chat_id);
      return chat === null ? fail("chat_not_found") : succeed(withExpiredMute(chat, Date.now()));
    },

    "chats.delete": (input) => inChat(input.chat_id, ({ chat_id }) => network.command("chats.delete", range(chat_id))),

    "chats.seen": ({ chat_id }) => markSeen(network, stores, chat_id),

    "chats.unread": (input) => inChat(input.chat_id, ({ chat_id }) => network.command("chats.unread", range(chat_id))),

    "chats.archive": (input) =>
      inChat(input.chat_id, ({ chat_id }) => network.command("chats.archive", { ...range(chat_id), archived: input.archived })),

    "chats.pin": (input) =>
      inChat(input.chat_id, ({ chat_id }) =>
        pins.change(chat_id, input.pinned, () => network.command("chats.pin", { chat_id, pinned: input.pinned })),
      ),

    "chats.mute": (input) =>
      inChat(input.chat_id, ({ chat_id }) => {
        const until = input.seconds === null ? FOREVER : Math.floor(Date.now() / 1000) + input.seconds;
        return network.command("chats.mute", { chat_id, until: input.muted ? until : null });
      }),

    "chats.typing": (input) => network.command("chats.typing", { ...input, chat_id: stores.lids.chat(input.chat_id) }),
  };
}

/** Marks all messages of the chat as read, both on the owner's devices and for the senders. */
export async function markSeen(network: NetworkClient, stores: Stores, chatId: ChatId): Promise<EmptyOutcome> {
  const chat = stores.chatQueries.get(chatId);
  if (chat === null) return fail("chat_not_found");
  const { chat_id, unread_count } = chat;
  const unread = stores.messages.lastReceived(chat_id, Math.min(unread_count, MAX_RECEIPTS)).map(({ ref }) => ref);
  return network.command("chats.seen", { chat_id, range: stores.messages.range(chat_id), unread });
}

/** Enforces the limit of three pinned chats, because the network leaves that to clients. */
class Pins {
  readonly #stores: Stores;
  /** Chats that are being pinned now. They are counted too, because concurrent calls could otherwise exceed the limit. */
  readonly #underWay = new Set<ChatId>();

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  async change(chatId: ChatId, pinned: boolean, carryOut: () => Promise<EmptyOutcome>): Promise<EmptyOutcome> {
    if (!pinned) return carryOut();
    const others = [...this.#underWay].filter((other) => other !== chatId && !this.#isPinned(other)).length;
    if (this.#stores.chats.pinnedCountExcept(chatId) + others >= LIMITS.pinnedChats) return fail("pin_limit");
    this.#underWay.add(chatId);
    try {
      return await carryOut();
    } finally {
      this.#underWay.delete(chatId);
    }
  }

  #isPinned(chatId: ChatId): boolean {
    return this.#stores.chatQueries.get(chatId)?.pinned === true;
  }
}

function withExpiredMute(chat: ChatRecord, now: number): ChatRecord {
  const { muted_until: until } = chat;
  return until === null || until === FOREVER || until * 1000 > now ? chat : { ...chat, muted_until: null };
}

/** If the request names no chat, history is requested for this many recent chats. */
const MAX_CHATS = 10;

export function historyHandlers(network: NetworkClient, stores: Stores): HandlersOf<"instance.history" | "instance.sync_history"> {
  return {
    "instance.history": () => succeed(stores.historySync.status()),

    /** Requests, for each chat, messages older than the oldest stored one. */
    "instance.sync_history": async ({ chat_id, count }) => {
      const chats = chat_id === null ? stores.chats.mostRecent(MAX_CHATS) : [stores.lids.chat(chat_id)];
      const requests = chats.flatMap((chat) => {
        const oldest = stores.messages.oldest(chat);
        return oldest === null ? [] : [{ chat_id: chat, count, ...oldest }];
      });
      if (requests.length === 0) return fail("chat_not_found");
      const before = stores.historySync.progress();
      // Recorded first, because the phone's messages may arrive before the bridge's response.
      stores.historySync.record({ state: "running", progress: null });
      for (const [made, request] of requests.entries()) {
        const result = await network.command("chats.history", request);
        if (result.ok) continue;
        if (made === 0) stores.historySync.record(before);
        return result;
      }
      return succeed({});
    },
  };
}
