// Text that was typed and is neither saved nor sent, so that a reload would drop it.
import { keepTyped } from "./deployment.ts";

/** Each page's message field. A chat keeps its draft, even after its field was removed. */
const fields = new Map<string, HTMLTextAreaElement>();

function noteField({ target }: Event): void {
  // Only message fields have no name.
  if (target instanceof HTMLTextAreaElement && target.name === "") fields.set(location.pathname, target);
}

export function watchTyped(): void {
  document.addEventListener("input", noteField);
  keepTyped(() => document.querySelector("[data-typed=unsaved]") !== null || [...fields.values()].some(({ value }) => value !== ""));
}
