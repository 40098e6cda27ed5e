// Sending: from what a caller asked to what the outbox carries (catalogue A3, B2).
import { chatKind, personOf } from "../../../src/protocol/ids.ts";
import type { SendRequest } from "../../../src/protocol/content.ts";
import type { Failure, Outcome } from "../../../src/protocol/failures.ts";
import type { OperationInput } from "../../../src/protocol/operations.ts";
import type { Restriction } from "../../../src/domain/instance/state.ts";
import { retryAfterSeconds } from "../../../src/domain/sliding-window.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { FoundMessage } from "../store/messages.ts";
import type { HandlersOf } from "./handlers.ts";

export type SendParts = {
  outbox: Outbox;
  messages: { find(messageId: string, chatId: string | null): FoundMessage | null };
  chats: { isKnown(chatId: string): boolean };
  restriction: () => Restriction | null;
  /** A message id nobody has used. */
  newMessageId: () => string;
};

type SendInput = OperationInput<"messages.send">;

export function sendOperations(parts: SendParts): HandlersOf<"messages.send"> {
  return {
    "messages.send": (input, { messageId, now }) => {
      const id = input.message_id ?? messageId ?? parts.newMessageId();
      const request = requestOf(parts, input, id);
      if (!request.ok) return request;
      const blocked = newChatBlocked(parts, request.value, now);
      if (blocked !== null) return { ok: false, failure: blocked };
      const to = input.to ?? personOf(request.value.chat_id)?.phone ?? null;
      return parts.outbox.send(request.value, { to, reference: input.reference, source: input.source }, now);
    },
  };
}

function requestOf(parts: SendParts, input: SendInput, messageId: string): Outcome<SendRequest> {
  const chatId = input.chat_id ?? `${input.to}@c.us`;
  const content = contentOf(parts, input.content);
  if (!content.ok) return content;
  const quoted = input.quoted_message_id === null ? null : usable(parts.messages.find(input.quoted_message_id, chatId));
  // A quote of an unknown message is refused, not silently dropped (catalogue A3).
  if (input.quoted_message_id !== null && quoted === null) return { ok: false, failure: { code: "quoted_message_not_found" } };
  return {
    ok: true,
    value: {
      message_id: messageId,
      chat_id: chatId,
      content: content.value,
      quoted,
      mentions: input.mentions.map((phone) => ({ phone, lid: null })),
      mention_all: input.mention_all,
      typing_ms: input.typing_ms,
      status: null,
    },
  };
}

function contentOf(parts: SendParts, content: SendInput["content"]): Outcome<SendRequest["content"]> {
  if (content.kind !== "forward_of") return { ok: true, value: content };
  const source = usable(parts.messages.find(content.message_id, content.chat_id));
  return source === null
    ? { ok: false, failure: { code: "source_message_not_found" } }
    : { ok: true, value: { kind: "forward", raw: source.raw } };
}

/** Only with the network's own encoding can it be quoted or forwarded. */
function usable(found: FoundMessage | null): SendRequest["quoted"] {
  return found === null || found.raw === null || found.deleted ? null : { raw: found.raw, ref: found.ref };
}

/**
 * While the network keeps this number from starting chats (463), none is started: insisting raises the risk of a ban (interface,
 * Errors rule 2). Established chats go on.
 */
function newChatBlocked(parts: SendParts, request: SendRequest, now: number): Failure | null {
  const restriction = parts.restriction();
  if (restriction === null || chatKind(request.chat_id) !== "direct" || parts.chats.isKnown(request.chat_id)) return null;
  const endsAt = restriction.ends_at;
  if (endsAt !== null && endsAt * 1000 <= now) return null;
  return {
    code: "temporarily_blocked",
    ...(endsAt === null ? {} : { retryAfter: retryAfterSeconds(endsAt * 1000 - now) }),
    details: { scope: "account", ends_at: endsAt, message_id: null },
  };
}
