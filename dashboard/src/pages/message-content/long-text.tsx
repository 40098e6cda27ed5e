// A text that is too long to be shown at once.
import { type ReactNode, use, useEffect, useEffectEvent, useRef, useState } from "react";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Grows } from "./grows.ts";

/** `clamp` is the class that cuts the text. The button is shown only if the text is cut at the present width. */
export function LongText({ className, clamp, children }: { className: string; clamp: string; children: ReactNode }) {
  const texts = useTexts(CHATS);
  const grows = use(Grows);
  const [isOpen, setOpen] = useState(false);
  const [isCut, setCut] = useState(false);
  const shown = useRef<HTMLParagraphElement>(null);
  const open = () => {
    grows();
    setOpen(true);
  };
  const onReached = useEffectEvent(({ target }: FocusEvent) => {
    // The keyboard has reached a link, which may be in the part that is cut off.
    if (isCut && (target as Element).matches(":focus-visible")) open();
  });
  useEffect(() => {
    const text = shown.current;
    if (text === null) return undefined;
    const observer = new ResizeObserver(() => setCut(text.scrollHeight > text.clientHeight));
    observer.observe(text);
    const reached = (event: FocusEvent) => onReached(event);
    text.addEventListener("focusin", reached);
    return () => {
      observer.disconnect();
      text.removeEventListener("focusin", reached);
    };
  }, []);
  return (
    <>
      <p ref={shown} dir="auto" className={isOpen ? className : `${className} ${clamp}`}>
        {children}
      </p>
      {isCut && (
        <button
          type="button"
          onClick={({ currentTarget }) => {
            open();
            // The button goes.
            currentTarget.closest("article")?.focus({ preventScroll: true });
          }}
          className="min-h-11 justify-self-start font-semibold text-accent underline-offset-2 hover:underline pointer-fine:min-h-7"
        >
          {texts.readMore}
        </button>
      )}
    </>
  );
}
