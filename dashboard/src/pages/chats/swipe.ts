/** Shorter movements are taps. */
const SLOP_PX = 12;
const ANSWER_PX = 56;
const MAX_PX = 72;
/** From the screen's edge, a swipe leads to the previous page on some phones. */
const EDGE_PX = 24;

/** A swipe to the right answers a message, as on phones. The message follows the finger. Others have the menu. */
export function onSwipe(element: HTMLElement, answer: () => void): () => void {
  let start: { x: number; y: number } | null = null;
  let moved = 0;
  const listening = new AbortController();
  const on = (type: "pointerdown" | "pointermove" | "pointerup" | "pointercancel", act: (event: PointerEvent) => void) =>
    element.addEventListener(type, act, { signal: listening.signal });
  const end = () => {
    start = null;
    moved = 0;
    element.style.removeProperty("translate");
  };
  element.style.touchAction = "pan-y pinch-zoom";
  on("pointerdown", ({ pointerType, isPrimary, target, clientX, clientY }) => {
    end();
    const isControl = target instanceof Element && target.closest("input, video") !== null;
    if (pointerType === "touch" && isPrimary && !isControl && clientX >= EDGE_PX) start = { x: clientX, y: clientY };
  });
  on("pointermove", ({ clientX, clientY }) => {
    if (start === null) return;
    const across = clientX - start.x;
    if (moved === 0 && Math.abs(clientY - start.y) > SLOP_PX) return end();
    if (moved === 0 && across < SLOP_PX) return;
    moved = Math.min(MAX_PX, Math.max(1, across));
    element.style.translate = `${moved}px`;
  });
  on("pointerup", () => {
    const isFar = moved >= ANSWER_PX;
    end();
    if (isFar) answer();
  });
  on("pointercancel", end);
  return () => {
    end();
    listening.abort();
  };
}
