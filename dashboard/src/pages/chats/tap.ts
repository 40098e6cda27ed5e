const LONG_MS = 500;
/** A finger that rests moves a little. */
const MOVED_PX = 10;

/** A tap shows a message's source and menu button, and a long press opens the menu. Keyboard and screen reader users have the button itself. */
export function onTaps(element: HTMLElement): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isTouch = false;
  let wasLong = false;
  let at = { x: 0, y: 0 };
  const listening = new AbortController();
  const on = (types: readonly string[], act: (event: Event) => void) => {
    for (const type of types) element.addEventListener(type, act, { signal: listening.signal });
  };
  const end = () => clearTimeout(timer);
  const openMenu = () => {
    const button = element.parentElement?.querySelector<HTMLElement>("[aria-haspopup=menu]");
    if (button?.nextElementSibling?.matches(":popover-open") === false) button.click();
  };
  element.addEventListener(
    "click",
    (event) => {
      // The end of a long press must not follow a link or open a photo.
      if (wasLong) {
        event.preventDefault();
        event.stopPropagation();
      } else if (!(event.target instanceof Element && event.target.closest("a, button")))
        element.parentElement?.toggleAttribute("data-open");
    },
    { capture: true, signal: listening.signal },
  );
  on(["pointerdown"], (event) => {
    wasLong = false;
    if (!(event instanceof PointerEvent)) return;
    isTouch = event.pointerType === "touch";
    if (!isTouch) return;
    at = { x: event.clientX, y: event.clientY };
    timer = setTimeout(() => {
      wasLong = true;
      openMenu();
    }, LONG_MS);
  });
  // Opens the menu only after the finger lifts, because the browser would close a menu that opened under it.
  on(["pointerup"], () => wasLong && setTimeout(openMenu));
  on(["pointerup", "pointercancel", "pointerleave"], end);
  on(["pointermove"], (event) => {
    if (event instanceof PointerEvent && Math.hypot(event.clientX - at.x, event.clientY - at.y) > MOVED_PX) end();
  });
  on(["contextmenu"], (event) => {
    // Some browsers end a long press on a link before the timer does, and would show a menu of their own.
    wasLong ||= isTouch;
    if (wasLong) event.preventDefault();
  });
  return () => {
    end();
    listening.abort();
  };
}
