import { z } from "zod";
import { SendContent } from "../content.ts";
import { MessageId, Phone } from "../ids.ts";
import { StatusPostRecord } from "../records.ts";
import { SendResult } from "./messages.ts";
import { SESSION_ONLY } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

/** What can be posted. */
const POSTED = ["text", "image", "video", "voice"] as const;
const Posted = SendContent.refine(({ kind }) => POSTED.some((one) => one === kind));

export const STATUS_OPERATIONS = {
  /**
   * `background`: ARGB; `font`: 0-9. `recipients` null: all saved contacts. Fails as a send does; `number_not_on_network` when none of
   * the recipients has an account.
   */
  "statuses.post": {
    role: "operator",
    kinds: SESSION_ONLY,
    resumable: true,
    filesLast: true,
    needsSubscription: true,
    input: z.object({
      content: Posted,
      background: z.number().int().nullable(),
      font: z.number().int().min(0).max(9).nullable(),
      recipients: z.array(Phone).max(2_000).nullable(),
    }),
    output: SendResult,
  },
  /** An own post of the last day, taken back from those who may see it. Fails `message_not_found`. */
  "statuses.remove": {
    role: "operator",
    kinds: SESSION_ONLY,
    resumable: true,
    input: z.object({ message_id: MessageId }),
    output: nothing,
  },
  /** Posts of others of the last day, newest first; none while the settings ignore them. */
  "statuses.received": {
    role: "viewer",
    kinds: SESSION_ONLY,
    input: z.object({ limit: z.number().int().min(1).max(200) }),
    output: z.object({ items: z.array(StatusPostRecord) }),
  },
} as const satisfies Record<string, OperationRow>;
