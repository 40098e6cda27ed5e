import type { OperationInput } from "@gateway/protocol/operations.ts";

type Listing = OperationInput<"messages.list">;
type Filter = "cursor" | "before" | "after" | "from_me" | "type" | "q" | "only";
type Query = Pick<Listing, "limit"> & { [K in Filter]?: Listing[K] | undefined };

export function historyOf(chatId: string | null, query: Query): Listing {
  return {
    chat_id: chatId,
    limit: query.limit,
    cursor: query.cursor ?? null,
    before: query.before ?? null,
    after: query.after ?? null,
    from_me: query.from_me ?? null,
    type: query.type ?? null,
    reference: null,
    status: null,
    q: query.q ?? null,
    ...(query.only === undefined ? {} : { only: query.only }),
  };
}
