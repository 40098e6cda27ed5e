// The shapes of answers (docs/use/apis.md, "Shapes"): for a row of the table, `...one(view)` and its like.
import { z } from "@hono/zod-openapi";
import type { FieldRules, Kind } from "@gateway/protocol/operations.ts";
import { nextCursor, ok } from "./fields.ts";

/** What the capabilities of a number say of a route. Without `kinds` it acts on no number. */
export type RouteSummary = { method: string; path: string; kinds?: readonly Kind[]; fields?: FieldRules; business?: boolean };

/** What rendering needs besides the record. `routes`: the API's whole table. */
export type RenderContext = { appUrl: string; routes: readonly RouteSummary[] };

/** How a record is shown. */
export type View<T> = { schema: z.ZodType; show: (record: T, context: RenderContext) => unknown };

/** Checks what is shown against its schema. */
export function view<S extends z.ZodType, T>(schema: S, show: (record: T, context: RenderContext) => z.input<S>) {
  return { schema, show };
}

/** Of a row of the table. */
export type Answer<T> = { response: z.ZodType; render: (record: T, context: RenderContext) => object };

/** `{ data }` */
export function one<T>({ schema, show }: View<T>) {
  return { response: z.object({ data: schema }), render: (record: T, context: RenderContext) => ({ data: show(record, context) }) };
}

/** `{ data: [] }` */
export function list<T>({ schema, show }: View<T>) {
  return {
    response: z.object({ data: z.array(schema) }),
    render: ({ items }: { items: readonly T[] }, context: RenderContext) => ({ data: items.map((item) => show(item, context)) }),
  };
}

/** `{ data: [], next_cursor }` */
export function page<T>({ schema, show }: View<T>) {
  return {
    response: z.object({ data: z.array(schema), next_cursor: nextCursor }),
    render: ({ items, next_cursor }: { items: readonly T[]; next_cursor: string | null }, context: RenderContext) => ({
      data: items.map((item) => show(item, context)),
      next_cursor,
    }),
  };
}

/** `{ ok: true }`: of an action without a result. */
export const done = { response: ok, render: (): z.input<typeof ok> => ({ ok: true }) };
