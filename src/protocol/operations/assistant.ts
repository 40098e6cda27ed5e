// Operations that the MCP server runs for the caller's connection key (docs/use/mcp.md, "Policy of a key").
import * as z from "zod";
import { AssistantPolicy } from "../assistant.ts";
import { ChatId } from "../ids.ts";
import { BOTH_KINDS, nothing, type OperationRow } from "./row.ts";

/**
 * With `ask`, a person must confirm in a form. On the link's page, nobody has decided yet (`waiting`), or somebody declined (`declined`).
 * `full` means too many waiting changes, `recipient` a chat that the policy forbids, and `pace` too many changes in the last hour.
 */
const VERDICTS = ["allowed", "ask", "waiting", "declined", "full", "recipient", "pace"] as const;

/** `given` contains the tool's arguments as shown to a person. */
const Change = z.object({ tool: z.string(), given: z.record(z.string(), z.string()) });
export type AssistantChange = z.infer<typeof Change>;

/**
 * Null if the change has expired or never existed. `accepted` is null until a person has decided, and `change` describes the change until
 * then. `key` is the name of the key that requested it.
 */
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
   * Decides whether one change is allowed, and counts it if it is. A repeated `request_id` counts once. `chat_id` is null if the change
   * does not belong to one chat. `link` is the change for the page where a person decides, with the page's unguessable id. `link` is null
   * if the client has forms.
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
  /** Only the first decision is stored. Later calls return it. */
  "assistant.decide": {
    role: "operator",
    kinds: BOTH_KINDS,
    input: z.object({ id: z.string(), accept: z.boolean() }),
    output: AssistantConfirmation.nullable(),
  },
} as const satisfies Record<string, OperationRow>;
