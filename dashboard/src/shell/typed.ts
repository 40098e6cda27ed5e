// Finds typed text that is neither saved nor sent, so that a reload does not discard it.
import { keepTyped } from "./deployment.ts";

/** Each page's message field. It still contains the chat's draft after the user has left the chat. */
const fields = new Map<string, HTMLTextAreaElement>();

function noteField({ target }: Event): void {
  // Only message fields have no name.
  if (target instanceof HTMLTextAreaElement && target.name === "") fields.set(location.pathname, target);
}

export function watchTyped(): void {
  document.addEventListener("input", noteField);
  keepTyped(() => document.querySelector("[data-typed=unsaved]") !== null || [...fields.values()].some(({ value }) => value !== ""));
}
