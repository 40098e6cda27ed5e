import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { UI } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";
import { Button } from "./button.tsx";
import { Query } from "./states.tsx";

type PagerProps = { shown: number; hasMore: boolean; onMore: () => unknown; busy?: boolean };

/** A complete list needs neither a count nor a button. */
export function Pager({ shown, hasMore, onMore, busy = false }: PagerProps) {
  const texts = useTexts(UI);
  if (!hasMore) return null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 px-4 py-2">
      <p className="text-sm text-soft">{texts.shown(shown)}</p>
      <Button busy={busy} onClick={() => void onMore()}>
        {texts.more}
      </Button>
    </div>
  );
}

type PagedProps<T> = {
  result: UseInfiniteQueryResult<InfiniteData<{ data: readonly T[] }>>;
  empty: ReactNode;
  label?: string;
  lines?: number;
  children: (items: readonly T[]) => ReactNode;
};

export function Paged<T>({ result, empty, label, lines, children }: PagedProps<T>) {
  return (
    <Query result={result} {...(label === undefined ? {} : { label })} {...(lines === undefined ? {} : { lines })}>
      {({ pages }) => {
        const items = pages.flatMap(({ data }) => data);
        if (items.length === 0) return empty;
        return (
          <>
            {children(items)}
            <Pager shown={items.length} hasMore={result.hasNextPage} onMore={result.fetchNextPage} busy={result.isFetchingNextPage} />
          </>
        );
      }}
    </Query>
  );
}
