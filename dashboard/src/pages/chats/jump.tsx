// Loads older messages until the requested one is present, then scrolls to it and focuses it.
import { type RefObject, useEffect, useEffectEvent } from "react";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { toast } from "../../ui/toast.tsx";

/** The query that loads older messages. */
export type Older = {
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => unknown;
};

type JumpProps = { box: RefObject<HTMLElement | null>; wanted: string; older: Older; leave: () => void; onShown: () => void };

export function Jump({ box, wanted, older, leave, onShown }: JumpProps) {
  const texts = useTexts(CHATS).lookUp;
  const step = useEffectEvent(() => {
    const found = box.current?.querySelector<HTMLElement>(`[data-message="${CSS.escape(wanted)}"]`);
    if (found === undefined || found === null) {
      if (older.isFetching) return;
      if (older.hasNextPage && !older.isFetchNextPageError) {
        older.fetchNextPage();
        return;
      }
      toast(texts.gone, { kind: "bad" });
    } else {
      leave();
      found.scrollIntoView({ block: "center" });
      found.focus({ preventScroll: true });
    }
    onShown();
  });
  // Runs after every render, because each page of older messages may contain the target.
  useEffect(step);
  return null;
}
