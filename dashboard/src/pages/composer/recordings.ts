// Recordings that are not sent, by connection and chat. They outlive their chat's page, also while they are uploaded, but not the window.
import { useSyncExternalStore } from "react";
import { hold, release } from "./losable.ts";

/** `isTried` means that a send was started. With the same quote, a retry after a lost response is the same message. */
type Kept = { file: File; quotedId: string | null; busy: boolean; isTried: boolean };

const kept = new Map<string, Kept>();
const listeners = new Set<() => void>();

export function keepRecording(key: string, recording: Kept | null): void {
  const before = kept.get(key);
  if (before !== undefined) release(before);
  if (recording === null) kept.delete(key);
  else {
    kept.set(key, recording);
    hold(recording);
  }
  for (const listener of listeners) listener();
}

export function useRecording(key: string): Kept | null {
  return useSyncExternalStore(subscribe, () => kept.get(key) ?? null);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
