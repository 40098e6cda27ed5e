// Drafts that were not sent, by chat. They are stored while the page is open.
import { useSyncExternalStore } from "react";

type Unsent = { text: string; busy: boolean };

const NONE: Unsent = { text: "", busy: false };
const byChat = new Map<string, Unsent>();
const listeners = new Set<() => void>();

const keyOf = (id: string, chatId: string) => `${id} ${chatId}`;

export function useUnsentText(id: string, chatId: string): Unsent {
  return useSyncExternalStore(subscribe, () => byChat.get(keyOf(id, chatId)) ?? NONE);
}

/** `change` works even after the component has unmounted. */
export function useUnsent(id: string, chatId: string): Unsent & { change: (changed: (now: Unsent) => Partial<Unsent>) => void } {
  const shown = useUnsentText(id, chatId);
  const key = keyOf(id, chatId);
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
