// Refuses what a kind of number does not support (docs/use/apis.md, "Two kinds of numbers") before anything is stored or asked.
import type { Failure } from "@gateway/protocol/failures.ts";
import type { Kind, OperationRow } from "@gateway/protocol/operations.ts";

/** null: this kind supports the call. `input` is already parsed by the operation's schema. */
export function kindRefusal({ kinds, contents = {}, fields = {} }: OperationRow, input: unknown, kind: Kind): Failure | null {
  if (!kinds.includes(kind)) return { code: "not_supported", details: { kind } };
  const { content, ...rest } = input as { content?: { kind: string } };
  const sentBy = content === undefined ? undefined : contents[content.kind];
  if (sentBy !== undefined && !sentBy.includes(kind)) return { code: "not_supported", details: { kind } };
  const values: Readonly<Record<string, unknown>> = { ...rest, ...content };
  for (const [field, rule] of Object.entries(fields)) {
    if (!rule.kinds.includes(kind) && rule.isUsed(values[field])) return { code: rule.code ?? "not_supported", details: { kind, field } };
  }
  return null;
}
