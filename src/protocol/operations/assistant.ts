// Operations of the MCP server about the calling connection key (docs/use/mcp.md, "Policy of a key").
import * as z from "zod";
import { AssistantPolicy } from "../assistant.ts";
import { ChatId } from "../ids.ts";
import { BOTH_KINDS, nothing, type OperationRow } from "./row.ts";

/**
 * `ask`: a person must confirm, in a form. `waiting` and `declined`: by link, nobody has decided yet or somebody declined. `full`: too many
 * changes wait. `recipient`: the policy forbids this chat. `pace`: too many changes in the last hour.
 */
const VERDICTS = ["allowed", "ask", "waiting", "declined", "full", "recipient", "pace"] as const;

/** `given`: the tool's arguments, as a person reads them. */
const Change = z.object({ tool: z.string(), given: z.record(z.string(), z.string()) });
export type AssistantChange = z.infer<typeof Change>;

/** Null: expired, or never asked. `accepted` null: nobody has decided, so `change` says about what. `key`: the name of the key that asks. */
export const AssistantConfirmation = z.object({
  key: z.string(),
  accepted: z.boolean().nullable(),
  expires_at: z.number().int(),
  change: Change.extend({ chat_id: ChatId.nullable(), name: z.string().nullable(), phone: z.string().nullable() }).nullable(),
});

export const ASSISTANT_OPERATIONS = {
  "assistant.rights": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: nothing,
    output: z.object({ scopes: z.array(z.string()).nullable(), policy: AssistantPolicy }),
  },
  /**
   * Decides about one change, and counts it if it is allowed. A repeated `request_id` counts once. `chat_id` null: not in one chat. `link`:
   * the change for the page where a person decides, with its unguessable id; null: the client has forms.
   */
  "assistant.admit": {
    role: "operator",
    kinds: BOTH_KINDS,
    input: z.object({
      chat_id: ChatId.nullable(),
      request_id: z.string(),
      confirmed: z.boolean(),
      link: Change.extend({ id: z.string() }).nullable(),
    }),
    output: z.object({
      verdict: z.enum(VERDICTS),
      name: z.string().nullable(),
      phone: z.string().nullable(),
      retry_after: z.number().int().nullable(),
      connection_id: z.number().int(),
    }),
  },
  /** For people only. Fails with `forbidden` for keys. */
  "assistant.asked": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({ id: z.string() }),
    output: AssistantConfirmation.nullable(),
  },
  /** The first decision counts; later ones return it. */
  "assistant.decide": {
    role: "operator",
    kinds: BOTH_KINDS,
    input: z.object({ id: z.string(), accept: z.boolean() }),
    output: AssistantConfirmation.nullable(),
  },
} as const satisfies Record<string, OperationRow>;
