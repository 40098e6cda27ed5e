// Response shapes (docs/use/apis.md, "Response format"). Each route spreads one into its row, for example `...one(view)`.
import * as z from "#root/src/http/openapi/zod.ts";
import type { FieldRules, ConnectionKind } from "@gateway/protocol/operations.ts";
import { nextCursor, ok } from "./fields.ts";

/** Data from which the capabilities are computed. Without `kinds`, the route works for every kind of number. */
export type RouteSummary = { method: string; path: string; kinds?: readonly ConnectionKind[]; fields?: FieldRules; business?: boolean };

export type RenderContext = { appUrl: string; routes: readonly RouteSummary[] };

export type View<T> = { schema: z.ZodType; show: (record: T, context: RenderContext) => unknown };

export function view<S extends z.ZodType, T>(schema: S, show: (record: T, context: RenderContext) => z.input<S>) {
  return { schema, show };
}

export type Rendered<T> = { response: z.ZodType; render: (record: T, context: RenderContext) => object };

export function one<T>({ schema, show }: View<T>) {
  return { response: z.object({ data: schema }), render: (record: T, context: RenderContext) => ({ data: show(record, context) }) };
}

export function list<T>({ schema, show }: View<T>) {
  return {
    response: z.object({ data: z.array(schema) }),
    render: ({ items }: { items: readonly T[] }, context: RenderContext) => ({ data: items.map((item) => show(item, context)) }),
  };
}

export function page<T>({ schema, show }: View<T>) {
  return {
    response: z.object({ data: z.array(schema), next_cursor: nextCursor }),
    render: ({ items, next_cursor }: { items: readonly T[]; next_cursor: string | null }, context: RenderContext) => ({
      data: items.map((item) => show(item, context)),
      next_cursor,
    }),
  };
}

export const done = { response: ok, render: (): z.input<typeof ok> => ({ ok: true }) };
