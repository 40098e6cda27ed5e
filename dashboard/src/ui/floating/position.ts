// Places an element below its anchor, or above it if there is no room, and always inside the window.
const GAP = 6;

export type Align = "start" | "end" | "centre";

/** `floating` must be a popover, which is positioned relative to the window. */
export function position(floating: HTMLElement, anchor: HTMLElement, align: Align = "start"): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = floating;
  const below = at.bottom + GAP;
  const top = below + height <= innerHeight || at.top < height + GAP ? below : at.top - GAP - height;
  const wanted = align === "start" ? at.left : align === "end" ? at.right - width : at.left + (at.width - width) / 2;
  const left = Math.max(GAP, Math.min(wanted, document.documentElement.clientWidth - width - GAP));
  floating.style.top = `${Math.max(GAP, Math.min(top, innerHeight - height - GAP))}px`;
  floating.style.left = `${left}px`;
}
