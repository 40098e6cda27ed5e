import type { SendWindow } from "@gateway/domain/messages/send-window.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { type Replayable, succeed } from "@gateway/protocol/failures.ts";
import { filesIn } from "../files/call-files.ts";
import type { MessageDependencies } from "../messages/dependencies.ts";
import { earlierSend } from "../outbox/earlier-send.ts";
import type { SendDetails, SendResult } from "../outbox/outbox-rows.ts";
import { acceptedOf } from "./accepted-waiting.ts";

/** Stores the send. Deletes its files if the send is refused or an earlier one has its id. */
export function accept(
  deps: MessageDependencies,
  request: SendRequest,
  details: SendDetails,
  sendWindow: SendWindow,
  now: number,
): Replayable<SendResult> | Promise<Replayable<SendResult>> {
  const { waiting, removedFiles } = deps;
  // Looked up again, because another call with this id may have been accepted while this call's file was being stored.
  const earlier = earlierSend(deps, request.message_id, details.content, now);
  const files = filesIn(request);
  if (earlier !== null) {
    removedFiles.discard(files);
    return earlier;
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const added = waiting.add({ ...sendWindow, request, details, bytes }, now);
  if (added.ok) return succeed(acceptedOf(added.value));
  removedFiles.discard(files);
  return added;
}
