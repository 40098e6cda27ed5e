// Channel operations. The bridge reports each change before it responds to the command, so the store is up to date by then.
import type { NetworkChannel } from "@gateway/protocol/channels.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import type { ChannelRecord } from "@gateway/protocol/records.ts";
import type { HandlersOf } from "../handlers.ts";
import type { NetworkClient } from "../session/network-client.ts";
import { firstOf } from "../store/pagination.ts";
import type { Stores } from "../store/stores.ts";

type ChannelOperation =
  | "channels.list"
  | "channels.create"
  | "channels.get"
  | "channels.change"
  | "channels.remove"
  | "channels.follow"
  | "channels.mute"
  | "channels.messages"
  | "channels.react";
type Key = OperationInput<"channels.get">;

const NOT_FOUND = fail("channel_not_found");

export function channelHandlers(network: NetworkClient, stores: Stores): HandlersOf<ChannelOperation> {
  return {
    "channels.list": ({ role, limit }) => succeed({ items: stores.channels.list(role, limit) }),

    "channels.create": async ({ name, description, picture }) => {
      const created = await network.command("channels.create", { name, description });
      if (!created.ok) return created;
      const { channel_id } = created.value;
      // The channel exists even if its picture could not be set, so that failure is ignored and the result shows the actual channel.
      if (picture !== null) await network.command("channels.update", { channel_id, picture });
      const read = picture === null ? null : await readChannel(network, stores, { channel_id, invite: null });
      return read?.ok === true ? read : succeed(stores.channels.get(channel_id) ?? channelRecordOf(created.value, null));
    },

    "channels.get": (key) => readChannel(network, stores, key),

    "channels.change": async ({ channel_id, name, description, picture }) => {
      const change = {
        channel_id,
        ...(name !== null && { name }),
        ...(description !== null && { description }),
        ...(picture !== null && { picture }),
      };
      const changed = await network.command("channels.update", change);
      return changed.ok ? readChannel(network, stores, { channel_id, invite: null }) : changed;
    },

    "channels.remove": (input) => network.command("channels.remove", input),
    "channels.follow": (input) => network.command("channels.follow", input),
    "channels.mute": (input) => network.command("channels.mute", input),

    "channels.messages": async (input) => {
      const result = await network.command("channels.messages", input);
      if (!result.ok) return result;
      const items = firstOf(result.value.items, input.limit).shown.map((item) => ({
        ...item,
        media: storedMedia(stores, input.channel_id, item),
      }));
      return succeed({ items });
    },

    "channels.react": (input) => network.command("channels.react", input),
  };
}

/** Reads the channel from the network, or from the store while the network is unreachable. */
async function readChannel(network: NetworkClient, stores: Stores, key: Key): Promise<Outcome<ChannelRecord>> {
  const result = await network.command("channels.get", key);
  const known = key.channel_id === null ? null : stores.channels.get(key.channel_id);
  if (!result.ok) {
    if (result.failure.code !== "channel_not_found") return known === null ? result : succeed(known);
    if (key.channel_id !== null) stores.channels.remove(key.channel_id);
    return NOT_FOUND;
  }
  const { channel, picture } = result.value;
  const record = channelRecordOf(channel, picture?.media ?? null);
  if (channel.role !== "guest" || stores.channels.get(channel.channel_id) !== null) storeChannel(stores, channel, record.picture);
  return succeed(record);
}

function storeChannel(stores: Stores, channel: NetworkChannel, picture: StoredMedia | null): void {
  stores.channels.change(channel);
  stores.channels.setPicture(channel.channel_id, picture);
  stores.chats.rename(channel.channel_id, channel.name);
  stores.chats.setPicture(channel.channel_id, picture);
}

/** The network's response has no link to the file. The store has one if the post arrived as a message or this number sent it. */
function storedMedia(
  stores: Stores,
  channelId: ChatId,
  { message_id, media }: { message_id: string; media: StoredMedia | null },
): StoredMedia | null {
  return media === null ? null : (stores.messageQueries.get(message_id, channelId)?.media ?? media);
}

function channelRecordOf({ created_at, ...facts }: NetworkChannel, picture: StoredMedia | null): ChannelRecord {
  return { ...facts, picture, created_at: created_at === null ? null : created_at * 1000 };
}
