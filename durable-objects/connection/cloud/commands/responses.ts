// Shared schemas of Graph's responses. Unused fields are not validated.
import * as z from "zod";
import { type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import type { GraphError } from "../graph.ts";
import type { CommandIds } from "./asking.ts";

/** Meta sends ids and numbers either as strings or as numbers, inconsistently. */
export const someText = z.union([z.string().min(1), z.number()]).transform(String);
export const maybeText = someText.nullish().catch(undefined);

/** Errors about individual people. An error that cannot be parsed gets code 0 (unknown error). */
export const GraphErrors = z
  .array(
    z
      .looseObject({
        code: z.coerce.number().int(),
        error_subcode: z.coerce.number().int().optional().catch(undefined),
      })
      .transform(({ code, error_subcode }): GraphError => ({ code, subcode: error_subcode ?? null, type: null, traceId: null })),
  )
  .catch([]);

export const Listed = z.looseObject({ wa_id: maybeText, user_id: maybeText });

export function graphPerson(ids: Pick<CommandIds, "person">, { wa_id, user_id }: z.output<typeof Listed>): Person | null {
  return ids.person({ wa_id: wa_id ?? undefined, user_id: user_id ?? undefined });
}

export const Paging = z
  .looseObject({ cursors: z.looseObject({ after: maybeText }).optional(), next: maybeText })
  .optional()
  .catch(undefined);
type Page<T> = { items: readonly T[]; paging: z.output<typeof Paging> };

const PAGE_SIZE = 100;

/** Fails if any page fails, because a partial list is useless. Graph filters pages, so even a short page may have a next page. */
export async function readAll<T>(
  maxPages: number,
  read: (query: Record<string, string>) => Promise<Outcome<Page<T>>>,
  pageSize = PAGE_SIZE,
): Promise<Outcome<T[]>> {
  const items: T[] = [];
  let after: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const result = await read({ limit: String(pageSize), ...(after !== undefined && { after }) });
    if (!result.ok) return result;
    items.push(...result.value.items);
    const { cursors, next } = result.value.paging ?? {};
    const cursor = cursors?.after ?? undefined;
    const isLast = result.value.items.length < pageSize && !next;
    if (cursor === undefined || cursor === after || isLast) break;
    after = cursor;
  }
  return succeed(items);
}
