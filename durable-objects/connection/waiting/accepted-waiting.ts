// Accepted sends that wait, as callers and chats see them.
import { fail, type Replayable, succeed } from "@gateway/protocol/failures.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { chatKind } from "@gateway/protocol/ids.ts";
import type { MessageDependencies } from "../messages/dependencies.ts";
import { freshRecord } from "../messages/message-record.ts";
import { pendingMessageOf } from "../messages/own-sends.ts";
import type { SendResult } from "../outbox/outbox-rows.ts";
import type { WaitingSend } from "./waiting-rows.ts";

/** The result of a send that waits under this id, or null. */
export function knownWaiting(
  { waiting }: Pick<MessageDependencies, "waiting">,
  id: string,
  contentDigest: string | null,
): Replayable<SendResult> | null {
  const known = waiting.rows.find(id);
  if (known === null) return null;
  if (contentDigest !== null && known.details.content !== contentDigest) return fail("content_differs", { details: { message_id: id } });
  return { ...succeed(acceptedOf(known)), replayed: true };
}

/** The waiting send as a pending message, or null if there is none with this id. */
export function waitingMessage({ waiting }: Pick<MessageDependencies, "waiting">, id: string) {
  const known = waiting.rows.find(id);
  const message = known === null ? null : pendingMessageOf(known.request, null, Math.floor(known.at / 1000));
  if (known === null || message === null) return null;
  const { source, reference } = known.details;
  return freshRecord(message, { status: "pending", failure: null, source, reference }, null);
}

export function acceptedOf({ request, details, at, until, acceptedAt }: WaitingSend): SendResult {
  return {
    message_id: request.message_id,
    chat_id: request.chat_id,
    to: details.to,
    to_resolved: null,
    is_group: chatKind(request.chat_id) === "group",
    type: typeOf(request),
    reference: details.reference,
    timestamp: Math.floor(acceptedAt / 1000),
    delivery: { at, until },
  };
}

export function typeOf(request: SendRequest): string {
  return pendingMessageOf(request, null, 0)?.type ?? request.content.kind;
}
