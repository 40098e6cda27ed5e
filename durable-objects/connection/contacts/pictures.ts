// Profile pictures, read from the network and stored for lists of people and chats.
import { succeed } from "@gateway/protocol/failures.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { type ChatId, chatKind } from "@gateway/protocol/ids.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { Stores } from "../store/stores.ts";
import type { HandlersOf } from "../handlers.ts";
import type { NetworkClient } from "../session/network-client.ts";

export function pictureOperations(network: NetworkClient, stores: Stores): HandlersOf<"pictures.get"> {
  return {
    "pictures.get": async (input) => {
      const answer = await network.command("pictures.get", input);
      if (!answer.ok) {
        if (answer.failure.code === "picture_not_found") storePicture(stores, input.chat_id, null);
        return answer;
      }
      const { media, stored_at } = answer.value;
      storePicture(stores, input.chat_id, media);
      return succeed({ media, expires_at: stored_at + LIMITS.mediaRetentionMs });
    },
  };
}

function storePicture(stores: Stores, chatId: ChatId, picture: StoredMedia | null): void {
  const kind = chatKind(chatId);
  if (kind === "direct") stores.contacts.setPicture(chatId, picture);
  else stores.chats.setPicture(chatId, picture);
  if (kind === "channel") stores.channels.setPicture(chatId, picture);
}
