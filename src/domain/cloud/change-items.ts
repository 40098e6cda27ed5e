// Results of reading one change of a Meta webhook (docs/internals/cloud-webhooks.md, "Receiving").
import type { z } from "zod";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { keyOf, type CloudIds } from "./ids.ts";
import type { GraphError } from "./graph-values.ts";
import type { CloudFile } from "./view.ts";

export const CLOUD_STATUSES = ["sent", "delivered", "read", "played", "failed"] as const;

/** Status of a message that one of the account's apps sent. `messageId` is trusted only if the object knows that send. */
export type CloudStatus = {
  wamid: string;
  status: (typeof CLOUD_STATUSES)[number];
  messageId: string | null;
  recipient: Person | null;
  participant: Person | null;
  chatId: ChatId | null;
  errors: GraphError[];
  timestamp: number;
};

/** Items in the change's order. `chatId` is the chat whose order must be preserved. */
export type ChangeItem =
  /** `file` is a file on Meta's servers that the event should wait for. */
  | { kind: "event"; chatId: ChatId | null; event: KeyedEvent; file: CloudFile | null }
  | { kind: "status"; chatId: ChatId | null; status: CloudStatus }
  | { kind: "moved"; from: Named; to: Named }
  /** The outcome of a group change that Meta had answered with a request id. */
  | { kind: "request"; requestId: string; chatId: ChatId | null; outcome: RequestOutcome }
  /** The number or its account may have changed, so the object must read it again. */
  | { kind: "recheck"; field: string }
  | { kind: "error"; field: string; error: GraphError }
  /** `reason` mentions the field, but never its content. */
  | { kind: "unreadable"; field: string; reason: string }
  /** Belongs to another app, or is not used by the gateway. */
  | { kind: "ignored"; field: string; reason: string };

/** `errors` is empty on success. `failed` contains the people for whom it failed, as given in the request. */
export type RequestOutcome = { errors: GraphError[]; failed: { input: string; code: number | null }[] };

export type Named = { phone: string | null; userId: string | null };

export type ReadingContext = { ids: CloudIds; field: string; now: number };

/** Parses items one at a time, so that an unreadable item does not hide the others. */
export function each<S extends z.ZodType>(
  schema: S,
  item: unknown,
  context: ReadingContext,
  read: (value: z.output<S>) => ChangeItem[],
): ChangeItem[] {
  const parsed = schema.safeParse(item);
  return parsed.success ? read(parsed.data) : [unreadable(context, parsed.error)];
}

export function unreadable({ field }: ReadingContext, error: z.ZodError): ChangeItem {
  const [issue] = error.issues;
  return { kind: "unreadable", field, reason: `${issue?.path.join(".") ?? ""}: ${issue?.code ?? "unknown"}` };
}

export function mapped(person: Person | null): ChangeItem[] {
  if (person === null || person.phone === null || person.lid === null) return [];
  const { lid, phone } = person;
  return [{ kind: "event", chatId: null, event: { key: keyOf("lid", lid, phone), event: { type: "lid.mapped", lid, phone } }, file: null }];
}

export function missing({ field }: ReadingContext, name: string): ChangeItem[] {
  return [{ kind: "unreadable", field, reason: `${name}: missing` }];
}
