// Keyset pagination: a cursor holds the key of the last row, never an offset.
import { decodeCursor, encodeCursor } from "../../../src/domain/cursor.ts";
import { fail, type Outcome } from "../../../src/protocol/failures.ts";

/** Rows scanned at most for one page by a filter without an index; the page may then be short and still have a next one. */
export const MAX_ROWS_SCANNED = 5_000;

/**
 * SQL: the page's length as a binding. SQLite plans a statement whose `LIMIT` is a binding by itself anew at each call, as the best plan may
 * depend on it; that takes several times as long as reading the page.
 */
export const PAGE_LIMIT = "LIMIT ? + 0";

/** The order columns of the last row of a page, all numbers or texts. */
export type PageKey = readonly (string | number)[];

export type Page<T> = { items: T[]; next_cursor: string | null };

/** The key in the cursor, which must have the column types of `first`, the key before every row. */
export function startOf(cursor: string | null, first: PageKey): Outcome<PageKey> {
  if (cursor === null) return { ok: true, value: first };
  const key = decodeCursor(cursor);
  const fits = Array.isArray(key) && key.length === first.length && key.every((part, at) => typeof part === typeof first[at]);
  if (fits) return { ok: true, value: key };
  return fail("validation_error", { issues: [{ field: "cursor", issue: "is not a cursor of this list" }] });
}

/** `rows` were selected with `limit` + 1, so that the extra one tells whether there is a next page. */
export function pageOf<Row, T>(rows: readonly Row[], limit: number, keyOf: (row: Row) => PageKey, render: (row: Row) => T): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(render), next_cursor: rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null };
}
