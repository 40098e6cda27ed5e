import { z } from "zod";
import { SendContent } from "../content.ts";
import { MessageId, Phone } from "../ids.ts";
import { StatusPostRecord } from "../records.ts";
import { SendResult } from "./messages.ts";
import { SESSION_ONLY } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

const POSTED = ["text", "image", "video", "voice"] as const;
const Posted = SendContent.refine(({ kind }) => POSTED.some((one) => one === kind));

export const STATUS_OPERATIONS = {
  /**
   * `background`: ARGB; `font`: 0-9. `recipients` null: all saved contacts. Fails like a send; `number_not_on_network` when no recipient
   * has an account.
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
  "statuses.remove": {
    role: "operator",
    kinds: SESSION_ONLY,
    resumable: true,
    input: z.object({ message_id: MessageId }),
    output: nothing,
  },
  "statuses.received": {
    role: "viewer",
    kinds: SESSION_ONLY,
    input: z.object({ limit: z.number().int().min(1).max(200) }),
    output: z.object({ items: z.array(StatusPostRecord) }),
  },
} as const satisfies Record<string, OperationRow>;
