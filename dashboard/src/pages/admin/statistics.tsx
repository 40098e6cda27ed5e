import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { type ResponseBody, reading } from "../../api/client.ts";
import { withoutEmpty } from "../../api/pages.ts";
import { causesOf, countsOf } from "../../domain/causes.ts";
import { dateFormat, timeFormat } from "../../domain/formats.ts";
import { STATUSES } from "../../domain/connection-list.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/forms/field.tsx";
import { useFilter } from "../../ui/forms/filters.tsx";
import { TimeChart, type Tone } from "../../ui/graphics/time-chart.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Query } from "../../ui/states.tsx";
import { Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { ADMIN } from "../../texts/catalogs.ts";
import { CopyButton } from "../../ui/code/copy.tsx";
import { Mono } from "../../ui/code/code.tsx";
import { locale, useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import { FactGrid } from "../../ui/facts.tsx";

type Numbers = ResponseBody<"GET /admin/statistics">["data"];
type Entry = Numbers["series"][number];
const METRICS = ["sent", "received", "failed", "deliveries", "delivered", "errors", "connected_minutes"] as const;
type Metric = (typeof METRICS)[number];

/** Tones for the causes of failures, starting with the most frequent. The last tone is also used for all remaining causes. */
const CAUSE_TONES: readonly Tone[] = ["bad", "attention", "info", "accent", "edge"];

export function Statistics() {
  const texts = useTexts(ADMIN).statistics;
  const [chosen, choose] = useFilter("interval");
  const interval = chosen === "hour" ? "hour" : "day";
  const [instance] = useFilter("instance");
  const result = useQuery(reading("GET /admin/statistics", { interval, ...withoutEmpty({ instance_id: instance }) }));
  return (
    <>
      <header className="flex flex-wrap items-start justify-between gap-3">
        <PageTitle>{texts.title}</PageTitle>
        <Select
          label={texts.interval}
          name="interval"
          value={interval}
          options={[
            { value: "day", label: texts.byDay },
            { value: "hour", label: texts.byHour },
          ]}
          onChange={({ target }) => choose(target.value === "hour" ? "hour" : "")}
        />
      </header>
      {instance !== "" && <OnlyOf id={instance} />}
      <Query result={result} lines={8}>
        {({ data }) => (
          <>
            <OverTime numbers={data} interval={interval} isOfInstance={instance !== ""} />
            {/* An instance's totals are in the series above, and the other panels describe the whole deployment. */}
            {instance === "" && <Now numbers={data} />}
          </>
        )}
      </Query>
    </>
  );
}

function OnlyOf({ id }: { id: string }) {
  const texts = useTexts(ADMIN).statistics;
  const found = useQuery(reading("GET /admin/instances", { q: id })).data?.data.find((each) => each.id === id);
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-soft wrap-anywhere">
      <span>
        {texts.onlyOf} <span className="font-semibold text-ink">{found?.name}</span>
      </span>
      <span>{found?.owner.email}</span>
      <span className="inline-flex items-center gap-1">
        <Mono>{id}</Mono>
        <CopyButton value={id} label={texts.copyId} iconOnly />
      </span>
      <Link to="/admin/statistics" className="font-semibold text-accent underline-offset-2 hover:underline">
        {texts.ofAll}
      </Link>
    </p>
  );
}

function Now({ numbers: { users, instances, messages, webhooks, bridges, proxies } }: { numbers: Numbers }) {
  const texts = useTexts(ADMIN).statistics;
  const number = useNumber();
  const panels = [
    {
      title: texts.users,
      facts: [
        [texts.total, number(users.total)],
        [texts.active, number(users.active)],
        [texts.suspended, number(users.suspended)],
        [texts.subscribed, number(users.subscribed)],
      ],
    },
    {
      title: texts.instances,
      facts: [
        [texts.total, number(instances.total)],
        ...STATUSES.map((status) => [texts.byStatus[status], number(instances.by_status[status] ?? 0)] as const),
      ],
    },
    {
      title: texts.messages,
      facts: [
        [texts.sent, number(messages.sent)],
        [texts.received, number(messages.received)],
        [texts.failed, number(messages.failed)],
      ],
    },
    {
      title: texts.webhooks,
      facts: [
        [texts.delivered, number(webhooks.delivered)],
        [texts.failed, number(webhooks.failed)],
        [texts.pending, number(webhooks.pending)],
        [texts.p95, webhooks.p95_ms === null ? "–" : texts.ms(webhooks.p95_ms)],
      ],
    },
    {
      title: texts.bridges,
      facts: [
        [texts.total, number(bridges.count)],
        [texts.sessions, number(bridges.sessions)],
        [texts.memory, texts.mb(bridges.rss_mb)],
      ],
    },
    {
      title: texts.proxies,
      facts: [
        [texts.total, number(proxies.total)],
        [texts.healthy, number(proxies.healthy)],
        [texts.down, number(proxies.down)],
      ],
    },
  ] as const;
  return (
    <div className="grid gap-4 min-[1100px]:grid-cols-2">
      {panels.map(({ title, facts }) => (
        <Panel key={title} title={title}>
          <FactGrid facts={facts} />
        </Panel>
      ))}
    </div>
  );
}

type OverTimeProps = { numbers: Numbers; interval: "day" | "hour"; isOfInstance: boolean };

function OverTime({ numbers: { series, webhooks, complete_until }, interval, isOfInstance }: OverTimeProps) {
  const texts = useTexts(ADMIN).statistics;
  const language = useLanguage();
  const number = useNumber();
  const names: Record<Metric, string> = {
    sent: texts.sent,
    received: texts.received,
    failed: texts.failed,
    deliveries: texts.deliveries,
    delivered: texts.delivered,
    errors: texts.errors,
    connected_minutes: texts.minutes,
  };
  const day = { day: "2-digit", month: "2-digit" } as const;
  // Days are counted in UTC. Hours are shown in local time.
  const form = interval === "hour" ? timeFormat(locale(language), day) : dateFormat(locale(language), { ...day, timeZone: "UTC" });
  const name = ({ at, complete }: Entry) => {
    const period = form.format(new Date(at));
    return complete ? period : texts.running(period);
  };
  const periodOf = <V,>({ at, complete }: Entry, values: V) => ({
    at,
    label: form.format(new Date(at)),
    pale: !complete,
    ...(complete ? {} : { note: texts.counting }),
    values,
  });
  const periods = series.map((entry) => periodOf(entry, { ...entry, undelivered: Math.max(0, entry.deliveries - entry.delivered) }));
  const codes = [...new Set(series.flatMap(({ errors_by_code: errors }) => Object.keys(errors)))].toSorted();
  const causes = causesOf(series, CAUSE_TONES.length);
  const causeName = (cause: string) => texts.cause[cause] ?? cause;
  const duration = (ms: number) => (ms === 0 ? "–" : texts.ms(ms));
  const file = () =>
    csvOf(
      ["at", ...METRICS, "p50_ms", "p95_ms", ...codes.map((code) => `errors.${code}`), "complete"],
      series.map(({ at, complete, p50_ms: p50, p95_ms: p95, errors_by_code: errors, ...entry }) => [
        at,
        ...METRICS.map((each) => entry[each]),
        p50 ?? "",
        p95 ?? "",
        ...codes.map((code) => errors[code] ?? 0),
        String(complete),
      ]),
    );
  const failures = (
    <TimeChart
      label={texts.causes}
      titled
      period={texts.period}
      format={number}
      empty={texts.noFailures}
      series={causes.map((key, at) => ({ key, label: `× ${causeName(key)}`, tone: CAUSE_TONES[at] ?? "edge" }))}
      periods={series.map((entry) => periodOf(entry, countsOf(entry, causes)))}
    />
  );
  return (
    <Panel
      title={texts.series}
      about={
        <>
          {texts.complete} <When time={complete_until} />. {interval === "day" && `${texts.utcDays} `}
          {texts.runningNote}
        </>
      }
      actions={
        <Button icon={Download} onClick={() => save(file(), texts.file)}>
          {texts.csv}
        </Button>
      }
    >
      {/* Links to one instance's statistics come from its failures. */}
      {isOfInstance && failures}
      <TimeChart
        label={texts.messages}
        titled
        period={texts.period}
        format={number}
        series={[
          { key: "received", label: texts.received, one: texts.one.received, tone: "edge" },
          { key: "sent", label: texts.sent, one: texts.one.sent, tone: "accent" },
          { key: "failed", label: texts.failed, one: texts.one.failed, tone: "bad" },
        ]}
        periods={periods}
      />
      <TimeChart
        label={texts.webhooks}
        titled
        period={texts.period}
        format={number}
        series={[
          { key: "delivered", label: texts.delivered, one: texts.one.delivered, tone: "good" },
          { key: "undelivered", label: texts.undelivered, one: texts.one.undelivered, tone: "bad" },
        ]}
        periods={periods}
      />
      <TimeChart
        label={texts.latency}
        titled
        period={texts.period}
        format={duration}
        empty={texts.noLatency}
        levels={{ p50: webhooks.p50_ms ?? 0, p95: webhooks.p95_ms ?? 0 }}
        series={[
          { key: "p50", label: texts.half, tone: "accent" },
          { key: "p95", label: texts.most, tone: "edge" },
        ]}
        periods={series.map((entry) => periodOf(entry, { p50: entry.p50_ms ?? 0, p95: entry.p95_ms ?? 0 }))}
      />
      {!isOfInstance && failures}
      <details className="min-w-0">
        <summary className="min-h-11 cursor-pointer text-accent pointer-fine:min-h-6">{texts.table}</summary>
        {/* Focusable, so that it can be scrolled by keyboard. */}
        <div className="max-h-96 min-w-0 overflow-auto" tabIndex={0} role="region" aria-label={texts.table}>
          <Rows
            caption={texts.series}
            rows={series.toReversed()}
            keyOf={({ at }) => at}
            columns={[
              { id: "at", header: texts.period, cell: name },
              ...METRICS.map((each) => ({ id: each, header: names[each], numeric: true, cell: (entry: Entry) => number(entry[each]) })),
              {
                id: "p50",
                header: "p50 (ms)",
                numeric: true,
                cell: (entry: Entry) => (entry.p50_ms === null ? "–" : number(entry.p50_ms)),
              },
              {
                id: "p95",
                header: "p95 (ms)",
                numeric: true,
                cell: (entry: Entry) => (entry.p95_ms === null ? "–" : number(entry.p95_ms)),
              },
              ...causes.map((each) => ({
                id: each,
                header: causeName(each),
                numeric: true,
                cell: (entry: Entry) => number(countsOf(entry, causes)[each] ?? 0),
              })),
            ]}
          />
        </div>
      </details>
    </Panel>
  );
}

function useNumber(): (count: number) => string {
  const language = useLanguage();
  return (count) => count.toLocaleString(locale(language));
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

type Cell = string | number;

export function csvOf(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((row) => row.map(cellOf).join(",")).join("\r\n") + "\r\n";
}

/** Marks texts that a spreadsheet would run as a formula. */
function cellOf(cell: Cell): string {
  if (typeof cell === "number") return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
