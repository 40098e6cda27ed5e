// Collects events while the page is open, in batches.
import { useEffect, useRef, useState } from "react";
import { type StreamState, useFrames } from "../../api/live.ts";
import { append, clear, EMPTY_LOG, type EventLog, pause, resume } from "../../domain/event-log.ts";

type Added = Parameters<typeof append>[1][number];

export type Console = { log: EventLog; state: StreamState; pause: () => void; resume: () => void; clear: () => void };

export function useEventLog(): Console {
  const [log, setLog] = useState(EMPTY_LOG);
  const arrived = useRef<Added[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const asleepSince = useRef<number | null>(null);
  useEffect(() => () => clearTimeout(timer.current), []);

  const flush = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    const added = arrived.current.splice(0);
    if (added.length > 0) setLog((before) => append(before, added));
  };
  const add = (entry: Added) => {
    arrived.current.push(entry);
    // Animation frames would stop in a covered window.
    timer.current ??= setTimeout(flush, 50);
  };
  const state = useFrames(
    ({ type, data }) => {
      if (type === "event") add(eventOf(data));
      if (type === "reset") add({ kind: "gap", from: null, to: Date.now() });
    },
    (now) => {
      if (now === "asleep") asleepSince.current = Date.now();
      if (now !== "open" || asleepSince.current === null) return;
      add({ kind: "asleep", from: asleepSince.current, to: Date.now() });
      asleepSince.current = null;
    },
  );
  const change = (by: (before: EventLog) => EventLog) => () => {
    // Adds buffered events before the change.
    flush();
    setLog(by);
  };
  return { log, state, pause: change(pause), resume: change(resume), clear: change(clear) };
}

function eventOf(data: unknown): Added {
  const { type, created_at } = data as { type?: unknown; created_at?: unknown };
  return {
    kind: "event",
    type: typeof type === "string" ? type : "?",
    at: typeof created_at === "string" ? created_at : null,
    text: JSON.stringify(data),
  };
}
