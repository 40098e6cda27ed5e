// What was written and not sent, by chat: there again for whoever comes back, in every composer of that chat at once. In memory alone.
import { useSyncExternalStore } from "react";

/** `busy`: it is being sent. */
type Draft = { text: string; busy: boolean };

const NONE: Draft = { text: "", busy: false };
const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();

/** `change` also reaches whoever came back meanwhile, from one who has left. */
export function useDraft(key: string): Draft & { change: (changed: (now: Draft) => Partial<Draft>) => void } {
  const draft = useSyncExternalStore(subscribe, () => drafts.get(key) ?? NONE);
  const change = (changed: (now: Draft) => Partial<Draft>) => {
    const before = drafts.get(key) ?? NONE;
    const next = { ...before, ...changed(before) };
    if (next.text === "" && !next.busy) drafts.delete(key);
    else drafts.set(key, next);
    for (const listener of listeners) listener();
  };
  return { ...draft, change };
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}
