// What the operations on messages stand on.
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import type { ChatId } from "../../../../src/protocol/ids.ts";
import type { MediaFacts } from "../../../../src/services/media/open.ts";
import type { Outbox } from "../../outbox/outbox.ts";
import type { Pacing } from "../../outbox/pacing.ts";
import type { Instance } from "../../session/instance.ts";
import type { NetworkClient } from "../../session/network-client.ts";
import type { StoredMessage } from "../../store/messages/stored-message.ts";
import type { Stores } from "../../store/stores.ts";

export type MessageDependencies = {
  network: NetworkClient;
  outbox: Outbox;
  pacing: Pacing;
  stores: Stores;
  instance: Instance;
  /** What is kept under a media token; null when it is gone. */
  lookUpMedia: (token: string) => Promise<MediaFacts | null>;
};

/** The message that an action is about. Of one that was deleted nothing is left to act on. */
export function findTarget({ stores }: Pick<MessageDependencies, "stores">, chatId: ChatId, messageId: string): Outcome<StoredMessage> {
  const found = stores.messages.find(messageId, stores.lids.chat(chatId));
  return found === null || found.deleted ? fail("message_not_found") : { ok: true, value: found };
}
