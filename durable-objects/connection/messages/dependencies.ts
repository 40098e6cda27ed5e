import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import type { MediaFacts } from "#root/src/services/media/open.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { Pacing } from "../outbox/pacing.ts";
import type { AccountLimitsCache } from "../instance/account-limits-cache.ts";
import type { Instance } from "../instance/instance.ts";
import type { Identity } from "../instance/identity.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { RemovedFiles } from "../files/removed-files.ts";
import type { StoredMessage } from "./message-record.ts";
import type { WaitingSends } from "../waiting/waiting-sends.ts";
import type { Stores } from "../store/stores.ts";

export type MessageDependencies = {
  identity: Pick<Identity, "kind">;
  network: NetworkClient;
  outbox: Outbox;
  pacing: Pacing;
  limits: AccountLimitsCache;
  stores: Stores;
  instance: Instance;
  removedFiles: Pick<RemovedFiles, "add" | "discard" | "recheck">;
  waiting: WaitingSends;
  lookUpMedia: (token: string) => Promise<MediaFacts | null>;
};

export function findTarget({ stores }: Pick<MessageDependencies, "stores">, chatId: ChatId, messageId: string): Outcome<StoredMessage> {
  const found = stores.messages.find(messageId, stores.lids.chat(chatId));
  return found === null || found.deleted ? fail("message_not_found") : succeed(found);
}
