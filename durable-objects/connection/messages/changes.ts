// Changes that others can see are sent like a message: stored first, and repeated only if they certainly were not sent.
import { type StoredMessage, withOwnSide } from "./message-record.ts";
import { newMessageId } from "./message-ids.ts";
import { deleteRefusal, editRefusal } from "@gateway/domain/messages/change-rules.ts";
import type { SendContent } from "@gateway/protocol/content.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { chatKind } from "@gateway/protocol/ids.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import { waitingMessage } from "../waiting/accepted-waiting.ts";
import { readGroup } from "../groups/read-group.ts";
import type { OperationContext, HandlersOf } from "../handlers.ts";
import { findTarget, type MessageDependencies } from "./dependencies.ts";

type Change = Extract<SendContent, { kind: "edit" | "delete" | "reaction" | "pin" }>;

export function messageChangeHandlers(
  deps: MessageDependencies,
): HandlersOf<"messages.edit" | "messages.delete" | "messages.react" | "messages.pin"> {
  return {
    "messages.edit": async ({ chat_id, message_id, text }, context) => {
      const target = findTarget(deps, chat_id, message_id);
      if (!target.ok) return target;
      const { ref, timestamp, type } = target.value;
      const refusal = editRefusal({ fromMe: ref.from_me, timestamp, type }, text, Date.now());
      if (refusal !== null) return fail(refusal);
      const sent = await sendChange(deps, target.value, { kind: "edit", target: ref, text }, context);
      if (!sent.ok) return sent;
      const value = deps.stores.messageQueries.get(message_id, ref.chat_id);
      return value === null ? fail("message_not_found") : succeed(withOwnSide(value, deps.instance.state.phone));
    },

    "messages.delete": async ({ chat_id, message_id, for_everyone }, context) => {
      const target = findTarget(deps, chat_id, message_id);
      if (!target.ok) return target;
      if (!for_everyone) return deleteForMe(deps, target.value);
      const { ref, timestamp } = target.value;
      const admin = ref.from_me ? succeed(false) : await isAdmin(deps, target.value);
      if (!admin.ok) return admin;
      const refusal = deleteRefusal({ fromMe: ref.from_me, timestamp }, admin.value, Date.now());
      if (refusal !== null) return fail(refusal);
      return withoutValue(await sendChange(deps, target.value, { kind: "delete", target: ref }, context));
    },

    "messages.react": async ({ chat_id, message_id, reaction }, context) => {
      const target = inConversation(findTarget(deps, chat_id, message_id));
      if (!target.ok) return target;
      return withoutValue(await sendChange(deps, target.value, { kind: "reaction", target: target.value.ref, reaction }, context));
    },

    "messages.pin": async ({ chat_id, message_id, seconds }, context) => {
      const target = inConversation(findTarget(deps, chat_id, message_id));
      if (!target.ok) return target;
      return withoutValue(await sendChange(deps, target.value, { kind: "pin", target: target.value.ref, seconds }, context));
    },
  };
}

function sendChange(deps: MessageDependencies, { ref }: StoredMessage, content: Change, { messageId }: OperationContext) {
  const request = {
    message_id: messageId ?? newMessageId(),
    chat_id: ref.chat_id,
    content,
    quoted: null,
    mentions: [],
    mention_all: false,
    typing_ms: 0,
    status: null,
  };
  return deps.outbox.send(request, { to: null, reference: null, source: "api", content: null }, Date.now());
}

/** Fails for channel posts. They cannot be pinned, and reactions use their numbers instead (`channels.react`). */
function inConversation(target: Outcome<StoredMessage>): Outcome<StoredMessage> {
  if (!target.ok || chatKind(target.value.ref.chat_id) !== "channel") return target;
  return fail("not_supported", { details: { kind: "channel" } });
}

async function isAdmin(deps: MessageDependencies, { ref }: StoredMessage): Promise<Outcome<boolean>> {
  if (chatKind(ref.chat_id) !== "group") return succeed(false);
  const group = await readGroup(deps.network, deps.stores, ref.chat_id);
  return group.ok ? succeed(group.value.my_role === "admin" || group.value.my_role === "superadmin") : group;
}

function withoutValue(sent: Outcome<unknown>): Outcome<Record<string, never>> {
  return sent.ok ? succeed({}) : sent;
}

export function ownDeviceHandlers(deps: MessageDependencies): HandlersOf<"messages.star" | "messages.clear"> {
  const { network, stores } = deps;
  return {
    "messages.star": async ({ chat_id, message_id, star }) => {
      const target = findTarget(deps, chat_id, message_id);
      return target.ok ? network.command("messages.star", { ref: target.value.ref, star }) : target;
    },

    "messages.clear": async ({ chat_id }) => {
      const chatId = stores.lids.chat(chat_id);
      if (!stores.chats.isKnown(chatId)) return fail("chat_not_found");
      return network.command("messages.clear", { chat_id: chatId, range: stores.messages.range(chatId) });
    },
  };
}

function deleteForMe({ network }: MessageDependencies, { ref, timestamp }: StoredMessage): Promise<Outcome<Record<string, never>>> {
  return network.command("messages.delete_for_me", { ref, timestamp });
}

/** Timeout for fetching media, which covers a possible upload by the phone, the download, and storing the file. */
const FETCH_TIMEOUT_MS = 60_000;

export function messageReadHandlers(
  deps: MessageDependencies,
): HandlersOf<"messages.get" | "messages.list" | "messages.media" | "messages.votes"> {
  const { instance, stores } = deps;
  return {
    "messages.get": ({ message_id, chat_id }) => {
      const value = stores.messageQueries.get(message_id, chat_id) ?? waitingMessage(deps, message_id);
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
  const isWanted = stores.messages.replaceMedia(ref, fetched.value);
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
