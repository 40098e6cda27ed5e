// Keyset pagination: a cursor contains the key of the last row, never an offset.
import { invalidField } from "@gateway/domain/failures/field-problems.ts";
import { decodeCursor, encodeCursor } from "@gateway/domain/cursor.ts";
import { type Outcome, succeed } from "@gateway/protocol/failures.ts";

/** Maximum number of rows scanned per page for a filter without an index. A page may therefore be short although another one follows. */
export const MAX_ROWS_SCANNED = 5_000;

/** SQLite re-plans a statement with a bare `LIMIT ?` on each call, which takes longer than reading the page. */
export const PAGE_LIMIT = "LIMIT ? + 0";

export type PageKey = readonly (string | number)[];

export type Page<T> = { items: T[]; next_cursor: string | null };

/** Decodes the cursor's key. Its columns must have the same types as `first`, a key that sorts before every row. */
export function startOf(cursor: string | null, first: PageKey): Outcome<PageKey> {
  if (cursor === null) return succeed(first);
  const key = decodeCursor(cursor);
  const fits = Array.isArray(key) && key.length === first.length && key.every((part, at) => typeof part === typeof first[at]);
  if (fits) return succeed(key);
  return invalidField("cursor", "not_a_cursor");
}

/** Only the beginning of a longer name is put into the cursor, which is part of a URL. The rest is looked up again. */
const MAX_NAME_IN_CURSOR = 50;

const beginningOf = (name: string): string => Array.from(name).slice(0, MAX_NAME_IN_CURSOR).join("");

export const nameKey = ({ sort, no }: { sort: string; no: number }): PageKey => [beginningOf(sort), no];

/** Start of a page in a list ordered by name. `sortOf` returns the sort key of the row with this number, if it still exists. */
export function startByName(cursor: string | null, sortOf: (no: number) => string | undefined): Outcome<PageKey> {
  const start = startOf(cursor, ["", 0]);
  if (!start.ok) return start;
  const [sort = "", no = 0] = start.value;
  const beginning = String(sort);
  const isCut = Array.from(beginning).length === MAX_NAME_IN_CURSOR;
  const known = isCut ? sortOf(Number(no)) : undefined;
  // Continues at the beginning of the name if the row was renamed or deleted, so that no row is left out.
  return succeed([known?.startsWith(beginning) === true ? known : beginning, no]);
}

/** Keeps a page within the 32 MiB of an RPC result: JSON may need six times as many characters. */
const MAX_PAGE_CHARACTERS = 1_000_000;

/** `rows` contains one extra row, which shows whether there is a next page. Long texts can shorten a page to a single item. */
export function pageOf<Row extends object, T>(
  rows: Iterable<Row>,
  limit: number,
  keyOf: (row: Row) => PageKey,
  render: (row: Row) => T,
): Page<T> {
  const { shown, isCut } = firstOf(rows, limit);
  const last = shown.at(-1);
  return { items: shown.map(render), next_cursor: isCut && last !== undefined ? encodeCursor(keyOf(last)) : null };
}

/** The first rows: as many as fit into `limit` and into one RPC result, but at least one. `isCut` means that there are more. */
export function firstOf<Row extends object>(rows: Iterable<Row>, limit: number): { shown: Row[]; isCut: boolean } {
  const shown: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    characters += charactersIn(row);
    if (shown.length > 0 && (shown.length === limit || characters > MAX_PAGE_CHARACTERS)) return { shown, isCut: true };
    shown.push(row);
  }
  return { shown, isCut: false };
}

function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value === null || typeof value !== "object") return 0;
  let characters = 0;
  for (const part of Object.values(value)) characters += charactersIn(part);
  return characters;
}

/** Conditions of a WHERE clause, and their bindings in the same order. */
export class Conditions {
  readonly #parts: string[] = [];
  readonly bindings: SqlStorageValue[] = [];

  add(sql: string, ...bindings: SqlStorageValue[]): this {
    this.#parts.push(sql);
    this.bindings.push(...bindings);
    return this;
  }

  addIf(value: string | number | boolean | null, sql: string): this {
    return value === null ? this : this.add(sql, typeof value === "boolean" ? Number(value) : value);
  }

  /** Ignores case and accents. */
  addPart(part: string, expression: string): this {
    return this.add(`instr(${folded(expression)}, ${folded("?")}) > 0`, part);
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  get sql(): string {
    return this.isEmpty ? "TRUE" : this.#parts.join(" AND ");
  }
}

/** SQLite's `lower` knows only ASCII. A longer list would slow down searches, because each letter is another pass over the text. */
const ACCENTED = { a: "áàâãä", c: "ç", e: "éèêë", i: "íìîï", n: "ñ", o: "óòôõö", u: "úùûü" };

function folded(expression: string): string {
  let sql = `lower(${expression})`;
  for (const [letter, accented] of Object.entries(ACCENTED))
    for (const each of accented + accented.toUpperCase()) sql = `replace(${sql}, '${each}', '${letter}')`;
  return sql;
}

// Names have a trigram index, which finds any part of at least three characters, ignoring case and accents.
const MIN_SEARCH_CHARS = 3;

/** The full-text query for names that contain `text`, or null if the text is too short for the index. */
export function nameMatch(text: string): string | null {
  // A full-text query ends at a NUL, even within quotes.
  const part = text.trim().replaceAll("\0", "\uFFFD");
  return Array.from(part).length < MIN_SEARCH_CHARS ? null : `"${part.replaceAll('"', '""')}"`;
}
