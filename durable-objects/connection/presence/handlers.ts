import { currentPresence } from "@gateway/domain/chats/presence.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import type { OperationName } from "@gateway/protocol/operations.ts";
import type { Instance } from "../instance/instance.ts";
import type { Identity } from "../instance/identity.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";
import type { HandlersOf } from "../handlers.ts";

const FIRST_REPORT_WAIT_MS = 1_500;

export function presenceHandlers(
  network: NetworkClient,
  stores: Stores,
  instance: Instance,
  identity: Identity,
): HandlersOf<Extract<OperationName, `presence.${string}`>> {
  const isConnected = (): boolean => instance.state.status === "connected";
  return {
    "presence.get": async (input) => {
      const subscribed = await subscribe(network, stores, input.chat_id, FIRST_REPORT_WAIT_MS);
      if (!subscribed.ok) return subscribed;
      return succeed(currentPresence(stores.presences.get(subscribed.value), isConnected(), Date.now()));
    },

    "presence.subscribe": async (input) => {
      const chatId = stores.lids.chat(input.chat_id);
      // The network may have refused to restore the subscription in this session, so it is asked again.
      if (stores.presences.isSubscribed(chatId) && isConnected()) {
        const again = await network.command("presence.subscribe", { chat_ids: [chatId], wait_ms: 0 });
        return again.ok ? succeed({}) : again;
      }
      const subscribed = await subscribe(network, stores, input.chat_id, 0);
      return subscribed.ok ? succeed({}) : subscribed;
    },

    "presence.unsubscribe": async (input) => {
      const chatId = stores.lids.chat(input.chat_id);
      if (!stores.presences.isSubscribed(chatId)) return succeed({});
      stores.presences.unsubscribe(chatId);
      // The result is ignored, because the store drops later reports anyway.
      if (isConnected()) await network.command("presence.unsubscribe", { chat_id: chatId });
      return succeed({});
    },

    "presence.set": async ({ presence }) => {
      // The network ignores a presence without the profile name, so this fails (docs/internals/baileys.md, "Defects of the libraries").
      if (isConnected() && instance.state.profileName === null) return fail("profile_name_unknown");
      const set = await network.command("presence.set", { presence });
      if (set.ok) stores.presences.setOwn(presence);
      return set;
    },

    "presence.own": () => {
      const own = stores.presences.own() ?? (identity.settings.always_online ? "online" : "offline");
      return succeed({ presence: isConnected() ? own : "offline", subscriptions: stores.presences.subscriptions() });
    },
  };
}

/** Stores the subscription before asking the network, so that the first report is accepted. */
async function subscribe(network: NetworkClient, stores: Stores, requested: ChatId, waitMs: number): Promise<Outcome<ChatId>> {
  const chatId = stores.lids.chat(requested);
  if (stores.presences.isSubscribed(chatId)) return succeed(chatId);
  if (stores.presences.subscribe(chatId) === "full") return fail("subscription_limit");
  const result = await network.command("presence.subscribe", { chat_ids: [chatId], wait_ms: waitMs });
  const resolved = result.ok ? (result.value.chat_ids[0] ?? null) : null;
  if (resolved === chatId) return succeed(chatId);
  stores.presences.unsubscribe(chatId);
  if (!result.ok) return result;
  if (resolved === null) return fail("number_not_on_network");
  return stores.presences.subscribe(resolved) === "full" ? fail("subscription_limit") : succeed(resolved);
}
