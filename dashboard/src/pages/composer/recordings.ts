// Recordings that are not sent, by connection and chat. They outlive their chat's page, also while they are uploaded, but not the window.
import { useSyncExternalStore } from "react";
import { queries } from "../../api/cache.ts";

/** With the same quote, a retry after a lost response is the same message. `isTried` means that a send has failed. */
type Kept = { file: File; quotedId: string | null; busy: boolean; isTried: boolean };

const kept = new Map<string, Kept>();
const listeners = new Set<() => void>();

export function keepRecording(key: string, recording: Kept | null): void {
  if (recording === null) kept.delete(key);
  else kept.set(key, recording);
  removeEventListener("beforeunload", ask);
  if (kept.size > 0) addEventListener("beforeunload", ask);
  for (const listener of listeners) listener();
}

export function useRecording(key: string): Kept | null {
  return useSyncExternalStore(subscribe, () => kept.get(key) ?? null);
}

/** Lets the browser ask before it closes the window, unless the user signs out. */
export function ask(event: Event): void {
  if (queries.isMutating({ mutationKey: ["leaving"] }) === 0) event.preventDefault();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
