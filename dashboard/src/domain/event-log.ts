// The live event console: the newest events, with markers where some may be missing. While the console is paused, new events are buffered.
import { connectionEventsOf } from "@gateway/domain/webhooks/connection-events.ts";

export type LiveEvent = { key: number; kind: "event"; type: string; at: string | null; text: string };
/** "asleep": the page was hidden, and the missed events follow. "gap": some events may be lost. Times are in Unix ms. */
export type Mark = { key: number; kind: "asleep" | "gap"; from: number | null; to: number };
export type Entry = LiveEvent | Mark;

type WithoutKey<T> = T extends Entry ? Omit<T, "key"> : never;

/** `entries` are sorted from oldest to newest. `dropped` counts the removed events. `frozenAt` is the key at which the log was paused. */
export type EventLog = { entries: readonly Entry[]; next: number; dropped: number; frozenAt: number | null };

/** Maximum number of events in the log. While it is paused, its buffer has the same limit. */
export const MAX_EVENTS = 500;

export const EMPTY_LOG: EventLog = { entries: [], next: 1, dropped: 0, frozenAt: null };

const isEvent = (entry: Entry): entry is LiveEvent => entry.kind === "event";

export function append(log: EventLog, added: readonly WithoutKey<Entry>[]): EventLog {
  let { next } = log;
  const grown = [...log.entries, ...added.map((entry) => ({ ...entry, key: next++ }) as Entry)];
  return trimmed({ ...log, next }, grown);
}

export function pause(log: EventLog): EventLog {
  return log.frozenAt === null ? { ...log, frozenAt: log.next } : log;
}

export function resume(log: EventLog): EventLog {
  return trimmed({ ...log, frozenAt: null }, log.entries);
}

export function clear(log: EventLog): EventLog {
  return { ...EMPTY_LOG, next: log.next, frozenAt: log.frozenAt === null ? null : log.next };
}

export function shown({ entries, frozenAt }: EventLog): { visible: Entry[]; waiting: number } {
  const visible = frozenAt === null ? entries : entries.filter(({ key }) => key < frozenAt);
  return { visible: visible.toReversed(), waiting: entries.slice(visible.length).filter(isEvent).length };
}

export function typesOf(filter: string): ReadonlySet<string> | null {
  if (filter === "") return null;
  const ofGroup = connectionEventsOf(filter);
  return new Set(ofGroup.length === 0 ? [filter] : ofGroup);
}

export function matches(entry: Entry, types: ReadonlySet<string> | null, query: string): boolean {
  if (!isEvent(entry)) return true;
  if (types?.has(entry.type) === false) return false;
  return query === "" || entry.text.toLowerCase().includes(query.toLowerCase());
}

/** Drops the oldest entries. While paused, visible and buffered entries are limited separately. */
function trimmed(log: EventLog, entries: readonly Entry[]): EventLog {
  const { frozenAt } = log;
  const before = frozenAt === null ? [] : entries.filter(({ key }) => key < frozenAt);
  const [kept, gone] = newest(frozenAt === null ? entries : entries.slice(before.length));
  const [shownStill, goneToo] = newest(before);
  return { ...log, entries: [...shownStill, ...kept], dropped: log.dropped + gone + goneToo };
}

function newest(entries: readonly Entry[]): [kept: readonly Entry[], gone: number] {
  const over = entries.length - MAX_EVENTS;
  return over <= 0 ? [entries, 0] : [entries.slice(over), entries.slice(0, over).filter(isEvent).length];
}
