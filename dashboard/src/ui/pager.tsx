// The end of a list that goes on: more on request, and how much is shown.
import { KIT } from "../words/areas.ts";
import { useWords } from "../words/words.ts";
import { Button } from "./button.tsx";

type PagerProps = { shown: number; hasMore: boolean; onMore: () => unknown; busy?: boolean };

/** With `useInfiniteQuery`: `hasMore={hasNextPage} onMore={fetchNextPage} busy={isFetchingNextPage}`. */
export function Pager({ shown, hasMore, onMore, busy = false }: PagerProps) {
  const words = useWords(KIT);
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 px-4 py-2">
      <p className="text-sm text-soft">{words.shown(shown)}</p>
      {hasMore && (
        <Button busy={busy} onClick={() => void onMore()}>
          {words.more}
        </Button>
      )}
    </div>
  );
}
