import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import type { HandlersOf } from "../handlers.ts";
import { findTarget, type MessageDependencies } from "./dependencies.ts";
import { withOwnSide } from "./own-side.ts";

/** Timeout for fetching media: covers a possible upload by the phone, the download, and storing the file. */
const FETCH_TIMEOUT_MS = 60_000;

export function messageReads(
  deps: MessageDependencies,
): HandlersOf<"messages.get" | "messages.list" | "messages.media" | "messages.votes"> {
  const { instance, stores } = deps;
  return {
    "messages.get": ({ message_id, chat_id }) => {
      const value = stores.messageQueries.get(message_id, chat_id);
      return value === null ? fail("message_not_found") : succeed(withOwnSide(value, instance.state.phone));
    },

    "messages.list": (input) => {
      const found = stores.messageQueries.list(input);
      if (!found.ok) return found;
      const items = found.value.items.map((record) => withOwnSide(record, instance.state.phone));
      return succeed({ ...found.value, items });
    },

    "messages.media": ({ chat_id, message_id }) => media(deps, chat_id, message_id),

    "messages.votes": ({ chat_id, message_id }) => {
      const tally = stores.votes.tally(stores.lids.chat(chat_id), message_id);
      if (tally === null) return fail("message_not_found");
      const self = { phone: instance.state.phone, lid: null };
      return succeed({ items: tally.map((each) => ({ ...each, voters: each.voters.map((voter) => voter ?? self) })) });
    },
  };
}

async function media(deps: MessageDependencies, chatId: string, messageId: string): Promise<Outcome<OperationOutput<"messages.media">>> {
  const target = findTarget(deps, chatId, messageId);
  if (!target.ok) return target;
  const { ref, raw, type } = target.value;
  const { stores, network, removedFiles } = deps;
  const described = stores.messageQueries.get(ref.message_id, ref.chat_id)?.media ?? null;
  if (described === null) return fail("message_not_found", { details: { type } });
  const stored = await storedFile(deps, described.token);
  if (stored !== null) return succeed(stored);
  if (raw === null) return fail("media_expired");
  const fetched = await network.command("messages.fetch_media", { raw }, FETCH_TIMEOUT_MS);
  if (!fetched.ok) return fetched;
  const { token } = fetched.value;
  const isWanted = stores.messages.setMedia(ref.chat_id, ref.message_id, fetched.value);
  if (!isWanted && token !== null) stores.messages.dropUnusedFile(ref.chat_id, ref.message_id, token);
  if (!isWanted) {
    removedFiles.recheck();
    return fail("message_not_found");
  }
  const refetched = await storedFile(deps, token);
  return refetched === null ? fail("media_expired") : succeed(refetched);
}

async function storedFile({ lookUpMedia }: MessageDependencies, token: string | null): Promise<OperationOutput<"messages.media"> | null> {
  const facts = token === null ? null : await lookUpMedia(token);
  if (token === null || facts === null) return null;
  const { mimetype, filename, sizeBytes, expiresAt } = facts;
  return { token, mimetype, filename, size: sizeBytes, expires_at: expiresAt };
}
