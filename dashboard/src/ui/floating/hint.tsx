// A tooltip on hover and focus. It always describes its anchor for screen readers, can itself be hovered, and closes on Escape.
import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { position } from "./position.ts";

const LEAVE_MS = 120;

export type HintAnchor = {
  "aria-describedby": string | undefined;
  onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  onPointerLeave: () => void;
  onFocus: (event: FocusEvent<HTMLElement>) => void;
  onBlur: () => void;
};

/** Spread `anchor` on the element and render `bubble` beside it. `show` is for touch. Without text there is no tooltip. */
export function useHint(text: ReactNode): { anchor: HintAnchor; bubble: ReactNode; show: (anchor: HTMLElement) => void } {
  const id = useId();
  const bubble = useRef<HTMLSpanElement>(null);
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [anchored, setAnchored] = useState<HTMLElement | null>(null);
  const given = Boolean(text);

  const show = (anchor: HTMLElement) => {
    clearTimeout(leaving.current);
    const shown = bubble.current;
    if (shown === null || shown.matches(":popover-open")) return;
    shown.showPopover();
    position(shown, anchor, "centre");
    setAnchored(anchor);
  };
  const hide = () => {
    clearTimeout(leaving.current);
    if (bubble.current?.matches(":popover-open") === true) bubble.current.hidePopover();
    setAnchored(null);
  };
  const leave = () => {
    clearTimeout(leaving.current);
    leaving.current = setTimeout(hide, LEAVE_MS);
  };
  const ended = useEffectEvent(hide);
  useEffect(() => () => clearTimeout(leaving.current), []);
  useEffect(() => {
    if (anchored === null) return undefined;
    const escape = (event: KeyboardEvent) => {
      if (event.key === "Escape") ended();
    };
    // Closes only if the anchor moves. A new message, for example, scrolls the chat, but not the buttons below it.
    const scrolled = (event: Event) => {
      if ((event.target as Node).contains(anchored)) ended();
    };
    document.addEventListener("keydown", escape);
    document.addEventListener("scroll", scrolled, true);
    return () => {
      document.removeEventListener("keydown", escape);
      document.removeEventListener("scroll", scrolled, true);
    };
  }, [anchored]);

  return {
    show,
    anchor: {
      "aria-describedby": given ? id : undefined,
      // Waits until the pointer moves, so that an anchor that appears under a still pointer does not show its tooltip.
      onPointerMove: (event) => {
        if (event.pointerType === "mouse") show(event.currentTarget);
      },
      onPointerLeave: leave,
      onFocus: (event) => {
        if (event.currentTarget.matches(":focus-visible")) show(event.currentTarget);
      },
      onBlur: hide,
    },
    bubble: given ? (
      <span
        ref={bubble}
        id={id}
        popover="manual"
        role="tooltip"
        onPointerEnter={() => clearTimeout(leaving.current)}
        onPointerLeave={leave}
        className="hint"
      >
        {text}
      </span>
    ) : null,
  };
}
