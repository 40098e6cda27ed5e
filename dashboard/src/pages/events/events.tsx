import { Eraser, Pause, Play, ChevronRight, Download, Radio } from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import { useParams, useRouterState } from "@tanstack/react-router";
import { useDeferredValue, useEffect, useId, useRef, useState, memo } from "react";
import { CONNECTION_EVENT_GROUPS, connectionEventsOf } from "@gateway/domain/webhooks/connection-events.ts";
import { type ResponseBody, reading } from "../../api/client.ts";
import { type StreamState, useFrames } from "../../api/live.ts";
import {
  append,
  clear,
  EMPTY_LOG,
  type EventLog,
  matches,
  pause,
  resume,
  shown,
  typesOf,
  type Entry,
  type LiveEvent,
  type Mark,
} from "../../domain/event-log.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { FilterSearch, useFilter } from "../../ui/forms/filters.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { Empty } from "../../ui/states.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { EVENTS } from "../../texts/catalogs.ts";
import { timeFormat } from "../../domain/formats.ts";
import { groupedPhone } from "../../domain/phone.ts";
import { Json } from "../../ui/code/json.tsx";
import { announce } from "../../ui/toast.tsx";
import { locale, useLanguage } from "../../texts/language.ts";

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
        <Button icon={Eraser} disabled={visible.length === 0 && waiting === 0} onClick={clear}>
          {texts.clear}
        </Button>
      </div>
      <section aria-label={texts.list} className="min-w-0 rounded-lg bg-surface">
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-4 py-2 text-sm">
          <p role="status" className={isPaused ? "font-semibold text-attention" : "text-soft"}>
            {isPaused ? texts.paused(waiting) : <State state={state} />}
          </p>
          <p className="text-soft">{texts.count(found.filter(({ kind }) => kind === "event").length)}</p>
        </header>
        {visible.length === 0 ? (
          <Waiting id={id} />
        ) : found.length === 0 ? (
          <p className="p-4 text-center text-soft">{texts.none}</p>
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
  // A line above the page says it for all pages of the connection.
  if (state === "lost") return null;
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

function useConnection(id: string): ResponseBody<"GET /connections/{id}">["data"] | undefined {
  return useQuery(reading("GET /connections/{id}", { id })).data?.data;
}

function NotConnected({ id }: { id: string }) {
  const texts = useTexts(EVENTS);
  const connection = useConnection(id);
  if (connection === undefined || connection.status === "connected" || connection.status === null) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-attention bg-surface px-4 py-2">
      <span>
        <span aria-hidden className="text-attention">
          ○{" "}
        </span>
        {texts.offline.text}
      </span>
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
  if (phone === null) return <Empty icon={Radio} title={texts.waiting.title} text={texts.waiting.noNumber} />;
  return (
    <Empty
      icon={Radio}
      title={texts.waiting.title}
      text={
        <>
          {texts.waiting.text} <PhoneNumber digits={phone} />
        </>
      }
    />
  );
}

function TypeFilter() {
  const texts = useTexts(EVENTS);
  const id = useId();
  const [chosen, choose] = useFilter("type");
  return (
    <div className="min-w-0 max-sm:grow">
      <label htmlFor={id} className="sr-only">
        {texts.type}
      </label>
      <select
        id={id}
        value={chosen}
        onChange={({ target }) => choose(target.value)}
        className="min-h-11 max-w-full rounded-md border border-edge bg-surface px-3 max-sm:w-full pointer-fine:min-h-9"
      >
        <option value="">{texts.allTypes}</option>
        {CONNECTION_EVENT_GROUPS.map((group) => (
          <optgroup key={group} label={texts.groups[group]}>
            <option value={group}>{texts.allOf(texts.groups[group])}</option>
            {connectionEventsOf(group).map((type) => (
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
    // Uses a timer, because animation frames stop while the window is covered.
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

/** Memoized, because rows never change. A new event then renders only its own row. */
const EntryRow = memo(function Row({ entry }: { entry: Entry }) {
  return (
    <li className="border-b border-line last:border-b-0 [contain-intrinsic-size:auto_2.75rem] [content-visibility:auto]">
      {entry.kind === "event" ? <Event event={entry} /> : <Marked mark={entry} />}
    </li>
  );
});

function useTime(): (at: number, precise?: boolean) => string {
  const language = useLanguage();
  return (at, precise = false) =>
    timeFormat(locale(language), { second: "2-digit", ...(precise ? { fractionalSecondDigits: 3 } : {}) }).format(at);
}

function Event({ event }: { event: LiveEvent }) {
  const time = useTime();
  const id = useId();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        className="flex min-h-11 w-full min-w-0 items-center gap-x-3 px-4 py-1 text-left hover:bg-tint focus-visible:-outline-offset-2 pointer-fine:min-h-9"
      >
        <ChevronRight size={16} aria-hidden className={`shrink-0 text-soft ${open ? "rotate-90" : ""}`} />
        {event.at !== null && (
          <time dateTime={event.at} className="shrink-0 text-sm text-soft">
            {time(Date.parse(event.at), true)}
          </time>
        )}
        <span className="shrink-0 font-semibold">{event.type}</span>
        <span className="private min-w-0 truncate text-soft max-sm:hidden">{summaryOf(event)}</span>
      </button>
      {open && (
        <div id={id} className="border-t border-line bg-ground p-4">
          <Payload event={event} />
        </div>
      )}
    </>
  );
}

function Payload({ event }: { event: LiveEvent }) {
  const texts = useTexts(EVENTS);
  return (
    <div role="group" aria-label={texts.payload(event.type)} className="grid min-w-0 gap-3">
      <div className="private min-w-0">
        <Json text={event.text} />
      </div>
      <div className="grid justify-items-start gap-1">
        <Button icon={Download} onClick={() => announce(texts.saved(save(event)))}>
          {texts.save}
        </Button>
        <p className="text-sm text-soft">{texts.saveHint}</p>
      </div>
    </div>
  );
}

function save(event: LiveEvent): string {
  const name = `${event.type}-${(event.at ?? new Date().toISOString()).replaceAll(":", "-")}.json`;
  const link = document.createElement("a");
  link.download = name;
  link.href = URL.createObjectURL(new Blob([`${JSON.stringify(JSON.parse(event.text), null, 2)}\n`], { type: "application/json" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  return name;
}

function summaryOf({ text }: LiveEvent): string {
  const { data = {} } = JSON.parse(text) as { data?: Record<string, unknown> };
  const said = (name: string) => (typeof data[name] === "string" ? data[name] : "");
  const chat = said("chat_id").replace(/@c\.us$/, "");
  const who = [said("from"), chat === said("from") ? "" : chat].map((part) => (/^\d+$/.test(part) ? groupedPhone(part) : part));
  const kind = said("type") === "text" ? "" : said("type");
  return [...who, said("status"), said("reason"), kind, said("name"), said("text")].filter((part) => part !== "").join(" · ");
}

function Marked({ mark }: { mark: Mark }) {
  const texts = useTexts(EVENTS);
  const time = useTime();
  const deliveries = useRouterState({ select: ({ location }) => location.pathname.replace(/\/events\/?$/, "/deliveries") });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 bg-tint px-4 py-2 text-sm">
      <span aria-hidden className="text-attention">
        {mark.kind === "gap" ? "▲" : "◐"}
      </span>
      <p className="min-w-0 grow">{mark.kind === "asleep" ? texts.asleep(time(mark.from ?? mark.to), time(mark.to)) : texts.gap}</p>
      {mark.kind === "gap" && <ButtonLink to={deliveries as "/"}>{texts.deliveries}</ButtonLink>}
    </div>
  );
}
