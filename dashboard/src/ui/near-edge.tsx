// Loads more of a list when its edge is near. The button stays for keyboard users, and for retries after a failure.
import { useEffect, useEffectEvent, useRef } from "react";
import { Button } from "./button.tsx";

const AHEAD = "600px";

type NearEdgeProps = {
  label: string;
  more: { isFetching: boolean; isFetchingNextPage: boolean; isFetchNextPageError: boolean; fetchNextPage: () => unknown };
};

export function NearEdge({ label, more: { isFetching, isFetchingNextPage, isFetchNextPageError, fetchNextPage } }: NearEdgeProps) {
  const edge = useRef<HTMLDivElement>(null);
  const load = useEffectEvent(() => {
    // Does not load more during a refetch, because that would cancel the refetch, which may bring newer items.
    if (!isFetching && !isFetchNextPageError) fetchNextPage();
  });
  useEffect(() => {
    if (edge.current === null) return undefined;
    const options = { rootMargin: AHEAD, scrollMargin: AHEAD } as IntersectionObserverInit;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) load();
    }, options);
    observer.observe(edge.current);
    return () => observer.disconnect();
    // Runs after every render, because the edge may still be near after a page was added.
  });
  return (
    <div ref={edge} className="grid justify-items-center p-2">
      <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
}
