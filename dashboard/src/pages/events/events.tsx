import { Eraser, Pause, Play } from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { CONNECTION_EVENT_GROUPS, CONNECTION_EVENTS } from "@gateway/domain/webhooks/connection-events.ts";
import { type Answer, reading } from "../../api/client.ts";
import { type StreamState, useFrames } from "../../api/live.ts";
import { append, clear, EMPTY_LOG, type EventLog, matches, pause, resume, shown, typesOf } from "../../domain/event-log.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { FilterSearch, useFilter } from "../../ui/forms/filters.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { Empty } from "../../ui/states.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { EVENTS } from "../../texts/catalogs.ts";
import { EntryRow } from "./entry.tsx";

export function Events() {
  const texts = useTexts(EVENTS);
  const { id } = useParams({ from: "/in/connections/$id/events" });
  const { log, state, pause, resume, clear } = useEventLog();
  const [filter] = useFilter("type");
  const [query] = useFilter("q");
  // Keeps typing responsive while events arrive.
  const settled = useDeferredValue(log);
  const { visible, waiting } = shown(settled);
  const types = typesOf(filter);
  const found = visible.filter((entry) => matches(entry, types, query));
  const isPaused = log.frozenAt !== null;
  return (
    <div className="grid min-w-0 content-start gap-4">
      <header className="grid gap-1">
        <PageTitle>{texts.title}</PageTitle>
        <p className="max-w-prose text-soft">{texts.about}</p>
      </header>
      <NotConnected id={id} />
      <div className="flex flex-wrap items-end gap-2">
        <TypeFilter />
        <FilterSearch name="q" label={texts.search} />
        <Button icon={isPaused ? Play : Pause} aria-pressed={isPaused} onClick={isPaused ? resume : pause}>
          {isPaused ? texts.resume(waiting) : texts.pause}
        </Button>
        <Button kind="quiet" icon={Eraser} disabled={visible.length === 0 && waiting === 0} onClick={clear}>
          {texts.clear}
        </Button>
      </div>
      <section aria-label={texts.list} className="min-w-0 rounded-md border border-line bg-surface">
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-4 py-2 text-sm">
          <p role="status" className={isPaused || state === "lost" ? "font-semibold text-attention" : "text-soft"}>
            {isPaused ? texts.paused(waiting) : <State state={state} />}
          </p>
          <p className="text-soft">{texts.count(found.filter(({ kind }) => kind === "event").length)}</p>
        </header>
        {visible.length === 0 ? (
          <Waiting id={id} />
        ) : found.length === 0 ? (
          <p className="p-4 text-soft">{texts.none}</p>
        ) : (
          <ol>
            {found.map((entry) => (
              <EntryRow key={entry.key} entry={entry} />
            ))}
          </ol>
        )}
        {log.dropped > 0 && <p className="border-t border-line px-4 py-2 text-sm text-soft">{texts.dropped(log.dropped)}</p>}
      </section>
    </div>
  );
}

function State({ state }: { state: StreamState }) {
  const texts = useTexts(EVENTS);
  if (state === "lost") return texts.lost;
  return state === "open" ? (
    <>
      <span aria-hidden className="text-good">
        ●{" "}
      </span>
      <span>{texts.live}</span>
    </>
  ) : (
    texts.opening
  );
}

function useConnection(id: string): Answer<"GET /connections/{id}">["data"] | undefined {
  return useQuery(reading("GET /connections/{id}", { id })).data?.data;
}

function NotConnected({ id }: { id: string }) {
  const texts = useTexts(EVENTS);
  const connection = useConnection(id);
  if (connection === undefined || connection.status === "connected" || connection.status === null) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-attention bg-surface px-4 py-2">
      <span aria-hidden className="text-attention">
        ○
      </span>
      {texts.offline.text}
      {connection.role !== "viewer" && (
        <ButtonLink to="/connections/$id/pair" params={{ id }}>
          {texts.offline.action}
        </ButtonLink>
      )}
    </p>
  );
}

function Waiting({ id }: { id: string }) {
  const texts = useTexts(EVENTS);
  const phone = useConnection(id)?.phone ?? null;
  if (phone === null) return <Empty title={texts.waiting.title} text={texts.waiting.noNumber} />;
  return (
    <Empty
      title={texts.waiting.title}
      text={
        <>
          {texts.waiting.text} <PhoneNumber digits={phone} />
        </>
      }
    />
  );
}

const GROUPS = [...new Set(Object.values(CONNECTION_EVENT_GROUPS))];

function TypeFilter() {
  const texts = useTexts(EVENTS);
  const id = useId();
  const [chosen, choose] = useFilter("type");
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="sr-only">
        {texts.type}
      </label>
      <select
        id={id}
        value={chosen}
        onChange={({ target }) => choose(target.value)}
        className="min-h-11 max-w-full rounded-md border border-edge bg-surface px-3 pointer-fine:min-h-9"
      >
        <option value="">{texts.allTypes}</option>
        {GROUPS.map((group) => (
          <optgroup key={group} label={texts.groups[group]}>
            <option value={group}>{texts.allOf(texts.groups[group])}</option>
            {CONNECTION_EVENTS.filter((type) => CONNECTION_EVENT_GROUPS[type] === group).map((type) => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </div>
  );
}

type Added = Parameters<typeof append>[1][number];

export type Console = { log: EventLog; state: StreamState; pause: () => void; resume: () => void; clear: () => void };

/** Collects events while the page is open, in batches. */
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
    // A timer, because animation frames would stop in a covered window.
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
    // Adds buffered events first, so that the change applies to them too.
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
