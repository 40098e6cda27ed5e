// All tools, as clients list them. Their texts are fixed and contain no customer data.
import { CHANGES } from "./changes.ts";
import { GENERAL, SEARCH } from "./operations.ts";
import type { Rights } from "./port.ts";
import { READS } from "./reads.ts";
import type { Tool } from "./tool.ts";

const TOOLS: Readonly<Record<string, Tool>> = { ...READS, ...SEARCH, ...CHANGES, ...GENERAL };

export function toolNamed(name: unknown): Tool | null {
  return Object.hasOwn(TOOLS, String(name)) ? (TOOLS[String(name)] ?? null) : null;
}

/** Lists only the tools that the key may call. */
export function toolList({ scopes, policy }: Rights): object[] {
  return Object.entries(TOOLS)
    .filter(([, { scope }]) => (scope === "any" ? policy.call_operation : (scopes?.includes(scope) ?? true)))
    .map(([name, { scope, description, properties, required, destructive = false, idempotent = true }]) => ({
      name,
      description,
      inputSchema: { type: "object", properties, required, additionalProperties: false },
      annotations: { readOnlyHint: scope === "read", destructiveHint: destructive, idempotentHint: idempotent, openWorldHint: true },
    }));
}
