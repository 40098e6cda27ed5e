import { dateFormat } from "../../domain/formats.ts";
import { useRouterState } from "@tanstack/react-router";
import { ChevronRight, Download } from "lucide-react";
import { memo, useId, useState } from "react";
import type { Entry, LiveEvent, Mark } from "../../domain/event-log.ts";
import { groupedPhone } from "../../domain/phone.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Json } from "../../ui/code/json.tsx";
import { announce } from "../../ui/toast.tsx";
import { locale, useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import { EVENTS } from "../../texts/catalogs.ts";

/** Memoized, because rows never change: a new event renders only its own row. */
export const EntryRow = memo(function Row({ entry }: { entry: Entry }) {
  return (
    <li className="border-b border-line last:border-b-0 [contain-intrinsic-size:auto_2.75rem] [content-visibility:auto]">
      {entry.kind === "event" ? <Event event={entry} /> : <Marked mark={entry} />}
    </li>
  );
});

function useTime(): (at: number, precise?: boolean) => string {
  const language = useLanguage();
  return (at, precise = false) =>
    dateFormat(locale(language), {
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      ...(precise ? { fractionalSecondDigits: 3 } : {}),
    }).format(at);
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
