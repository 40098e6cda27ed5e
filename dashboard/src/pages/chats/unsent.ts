// Unsent text by chat, in memory only. All composers of a chat share it.
import { useSyncExternalStore } from "react";

type Unsent = { text: string; busy: boolean };

const NONE: Unsent = { text: "", busy: false };
const byChat = new Map<string, Unsent>();
const listeners = new Set<() => void>();

/** Still takes effect after the component has unmounted. */
export function useUnsent(key: string): Unsent & { change: (changed: (now: Unsent) => Partial<Unsent>) => void } {
  const shown = useSyncExternalStore(subscribe, () => byChat.get(key) ?? NONE);
  const change = (changed: (now: Unsent) => Partial<Unsent>) => {
    const before = byChat.get(key) ?? NONE;
    const next = { ...before, ...changed(before) };
    if (next.text === "" && !next.busy) byChat.delete(key);
    else byChat.set(key, next);
    for (const listener of listeners) listener();
  };
  return { ...shown, change };
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}
