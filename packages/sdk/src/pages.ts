// Await a list for its first page, or iterate over it for all items.

export type Page<T> = {
  readonly data: T[];
  readonly next_cursor: string | null;
  /** Null on the last page. */
  next(): Promise<Page<T> | null>;
};

/** `await` returns the first page, and `for await` yields every item of every page. */
export interface PagePromise<T> extends Promise<Page<T>>, AsyncIterable<T> {}

type Load<T> = (cursor: string | undefined) => Promise<{ data: T[]; next_cursor: string | null }>;

export function pagePromise<T>(load: Load<T>): PagePromise<T> {
  const page = async (cursor?: string): Promise<Page<T>> => {
    const { data, next_cursor } = await load(cursor);
    return { data, next_cursor, next: async () => (next_cursor === null ? null : page(next_cursor)) };
  };
  const first = page();
  // If the first page fails, a later iteration reports the failure. A page that nobody awaits must not crash the process.
  first.catch(() => undefined);
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      for (let current: Page<T> | null = await first; current !== null; current = await current.next()) yield* current.data;
    },
  });
}
