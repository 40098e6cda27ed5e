// What one change of a webhook means, in parts (docs/use/cloud-api.md, "Receiving").
import type { z } from "zod";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { keyOf } from "./dedupe-key.ts";
import type { GraphError } from "./graph-values.ts";
import type { CloudIds } from "./ids.ts";
import type { CloudFile } from "./view.ts";

export const CLOUD_STATUSES = ["sent", "delivered", "read", "played", "failed"] as const;

/** What became of a message of the account. `messageId`: what the status itself says, to be believed only of a send that is known. */
export type CloudStatus = {
  wamid: string;
  status: (typeof CLOUD_STATUSES)[number];
  messageId: string | null;
  recipient: Person | null;
  /** In groups: whose device reported it. */
  participant: Person | null;
  chatId: ChatId | null;
  errors: GraphError[];
  timestamp: number;
};

/** What a part of a change means. Plain values, in the order of the change. `chatId`: whose order it belongs to. */
export type ChangeItem =
  /** `file`: still with the cloud, and worth waiting for. */
  | { kind: "event"; chatId: ChatId | null; event: KeyedEvent; file: CloudFile | null }
  | { kind: "status"; chatId: ChatId | null; status: CloudStatus }
  /** A person has another number, or another `user_id`; what the webhook named before, and what it names now. */
  | { kind: "moved"; from: Named; to: Named }
  /** What became of a change of a group that only a request id was given for. */
  | { kind: "request"; requestId: string; chatId: ChatId | null; outcome: RequestOutcome }
  /** Something about the number or its account may have changed: it is read again. */
  | { kind: "recheck"; field: string }
  /** The network reports an error of its own, of no message of ours. */
  | { kind: "error"; field: string; error: GraphError }
  /** `reason` names the place, never the content. */
  | { kind: "unreadable"; field: string; reason: string }
  /** Nothing that is told: another app's, or of no interest. */
  | { kind: "ignored"; field: string; reason: string };

/** `errors`: none when it was done. `failed`: the people, as the request named them, for whom it was not. */
export type RequestOutcome = { errors: GraphError[]; failed: { input: string; code: number | null }[] };

/** As the cloud names somebody. */
export type Named = { phone: string | null; userId: string | null };

/** `now` in Unix ms, the time of receipt. */
export type ReadingContext = { ids: CloudIds; field: string; now: number };

/** One item on its own: what is wrong with it does not hide the others. */
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

/** Both names of somebody are known: their chats are one. */
export function mapped(person: Person | null): ChangeItem[] {
  if (person === null || person.phone === null || person.lid === null) return [];
  const { lid, phone } = person;
  return [{ kind: "event", chatId: null, event: { key: keyOf("lid", lid, phone), event: { type: "lid.mapped", lid, phone } }, file: null }];
}

export function missing({ field }: ReadingContext, name: string): ChangeItem[] {
  return [{ kind: "unreadable", field, reason: `${name}: missing` }];
}
