// What a send's outcome is told and counted as.
import type { SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { chatKind } from "@gateway/protocol/ids.ts";
import type { Span } from "@gateway/tracing/span.ts";
import type { SendResult, SendRow } from "./rows.ts";

/** Sends that make no message of their own. */
const ACTIONS: ReadonlySet<SendRequest["content"]["kind"]> = new Set(["reaction", "edit", "delete", "pin", "disappearing"]);

/** What a send counts (docs/use/statistics.md, "What is counted"); nothing while its outcome is open. */
export function countedAs({ content: { kind } }: SendRequest, outcome: Outcome<SendResult> | null): string[] {
  if (outcome === null) return [];
  const isMessage = !ACTIONS.has(kind);
  if (outcome.ok) return isMessage ? [`sent.${outcome.value.type}`] : [];
  return [...(isMessage ? [`failed.${kind}`] : []), `error.${outcome.failure.code}`];
}

export function uncertainOutcome({ messageId, request }: SendRow): Outcome<SendResult> {
  return fail("send_outcome_unknown", { details: { message_id: messageId, chat_id: request.chat_id } });
}

type AcceptedSend = Pick<SendResult, "chat_id" | "type" | "timestamp" | "to_resolved">;

export function resultOf({ messageId, details }: SendRow, { chat_id, type, timestamp, to_resolved }: AcceptedSend): SendResult {
  return {
    message_id: messageId,
    chat_id,
    to: details.to,
    to_resolved: to_resolved === details.to ? null : to_resolved,
    is_group: chatKind(chat_id) === "group",
    type,
    reference: details.reference,
    timestamp,
  };
}

/** The span ends with the send. */
export async function endWith(span: Span, ended: Promise<Outcome<SendResult>>): Promise<Outcome<SendResult>> {
  const outcome = await ended;
  const code = outcome.ok ? undefined : outcome.failure.code;
  span.end({ code, failed: code === "send_outcome_unknown" });
  return outcome;
}
