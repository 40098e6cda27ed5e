// Operations of the MCP server about the calling connection key (docs/use/mcp.md, "Policy of a key").
import * as z from "zod";
import { AssistantPolicy } from "../assistant.ts";
import { ChatId } from "../ids.ts";
import { BOTH_KINDS, nothing, type OperationRow } from "./row.ts";

/** `ask`: a person must confirm. `recipient`: the policy forbids this chat. `pace`: too many changes in the last hour. */
const VERDICTS = ["allowed", "ask", "recipient", "pace"] as const;

export const ASSISTANT_OPERATIONS = {
  "assistant.rights": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: nothing,
    output: z.object({ scopes: z.array(z.string()).nullable(), policy: AssistantPolicy }),
  },
  /** Decides about one change, and counts it if it is allowed. A repeated `request_id` counts once. `chat_id` null: not in one chat. */
  "assistant.admit": {
    role: "operator",
    kinds: BOTH_KINDS,
    input: z.object({ chat_id: ChatId.nullable(), request_id: z.string(), confirmed: z.boolean() }),
    output: z.object({
      verdict: z.enum(VERDICTS),
      name: z.string().nullable(),
      phone: z.string().nullable(),
      retry_after: z.number().int().nullable(),
    }),
  },
} as const satisfies Record<string, OperationRow>;
