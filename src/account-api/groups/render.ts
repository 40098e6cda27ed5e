import type { z } from "zod";
import type { ParticipantResult as Result } from "../../protocol/groups.ts";
import { chatIdOf } from "../../protocol/ids.ts";
import type { ParticipantResult } from "./schemas.ts";

/** Nobody is invited unasked: a person who can only be invited is told by the reason `privacy`. */
export function renderParticipantResult({ person, status, code, reason }: Result): z.input<typeof ParticipantResult> {
  return { id: chatIdOf(person), phone: person.phone, status, code, reason, invite_sent: false };
}
