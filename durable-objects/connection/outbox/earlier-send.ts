import type { Replayable } from "@gateway/protocol/failures.ts";
import type { MessageDependencies } from "../messages/dependencies.ts";
import { knownWaiting } from "../waiting/accepted-waiting.ts";
import type { SendResult } from "./outbox-rows.ts";

/** The result of a send that was accepted before under this id, or null. */
export function earlierSend(
  deps: Pick<MessageDependencies, "outbox" | "waiting">,
  id: string,
  contentDigest: string | null,
  now: number,
): Replayable<SendResult> | Promise<Replayable<SendResult>> | null {
  return knownWaiting(deps, id, contentDigest) ?? deps.outbox.earlierOutcome(id, contentDigest, now);
}
