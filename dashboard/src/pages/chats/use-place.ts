// Where a chat is scrolled to: it starts at the first new message, follows the newest one, and stays where the reader has scrolled to.
import { type RefObject, type UIEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Shown } from "./outgoing-bubble.ts";

/** A reader who is this close to the newest message counts as being at the bottom. */
const FOOT_PX = 80;
/** Height of the sticky date heading. */
const DAY_PX = 40;

const measure = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement) => ({
  top: scrollTop,
  content: scrollHeight,
  window: clientHeight,
});
/** The heading of a past day is shown over the messages for this long after a scroll. */
const DAY_MS = 1_200;

type Place = {
  box: RefObject<HTMLDivElement | null>;
  /** The line above the first new message. */
  mark: RefObject<HTMLParagraphElement | null>;
  /** The newest message is not visible. */
  isAway: boolean;
  onScroll: (event: UIEvent<HTMLElement>) => void;
  toNewest: () => void;
  stay: () => void;
  grows: () => void;
};

export function usePlace(messages: readonly Shown[], firstNew: string | undefined): Place {
  const box = useRef<HTMLDivElement>(null);
  const mark = useRef<HTMLParagraphElement>(null);
  const atFoot = useRef(true);
  const placed = useRef(false);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [isAway, setAway] = useState(false);
  const newest = messages.at(-1);
  const oldest = messages[0]?.message_id;
  const before = useRef({ oldest, newest: newest?.message_id });
  const measured = useRef({ top: 0, content: 0, window: 0 });
  /** The newest message as last measured. */
  const anchor = useRef<{ message: HTMLElement | null; top: number }>({ message: null, top: 0 });
  useLayoutEffect(() => {
    const shown = box.current;
    if (shown === null) return;
    // Scrolls to a message that was just sent from here, wherever the reader had scrolled to.
    if (before.current.newest !== newest?.message_id && newest?.source === "dashboard") atFoot.current = true;
    if (atFoot.current) shown.scrollTop = shown.scrollHeight;
    // Keeps the scroll position when older messages load or drop out above. Sets an absolute position, because some browsers already adjust it.
    else if (before.current.oldest !== oldest) {
      const { message, top } = anchor.current;
      const moved = message?.isConnected === true ? message.offsetTop - top : shown.scrollHeight - measured.current.content;
      shown.scrollTop = measured.current.top + moved;
    }
    before.current = { oldest, newest: newest?.message_id };
    measured.current = measure(shown);
    const message = newest && shown.querySelector<HTMLElement>(`[data-message="${CSS.escape(newest.message_id)}"]`);
    anchor.current = { message: message ?? null, top: message?.offsetTop ?? 0 };
  });
  // Stays at the newest message when a photo loads or the keyboard opens.
  useEffect(() => {
    const shown = box.current;
    if (shown === null) return undefined;
    const observer = new ResizeObserver(() => {
      if (atFoot.current) shown.scrollTop = shown.scrollHeight;
      measured.current = measure(shown);
      anchor.current.top = anchor.current.message?.offsetTop ?? 0;
    });
    for (const each of [shown, ...shown.children]) observer.observe(each);
    return () => {
      observer.disconnect();
      clearTimeout(resting.current);
    };
  }, []);
  // Starts at the first new message if it would otherwise be above the visible part.
  useLayoutEffect(() => {
    const [shown, line] = [box.current, mark.current];
    if (firstNew === undefined || shown === null || line === null || placed.current) return;
    placed.current = true;
    const above = line.offsetTop - DAY_PX;
    if (above >= shown.scrollTop) return;
    atFoot.current = false;
    setAway(true);
    shown.scrollTop = above;
  }, [firstNew]);
  const onScroll = ({ currentTarget: shown }: UIEvent<HTMLElement>) => {
    const was = measured.current;
    const { top, content, window } = (measured.current = measure(shown));
    if (content - top - window < FOOT_PX) atFoot.current = true;
    // If the content grew or the box shrank, the reader has not scrolled up.
    else if (top < was.top && content === was.content && window === was.window) atFoot.current = false;
    setAway(!atFoot.current);
    markStuckDays(shown);
    if (top === was.top || content !== was.content || window !== was.window) return;
    shown.dataset["scrolls"] = "";
    clearTimeout(resting.current);
    resting.current = setTimeout(() => delete shown.dataset["scrolls"], DAY_MS);
  };
  const toNewest = () => {
    const shown = box.current;
    if (shown !== null) shown.scrollTop = shown.scrollHeight;
  };
  /** Without a scroll, no event says whether the newest message is still visible after the change. */
  const stay = () => {
    atFoot.current = false;
    afterLayout(() => {
      if (box.current === null) return;
      const { top, content, window } = measure(box.current);
      atFoot.current = content - top - window < FOOT_PX;
      setAway(!atFoot.current);
    });
  };
  const grows = () => {
    stay();
    if (box.current !== null) growDown(box.current);
  };
  return { box, mark, isAway, onScroll, toNewest, stay, grows };
}

/** A heading at the top covers the first line of a message, so the style shows it only during a scroll. */
function markStuckDays(box: HTMLElement): void {
  for (const day of box.querySelectorAll<HTMLElement>(".day"))
    day.toggleAttribute("data-stuck", day.offsetTop - (day.parentElement?.offsetTop ?? 0) > DAY_PX / 2);
}

/** Otherwise, the browser would keep the messages below the growing one in place. */
function growDown({ style }: HTMLElement): void {
  style.setProperty("overflow-anchor", "none");
  afterLayout(() => style.removeProperty("overflow-anchor"));
}

/** Calls `act` once the next frame's observers have run. */
function afterLayout(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(act));
}
